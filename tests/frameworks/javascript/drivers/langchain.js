// An agent of LangChain with the middleware.
import { createAgent, tool } from "langchain";
import { approvalMiddleware } from "@countersign/client/langchain";
import { ScriptedModel } from "./langchain_model.js";

export default {
  errorsEndTheRun: true,
  async run({ gate, calls, tools, options, signal }) {
    const results = new Map();
    const agent = createAgent({
      model: new ScriptedModel(calls, results),
      tools: Object.entries(tools).map(([name, { description, schema, execute }]) => tool(execute, { name, description, schema })),
      middleware: [approvalMiddleware(gate, options)],
    });
    await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { signal });
    return results;
  },
};
