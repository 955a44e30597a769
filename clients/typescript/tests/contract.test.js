// The contract of all clients.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { StoryPlayer } from "./contract/player.js";

const file = new URL("../../../tests/contract/stories.json", import.meta.url);
const { stories, mistakes } = JSON.parse(readFileSync(file, "utf8"));

describe("contract", { concurrency: 4 }, () => {
  for (const story of stories.filter(({ without }) => !without?.typescript)) {
    test(story.name, () => StoryPlayer.play(story));
  }
  for (const story of mistakes) {
    test(`the mistake is found: ${story.name}`, () => assert.rejects(StoryPlayer.play(story)));
  }
});
