export const Countersign = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const { sessionID: thread, callID: id, tool } = input;
    const approved = await ask({ thread, id, tool, arguments: output.args, folder: directory });
    // The tool gets this object, so it is changed in place.
    for (const name of Object.keys(output.args)) delete output.args[name];
    Object.assign(output.args, approved);
  },
  "tool.execute.after": async (input, output) => {
    const { sessionID: thread, callID: id, tool, args } = input;
    await report({ event: "after", thread, id, tool, arguments: args, result: output.output ?? null });
  },
  event: async ({ event }) => {
    if (event.type === "session.idle") await report({ event: "end", thread: event.properties.sessionID });
  },
});
