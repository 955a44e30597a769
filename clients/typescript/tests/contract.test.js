// The contract of all clients.
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { StoryPlayer } from "./contract/player.js";

const file = new URL("../../../tests/contract/stories.json", import.meta.url);
for (const story of JSON.parse(readFileSync(file, "utf8")).stories) {
  if (!story.without?.typescript) {
    test(story.name, () => StoryPlayer.play(story));
  }
}
