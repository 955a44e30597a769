// A graph of LangGraph whose node has wrapped tools.
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { tool } from "@langchain/core/tools";
import { approveTools } from "@countersign/client/langchain";
import { ScriptedModel } from "./langchain_model.js";

export default {
  async run({ gate, calls, tools, options, signal }) {
    const results = new Map();
    const model = new ScriptedModel(calls, results);
    const defined = Object.entries(tools).map(([name, { description, schema, execute }]) => tool(execute, { name, description, schema }));
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("tools", new ToolNode(approveTools(gate, defined, options)))
      .addEdge(START, "model")
      .addConditionalEdges("model", toolsCondition, ["tools", END])
      .addEdge("tools", "model")
      .compile();
    await graph.invoke({ messages: [{ role: "user", content: "go" }] }, { signal });
    return results;
  },
};
