// One version of Agent World's client against the server: a person says something, the agent tries a tool, the client shows the
// request, the person decides in the client, and the client shows what the agent says then.

const path = require('node:path');
const { URL: server, PERSON, AGENT, VERSION, COMMIT } = process.env;
const folder = process.argv[2];

// What the client expects of a browser.
globalThis.window ??= { addEventListener() {}, location: { pathname: '/', hash: '' }, history: {} };
globalThis.document ??= { addEventListener() {}, querySelector: () => null, getElementById: () => null, body: {} };
globalThis.localStorage ??= { getItem: () => null, setItem() {} };
for (const level of ['log', 'warn', 'error', 'debug']) {
  const write = console[level].bind(console);
  console[level] = (...words) => process.env.VERBOSE && write(...words);
}
const report = (line) => process.stdout.write(`${line}\n`);

// The client has paths, and its page a session. Here it has the token of a person.
const send = globalThis.fetch;
const requests = [];
const streams = [];
globalThis.fetch = async (target, options = {}) => {
  requests.push(`${options.method} ${target}`);
  const headers = { ...options.headers, authorization: `Bearer ${PERSON}` };
  const answer = await send(server + target, { ...options, headers });
  streams.push(answer.clone().text());
  return answer;
};

async function call(token, method, target, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await send(server + target, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

async function until(what, look) {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = await look();
    if (found) return found;
    await new Promise((wake) => setTimeout(wake, 25));
  }
  throw new Error(`waited in vain: ${what}`);
}

/** The page: the state that the client's handlers make of its events. */
class Page {
  constructor(app, handlers, world) {
    this.state = { worldName: world, messages: [], world: { name: world, agents: [], chats: [] }, userInput: '' };
    this.handlers = handlers;
    this.pending = [];
    for (const name of Object.keys(handlers)) {
      app.off?.(name);
      app.on(name, (...data) => this.handle(name, ...data));
    }
  }

  async handle(name, ...data) {
    const next = this.handlers[name](this.state, ...data);
    const state = next instanceof Promise ? await next : next;
    if (state && typeof state === 'object') this.state = state;
  }

  /** The request that the client shows: in its dialog, or in the chat. */
  request() {
    const inline = this.state.messages.find((message) => message.isToolCallRequest)?.toolCallData;
    return this.state.approvalRequest ?? inline;
  }
}

const shell = (id, command) => ({ toolName: 'shell_cmd', toolArgs: { command }, toolCallId: id });

async function play({ app, handlers }, [decision, scope], number) {
  const world = `w-${COMMIT}-${number}`;
  const page = new Page(app, handlers, world);
  const check = (id) => call(AGENT, 'POST', `/worlds/${world}/tool-calls`, shell(id, 'ls -la'));
  const say = (message) => call(AGENT, 'POST', `/v1/threads/${world}/messages`, { format: 'openai', message });
  page.state.userInput = '@a1, list the files';
  await page.handle('send-message');
  const proposed = { id: 'tool_1', type: 'function', function: { name: 'shell_cmd', arguments: '{"command":"ls -la"}' } };
  await say({ role: 'assistant', content: 'I look.', tool_calls: [proposed] });
  const stopped = await check('tool_1');
  if (!stopped._stopProcessing) throw new Error('the agent was not stopped');
  const request = await until('the client shows the request', () => page.request());
  if (request.toolName !== 'shell_cmd' || request.toolArgs.command !== 'ls -la') throw new Error(JSON.stringify(request));
  await page.handle('submit-approval-decision', { decision, scope, toolCallId: request.toolCallId });
  if (page.state.error) throw new Error(page.state.error);
  if (decision === 'deny' && VERSION === '2025-11-04') {
    const asked = await check('tool_2');
    if (!asked.needsApproval) throw new Error('this version sends no denial');
    return 'the client sends no denial; the request stays open';
  }
  const decided = await until('the decision arrives', async () => {
    const answer = await check('tool_2');
    return answer.needsApproval ? null : answer;
  });
  if (decided.canExecute !== (decision === 'approve')) throw new Error(JSON.stringify(decided));
  if (decided.canExecute) {
    const target = `/v1/threads/${world}/tool-calls/${decided.call.id}`;
    await call(AGENT, 'POST', `${target}/claim`, { executor: 'a1', argumentsHash: decided.call.argumentsHash });
    await call(AGENT, 'POST', `${target}/result`, { executor: 'a1', status: 'success', content: 'a.txt b.txt' });
  }
  await say({ role: 'assistant', content: 'There are two files.' });
  const shown = () => page.state.messages.some((message) => message.text === 'There are two files.');
  await until('the client shows the answer', shown);
  const other = await call(AGENT, 'POST', `/worlds/${world}/tool-calls`, shell('tool_3', 'ls /tmp'));
  if (other.canExecute !== (scope === 'session')) throw new Error(`another call: ${JSON.stringify(other)}`);
  const view = await call(AGENT, 'GET', `/v1/threads/${world}/messages?for=model&format=openai`);
  const text = JSON.stringify(view.messages);
  if (!text.includes('tool_1') || text.includes('__type') || text.includes('requestApproval')) throw new Error(text);
  return 'request shown, decision made, answer shown';
}

/** What the parser of the CLI reads in a stream: the first request for an approval. */
async function parse({ handleToolCallEvents }, stream) {
  const lines = (await stream).split('\n').filter((line) => line.startsWith('data: '));
  const messages = lines.map((line) => JSON.parse(line.slice(6))).filter((event) => event.type === 'message');
  const read = messages.map((event) => handleToolCallEvents(event.data));
  return read.find((found) => found?.isApprovalRequest)?.approvalData;
}

async function main() {
  let failed = 0;
  const client = require(path.join(folder, 'client.cjs'));
  let number = 0;
  for (const choice of [['approve', 'once'], ['approve', 'session'], ['deny', 'none']]) {
    number += 1;
    const outcome = await play(client, choice, number).catch((why) => {
      failed = 1;
      return `FAILED: ${why.message}`;
    });
    report(`web ${VERSION} (${COMMIT}) ${choice.join(' ')}: ${outcome}`);
  }
  const parser = require(path.join(folder, 'parser.cjs'));
  if (parser.handleToolCallEvents) {
    const read = await parse(parser, streams[0]);
    const found = read && `${read.toolName} of ${read.agentId}, ${read.toolCallId}`;
    failed = found ? failed : 1;
    report(`cli parser ${VERSION} (${COMMIT}): ${found ?? 'FAILED: reads no request'}`);
  }
  report(`web ${VERSION} (${COMMIT}) sent: ${[...new Set(requests.map((line) => line.replace(/w-[^/]*/, 'W')))].join(', ')}`);
  process.exit(failed);
}

main();
