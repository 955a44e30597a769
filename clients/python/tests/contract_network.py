"""The contract's network: forwards requests to the server one by one, and loses or replaces some on command."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import defaultdict
from dataclasses import dataclass

STEP_SECONDS = 60.0


@dataclass
class PlannedFault:
    """What happens to the next requests of one kind."""

    fault: str
    to: str
    left: int
    answer: bytes = b""


def request_kind(method: str, path: str, headers: dict[str, str]) -> str:
    """The request's operation, as the stories name it."""
    path = path.partition("?")[0]
    if "text/event-stream" in headers.get("accept", ""):
        return "stream"
    if method == "POST":
        if path.endswith("/tool-calls"):
            return "propose"
        last = path.rpartition("/")[2]
        named = {"claim": "claim", "renew": "renew", "result": "finish", "cancel": "cancel"}
        return named.get(last, "decide" if "/approvals/" in path else "other")
    if method == "GET" and "/tool-calls/" in path:
        return "wait" if "wait=" in headers.get("prefer", "") else "read"
    return "other"


def error_answer(
    status: int, code: str | None, reason: str | None = None, detail: str = "as planned", retry_after: int | None = None
) -> bytes:
    """An answer that the server did not give: a problem, or a proxy's error page if there is no code."""
    problem = {"title": "", "status": status, "code": code, "detail": detail, "reason": reason}
    body = json.dumps({name: value for name, value in problem.items() if value is not None}) if code else "<html></html>"
    kind = "application/problem+json" if code else "text/html"
    pause = "" if retry_after is None else f"retry-after: {retry_after}\r\n"
    head = f"HTTP/1.1 {status} Planned\r\ncontent-type: {kind}\r\n{pause}connection: close\r\ncontent-length: {len(body)}\r\n\r\n"
    return (head + body).encode()


class FaultyNetwork:
    """A proxy on a port of its own, in a thread of its own."""

    def __init__(self) -> None:
        self.target = ("127.0.0.1", 0)
        self._faults: list[PlannedFault] = []
        self._seen: defaultdict[str, list[float]] = defaultdict(list)
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="network", daemon=True)
        self._thread.start()
        listening = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(listening, self._loop).result()
        self.url = "http://127.0.0.1:%d" % self._server.sockets[0].getsockname()[1]

    def plan(self, fault: str, to: str, times: int, answer: bytes = b"") -> None:
        with self._changed:
            self._faults.append(PlannedFault(fault, to, times, answer))

    def unused_faults(self) -> list[PlannedFault]:
        return self._faults

    def await_requests(self, kind: str, times: int) -> None:
        with self._changed:
            arrived = self._changed.wait_for(lambda: len(self._seen[kind]) >= times, STEP_SECONDS)
            assert arrived, f"{len(self._seen[kind])} requests to {kind}"

    def arrivals(self, kind: str) -> list[float]:
        """When the requests of this kind arrived."""
        with self._changed:
            return list(self._seen[kind])

    def _note(self, kind: str) -> PlannedFault | None:
        with self._changed:
            self._seen[kind].append(time.monotonic())
            self._changed.notify_all()
            fault = next((fault for fault in self._faults if fault.to == kind), None)
            if fault is not None:
                fault.left -= 1
                if fault.left == 0:
                    self._faults.remove(fault)
            return fault

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve_request(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # Either side has gone, or the story has ended, and so does this connection.
        finally:
            writer.close()

    async def _serve_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip("\r\n").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        method, path, _ = first.split(" ")
        fault = self._note(request_kind(method, path, headers))
        if fault is not None and fault.fault == "lose_request":
            return
        if fault is not None and fault.fault == "answer":
            writer.write(fault.answer)
            await writer.drain()
            return
        # The server closes the connection after its answer, so the answer's end needs no parsing.
        kept = [line for line in lines if not line.lower().startswith("connection:")]
        request = "\r\n".join([first, *kept, "connection: close", "", ""]).encode("latin-1") + body
        from_server, to_server = await asyncio.open_connection(*self.target)
        try:
            to_server.write(request)
            answer = asyncio.ensure_future(self._relay(from_server, None if fault else writer))
            gone = asyncio.ensure_future(reader.read(1))
            await asyncio.wait([answer, gone], return_when=asyncio.FIRST_COMPLETED)
            gone.cancel()
            answer.cancel()
        finally:
            to_server.close()

    async def _relay(self, source: asyncio.StreamReader, to: asyncio.StreamWriter | None) -> None:
        while chunk := await source.read(65536):
            if to is not None:
                to.write(chunk)
                await to.drain()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end_connections(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end_connections(self) -> None:
        self._server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
