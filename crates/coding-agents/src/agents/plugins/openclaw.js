const about = (event, context) => ({
  thread: context.sessionKey ?? context.sessionId ?? "openclaw",
  id: event.toolCallId ?? context.toolCallId,
  tool: event.toolName,
  arguments: event.params ?? {},
});

export default {
  id: "countersign",
  name: "Countersign",
  description: "Approvals before tools",
  register(api) {
    api.on("before_tool_call", async (event, context) => {
      try {
        return { params: await ask(about(event, context)) };
      } catch (error) {
        return { block: true, blockReason: String(error.message) };
      }
    }, { timeoutMs: 620_000 });
    api.on("after_tool_call", async (event, context) => {
      const outcome = event.error ? { error: String(event.error) } : { result: event.result ?? null };
      await report({ event: "after", ...about(event, context), ...outcome });
    });
  },
};
