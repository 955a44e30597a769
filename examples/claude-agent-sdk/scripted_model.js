// A model that needs no API key: a server with the API of Claude. It calls Bash once, and then repeats the answer.
import { randomUUID } from "node:crypto";
import http from "node:http";

export async function startModel() {
  const server = http.createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) {
      text += chunk;
    }
    if (request.method !== "POST" || request.url.includes("count_tokens")) {
      response.setHeader("content-type", "application/json");
      response.end('{"data": [], "input_tokens": 1}');
      return;
    }
    response.setHeader("content-type", "text/event-stream");
    response.end(answer(JSON.parse(text)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`, ANTHROPIC_API_KEY: "none" },
    stop: () => server.close(),
  };
}

function answer({ messages, tools = [] }) {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const result = parts.find((part) => part.type === "tool_result");
  const callsTool = !result && tools.some((tool) => tool.name === "Bash");
  const input = JSON.stringify({ command: "echo deployed shop", description: "Deploys the shop." });
  const text = `The tool answered: ${JSON.stringify(result?.content)}`;
  const [block, delta] = callsTool
    ? [toolUse(), { type: "input_json_delta", partial_json: input }]
    : [{ type: "text", text: "" }, { type: "text_delta", text }];
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  const stop_reason = callsTool ? "tool_use" : "end_turn";
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function toolUse() {
  return { type: "tool_use", id: `toolu_${randomUUID()}`, name: "Bash", input: {} };
}
