// One HTTP client with one persistent connection.

import http from "node:http";

export class Client {
  constructor(port, tokens) {
    this.port = port;
    this.tokens = tokens;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  }

  /** Sends a request and returns the body of the answer. Fails unless the answer is a success. */
  send(method, path, value) {
    const body = value === undefined ? "" : JSON.stringify(value);
    const headers = { "content-length": Buffer.byteLength(body) };
    if (body) headers["content-type"] = "application/json";
    if (this.tokens) headers.authorization = `Bearer ${path.includes("/approvals/") ? this.tokens.person : this.tokens.agent}`;
    const options = { host: "127.0.0.1", port: this.port, agent: this.agent, method, path, headers };
    return new Promise((resolve, reject) => {
      const request = http.request(options, (answer) => {
        const chunks = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if (answer.statusCode < 300) resolve(text);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
        });
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  close() {
    this.agent.destroy();
  }
}
