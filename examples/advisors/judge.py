#!/usr/bin/env python3
"""A small advisor: it answers over HTTP, or, with --once, as a program that reads one question."""
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

def judge(question):
    call = question["call"]
    command = str(call["arguments"].get("command", ""))
    if call["hiddenCharacters"] or call["mixedScripts"]:
        return {"advice": "deny", "reason": "the call has characters that hide its effect", "labels": ["hidden"]}
    if command in ("make", "make test", "git fetch", "git status"):
        return {"advice": "allow", "reason": "routine work in the project", "confidence": 0.95}
    return {"advice": "ask"}

class Advisor(BaseHTTPRequestHandler):
    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = json.dumps(judge(question)).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

if "--once" in sys.argv:
    print(json.dumps(judge(json.load(sys.stdin))))
else:
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8787), Advisor)
    print(server.server_port, flush=True)
    server.serve_forever()
