// One agent in its own process: `agent_process.js DRIVER RUNS CALLS`. It prints what its model gets.
import { Gate } from "@countersign/client";
import { storyTools } from "./story.js";

const [, , name, runs, calls] = process.argv;
// The agent replaces the test, which resumes its calls.
const place = { program: "story" };
const { default: driver } = await import(`./drivers/${name}.js`);
const results = await driver.run({ gate: new Gate({ place }), calls: JSON.parse(calls), tools: storyTools(runs), options: {} });
console.log(JSON.stringify([...results]));
