// Scripted models: each answer makes the calls of the next step, and the last one ends the turn.
import http from "node:http";

const COMMAND = "touch ran.txt";

function events(list) {
  return list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/// The step that follows after so many results, if there is one.
function findStep(steps, results) {
  let before = 0;
  for (const step of steps) {
    if (before === results) return step;
    before += step.length;
  }
  return undefined;
}

/// The Messages API, as Claude Code uses it.
function answerMessages(body, steps) {
  // A hook may add a message after the one with the results.
  const parts = (body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const results = parts.filter((part) => part.type === "tool_result");
  const calls = body.tools?.some((tool) => tool.name === "Bash") ? findStep(steps, results.length) : undefined;
  const callsTools = calls !== undefined;
  const blocks = callsTools ? calls.map(callBlock) : [[{ type: "text", text: "" }, { type: "text_delta", text: "done" }]];
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  const stop_reason = callsTools ? "tool_use" : "end_turn";
  return {
    results: results.map((part) => JSON.stringify(part.content)),
    text: events([
      { type: "message_start", message },
      ...blocks.flatMap(([block, delta], index) => [
        { type: "content_block_start", index, content_block: block },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ]),
  };
}

function callBlock({ id, name, input }) {
  return [
    { type: "tool_use", id, name, input: {} },
    { type: "input_json_delta", partial_json: JSON.stringify(input) },
  ];
}

/// One call of the Responses API. A tool whose input is text is a custom tool.
function callItem({ id, name, input }) {
  const call = { id: `item_${id}`, call_id: id, name };
  if (typeof input === "string") return { type: "custom_tool_call", ...call, input };
  return { type: "function_call", ...call, arguments: JSON.stringify(input) };
}

/// The Responses API, as Codex uses it.
function answerResponses(body, steps) {
  const outputs = body.input?.filter((item) => item.type?.endsWith("call_output")) ?? [];
  const message = { type: "message", role: "assistant", id: "m", content: [{ type: "output_text", text: "done" }] };
  const items = findStep(steps, outputs.length)?.map(callItem) ?? [message];
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return {
    results: outputs.map((output) => JSON.stringify(output.output)),
    text: events([
      { type: "response.created", response: { id: "r" } },
      ...items.map((item) => ({ type: "response.output_item.done", item })),
      { type: "response.completed", response: { id: "r", usage } },
    ]),
  };
}

/// The shell of each agent that uses the Chat Completions API.
const SHELLS = { run_shell_command: { command: COMMAND, description: "x", is_background: false }, bash: { command: COMMAND, description: "x" }, run_commands: { commands: [COMMAND] } };

/// The Chat Completions API, as most other agents use it.
function answerChat(body) {
  const results = body.messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
  const tool = body.tools?.map((tool) => tool.function.name).find((name) => name in SHELLS);
  const callsTool = tool !== undefined && results.length === 0;
  const call = { index: 0, id: "call_1", type: "function", function: { name: tool, arguments: JSON.stringify(SHELLS[tool]) } };
  const delta = callsTool ? { role: "assistant", content: null, tool_calls: [call] } : { role: "assistant", content: "done" };
  const ends = { delta: {}, finish_reason: callsTool ? "tool_calls" : "stop" };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const chunks = [{ delta, finish_reason: null }, ends].map((choice) => ({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }], usage }));
  return { results, text: `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n` };
}

/// The interface that a request is for.
function answerFor(url) {
  if (url.includes("chat/completions")) return answerChat;
  return url.includes("/responses") ? answerResponses : answerMessages;
}

/// The call of a command by each API.
const DEFAULT_CALLS = {
  messages: [{ id: "toolu_01A", name: "Bash", input: { command: COMMAND } }],
  responses: [{ id: "call_1", name: "exec_command", input: { cmd: COMMAND } }],
};

/// Serves the APIs on a free port of this machine. `results` has what the model got from its tools, and `requests` the whole
/// requests as text. `calls` are the calls of its only step; `play` sets the steps of the next task, each with its calls.
export async function startModel(calls) {
  const results = [];
  const requests = [];
  let steps = calls && [calls];
  const server = http.createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      if (request.method !== "POST" || request.url.includes("count_tokens")) {
        response.setHeader("content-type", "application/json");
        response.end('{"models": [], "data": [], "input_tokens": 1}');
        return;
      }
      const kind = request.url.includes("/responses") ? "responses" : "messages";
      const answer = answerFor(request.url)(JSON.parse(text), steps ?? [DEFAULT_CALLS[kind]]);
      results.push(...answer.results);
      requests.push(text);
      response.setHeader("content-type", "text/event-stream");
      response.end(answer.text);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const play = (script) => {
    steps = script;
    results.length = 0;
  };
  return { results, requests, play, url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}
