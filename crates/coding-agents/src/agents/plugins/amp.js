// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now
const about = (event, context) => ({
  thread: event.thread?.id ?? context.thread?.id ?? "amp",
  id: event.toolUseID,
  tool: event.tool,
  arguments: event.input,
  folder: process.cwd(),
});

export default function (amp) {
  amp.on("tool.call", async (event, context) => {
    try {
      return { action: "modify", input: await ask(about(event, context)) };
    } catch (error) {
      return { action: "reject-and-continue", message: String(error.message) };
    }
  });
  amp.on("tool.result", async (event, context) => {
    const outcome = event.error ? { error: String(event.error) } : { result: event.output ?? null };
    await report({ event: "after", ...about(event, context), ...outcome });
  });
}
