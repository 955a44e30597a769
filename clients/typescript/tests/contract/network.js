// The contract's network: forwards requests to the server one by one, and loses or replaces some on command.
import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";

export class FaultyNetwork {
  #faults = [];
  #arrivals = new Map();
  #waiting = new Set();
  #server = createServer((request, response) => this.#serve(request, response));

  // Starts the network before the server at this URL.
  static async before(target) {
    const network = new FaultyNetwork();
    network.target = target;
    network.#server.listen(0, "127.0.0.1");
    await once(network.#server, "listening");
    network.url = `http://127.0.0.1:${network.#server.address().port}`;
    return network;
  }

  plan(fault, to, times, answer) {
    this.#faults.push({ fault, to, left: times, answer });
  }

  get unusedFaults() {
    return this.#faults.map(({ fault, to }) => `${fault} ${to}`);
  }

  // When the requests of this kind arrived.
  arrivals(kind) {
    return this.#arrivals.get(kind) ?? [];
  }

  // Waits until `times` requests of this kind have arrived since the start.
  awaitRequests(kind, times) {
    return new Promise((resolve) => {
      const check = () => {
        if (this.arrivals(kind).length >= times) {
          this.#waiting.delete(check);
          resolve();
        }
      };
      this.#waiting.add(check);
      check();
    });
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #serve(request, response) {
    const kind = requestKind(request);
    this.#arrivals.set(kind, [...this.arrivals(kind), performance.now()]);
    const planned = this.#faults.find(({ to }) => to === kind);
    if (planned) {
      planned.left -= 1;
      this.#faults = this.#faults.filter(({ left }) => left > 0);
    }
    for (const check of [...this.#waiting]) {
      check();
    }
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      if (planned?.fault === "lose_request") {
        request.socket.destroy();
      } else if (planned?.fault === "answer") {
        sendAnswer(response, planned.answer);
      } else {
        this.#forward(request, Buffer.concat(chunks), response, planned !== undefined);
      }
    });
    request.on("error", () => response.destroy());
  }

  #forward(request, body, response, losesAnswer) {
    const { hostname, port } = new URL(this.target);
    const { method, url, headers } = request;
    const forwarded = sendRequest({ hostname, port, method, path: url, headers, agent: false }, (answer) => {
      answer.on("error", () => request.socket.destroy());
      if (losesAnswer) {
        answer.resume().on("end", () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    forwarded.on("error", () => request.socket.destroy());
    response.on("close", () => forwarded.destroy());
    forwarded.end(body);
  }
}

// An answer that the server did not give: a problem, or a proxy's error page if there is no code.
function sendAnswer(response, { status, code, reason, detail = "as planned", retry_after }) {
  const headers = { "content-type": code ? "application/problem+json" : "text/html", connection: "close" };
  if (retry_after !== undefined) {
    headers["retry-after"] = String(retry_after);
  }
  response.writeHead(status, headers);
  response.end(code ? JSON.stringify({ title: "", status, code, detail, reason }) : "<html></html>");
}

// The request's operation, as the stories name it.
function requestKind({ method, url, headers }) {
  const path = url.split("?")[0];
  if ((headers.accept ?? "").includes("text/event-stream")) {
    return "stream";
  }
  if (method === "POST") {
    const kinds = { "tool-calls": "propose", claim: "claim", renew: "renew", result: "finish", cancel: "cancel" };
    return kinds[path.split("/").at(-1)] ?? (path.includes("/approvals/") ? "decide" : "other");
  }
  if (method === "GET" && path.includes("/tool-calls/")) {
    return (headers.prefer ?? "").includes("wait=") ? "wait" : "read";
  }
  return "other";
}
