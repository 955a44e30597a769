// A server whose clock this process sets, and its callers, who say who they are.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Agent } from "../support/inbox.js";

/** A caller by name, such as `agent:builder`. The server trusts this machine. */
class NamedCaller extends Agent {
  constructor(server, principal) {
    super(server, "");
    this.headers = { "countersign-principal": principal, "content-type": "application/json" };
  }
}

export class Past {
  #child;
  #lines;

  /** Starts a server over a new log. @param {string} folder @param {string} beginsAt */
  static async start(folder, beginsAt) {
    const past = new Past();
    const options = { database: join(folder, "log.db"), past: { beginsAt, keyFile: join(folder, "webhook.key") } };
    const program = join(dirname(process.env.COUNTERSIGN_PROGRAM), "countersign-player");
    past.#child = spawn(program, [JSON.stringify(options)], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    past.#lines = createInterface({ input: past.#child.stdout })[Symbol.asyncIterator]();
    const { listening, failed } = await past.#read();
    if (!listening) throw new Error(`the server did not start: ${failed}`);
    past.url = `http://${listening}`;
    past.pages = `http://countersign.localhost:${listening.split(":").pop()}`;
    return past;
  }

  async #read() {
    const { value } = await this.#lines.next();
    return JSON.parse(value ?? "{}");
  }

  /** Sets the server's clock. @param {number} moment */
  async setTime(moment) {
    this.#child.stdin.write(`${new Date(moment).toISOString()}\n`);
    await this.#read();
  }

  /** @param {string} principal */
  as(principal) {
    return new NamedCaller(this, principal);
  }

  stop() {
    this.#child.stdin.end();
  }
}
