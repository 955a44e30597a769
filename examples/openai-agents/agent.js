// An OpenAI Agents SDK agent whose tools ask before they run.
import { Agent, Runner, tool } from "@openai/agents";
import { Gate } from "@countersign/client";
import { wrapTool } from "@countersign/client/openai-agents";
import { z } from "zod";
import { model } from "./scripted_model.js";

const gate = new Gate(); // COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN
const approvedTool = wrapTool(gate, tool);

const deploy = approvedTool({
  name: "deploy",
  description: "Deploys a service.",
  parameters: z.object({ service: z.string() }),
  execute: async ({ service }) => `deployed ${service}`,
});

const agent = new Agent({ name: "builder", instructions: "Deploy services.", model, tools: [deploy] });
const result = await new Runner({ tracingDisabled: true }).run(agent, "Deploy the shop.");
console.log(result.finalOutput);
