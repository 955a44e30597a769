// The test agent: its tools, and the calls that its scripted model makes in one turn.
import { appendFileSync } from "node:fs";
import { z } from "zod";

// Each run of a tool adds a line to this file. It outlives a killed process.
function noteRun(runs, name, args) {
  appendFileSync(runs, `${JSON.stringify([name, args])}\n`);
}

export function storyTools(runs) {
  return {
    deploy: {
      description: "Deploys a service.",
      schema: z.object({
        service: z.string().min(2).refine((service) => !service.includes(" "), "a service has no blanks"),
        replicas: z.number().int().max(10).default(1),
      }),
      execute: async (args) => {
        noteRun(runs, "deploy", args);
        return `deployed ${args.service} with ${args.replicas}`;
      },
    },
    read_file: {
      description: "Reads a file.",
      schema: z.object({ path: z.string() }),
      execute: async (args) => {
        noteRun(runs, "read_file", args);
        return `content of ${args.path}`;
      },
    },
    wipe: {
      description: "Deletes everything.",
      schema: z.object({}),
      execute: async (args) => {
        noteRun(runs, "wipe", args);
        return "wiped";
      },
    },
    fail: {
      description: "Fails.",
      schema: z.object({ reason: z.string() }),
      execute: async (args) => {
        noteRun(runs, "fail", args);
        throw new Error(`the disk is full: ${args.reason}`);
      },
    },
  };
}

export const POLICY = `
[[rule]]
name = "no-wipe"
tool = "wipe"
verdict = "block"
reason = "wiping is forbidden"

[[rule]]
name = "reads"
tool = "read_file"
verdict = "allow"
`;
