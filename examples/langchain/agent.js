// An agent of LangChain whose tools ask before they run.
import { Gate } from "@countersign/client";
import { approvalMiddleware } from "@countersign/client/langchain";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { model } from "./scripted_model.js";

const gate = new Gate(); // COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN

const deploy = tool(async ({ service }) => `deployed ${service}`, {
  name: "deploy",
  description: "Deploys a service.",
  schema: z.object({ service: z.string() }),
});

const agent = createAgent({ model, tools: [deploy], middleware: [approvalMiddleware(gate)] });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Deploy the shop." }] });
console.log(messages.at(-1).text);
