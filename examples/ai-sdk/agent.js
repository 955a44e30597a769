// An AI SDK agent whose tools ask before they run.
import { generateText, stepCountIs, tool } from "ai";
import { Gate } from "@countersign/client";
import { approveTools } from "@countersign/client/ai-sdk";
import { z } from "zod";
import { model } from "./scripted_model.js";

const gate = new Gate(); // COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN

const tools = approveTools(gate, {
  deploy: tool({
    description: "Deploys a service.",
    inputSchema: z.object({ service: z.string() }),
    execute: async ({ service }) => `deployed ${service}`,
  }),
});

const { text } = await generateText({ model, tools, stopWhen: stepCountIs(5), prompt: "Deploy the shop." });
console.log(text);
