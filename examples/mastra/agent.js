// An agent of Mastra whose tools ask before they run.
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Gate } from "@countersign/client";
import { approveTools } from "@countersign/client/mastra";
import { z } from "zod";
import { model } from "./scripted_model.js";

const gate = new Gate(); // COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN

const deploy = createTool({
  id: "deploy",
  description: "Deploys a service.",
  inputSchema: z.object({ service: z.string() }),
  execute: async ({ service }) => `deployed ${service}`,
});

const agent = new Agent({
  id: "builder",
  name: "builder",
  instructions: "Deploy services.",
  model,
  tools: approveTools(gate, { deploy }),
});

const { text } = await agent.generate("Deploy the shop.");
console.log(text);
