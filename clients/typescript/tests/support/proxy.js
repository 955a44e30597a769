// A proxy in front of a server that breaks connections: it withholds answers after the server has acted.
import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";

// Starts a proxy. `proxy.cut(method, path, times)` withholds the next answers to such requests, and `proxy.cuts` counts them.
export async function startProxy(t, target) {
  const proxy = { target, rules: [], cuts: 0, cut: (method, path, times) => proxy.rules.push({ method, path, times }) };
  const server = createServer((request, response) => {
    const { hostname, port } = new URL(proxy.target);
    const { method, url, headers } = request;
    const forwarded = sendRequest({ hostname, port, method, path: url, headers }, (answer) => {
      const rule = proxy.rules.find((one) => one.times > 0 && one.method === method && one.path.test(url));
      if (!rule) {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
        answer.on("error", () => response.destroy());
        return;
      }
      rule.times -= 1;
      answer.resume().on("end", () => {
        proxy.cuts += 1;
        request.socket.destroy();
      });
    });
    forwarded.on("error", () => request.socket.destroy());
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => { server.closeAllConnections(); server.close(); });
  proxy.url = `http://127.0.0.1:${server.address().port}`;
  proxy.breakConnections = () => server.closeAllConnections();
  return proxy;
}

// Starts a server that answers each request with `answer(request, response)`.
export async function startHostileServer(t, answer) {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => { server.closeAllConnections(); server.close(); });
  return `http://127.0.0.1:${server.address().port}`;
}
