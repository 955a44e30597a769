// A contract agent as a process, which stories kill: `agent.js PART`. It prints `started` when its tool starts, and its
// outcome at the end. A line on its standard input lets a held tool go.
import { once } from "node:events";
import { Gate, readJson, writeJson } from "@countersign/client";
import { callTool, StoryTool } from "./outcomes.js";

const { step, server, token, runs } = readJson(process.argv[2]);
const tool = new StoryTool(runs, step);
tool.started.then(() => {
  console.log("started");
  once(process.stdin, "data").then(tool.letGo);
});
console.log(writeJson(await callTool(new Gate({ server, token, thread: "t", place: { program: "contract" } }), tool, step)));
process.exit();
