"""The asynchronous client, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import httpx

from .errors import CountersignError
from .event_stream import EventReader, StreamPosition
from .gate_core import GateCore
from .operations import list_query
from .replies import make_error, reply_error
from .resumption import CallRegister
from .settings import ClientSettings
from .started_call import AsyncStartedCall, BeginOptions, Unpack
from .steps import Effect, HttpReply, PauseFor, RunTool, SendRequest, Steps, ToolOutcome
from .transport import client_options, failure, no_answer, request_arguments
from .types import Event

P = ParamSpec("P")
T = TypeVar("T")

LoopClients: TypeAlias = "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient]"


def _awaitable(
    operation: Callable[Concatenate[GateCore, P], Steps[T]],
) -> Callable[Concatenate[AsyncGate, P], Coroutine[Any, Any, T]]:
    """The method that carries out an operation and returns its outcome."""

    @functools.wraps(operation)
    async def method(self: AsyncGate, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.carry_out(operation(self.core, *args, **kwargs))

    return method


class AsyncGate:
    """A client for a Countersign server. It may be used in several event loops, one after the other, because each has
    connections of its own.

    Without arguments, it reads ``COUNTERSIGN_SERVER`` and ``COUNTERSIGN_TOKEN``.
    """

    def __init__(
        self,
        server: str | None = None,
        token: str | None = None,
        *,
        thread: str | None = None,
        place: Mapping[str, Any] | None = None,
        timeout: float = 30.0,
        tls_ca: str | None = None,
        headers: Mapping[str, str] | None = None,
        quiet: bool | None = None,
        settings: ClientSettings | None = None,
        register: CallRegister | None = None,
    ) -> None:
        if settings is None:
            settings = ClientSettings.from_environment(
                server, token, thread=thread, place=place, timeout=timeout, tls_ca=tls_ca, headers=headers, quiet=quiet
            )
        self.settings = settings
        self.core = GateCore(settings, register)
        settings.base_url  # Raises an error if the address is invalid.
        self._clients: LoopClients = weakref.WeakKeyDictionary()
        # The synchronous client with the same settings, which that client keeps here.
        self._sync: Any = None

    propose = _awaitable(GateCore.propose)
    wait = _awaitable(GateCore.wait)
    get = _awaitable(GateCore.get)
    claim = _awaitable(GateCore.claim)
    renew = _awaitable(GateCore.renew)
    finish = _awaitable(GateCore.finish)
    cancel = _awaitable(GateCore.cancel)
    heartbeat = _awaitable(GateCore.heartbeat)
    decide = _awaitable(GateCore.decide)
    decide_all = _awaitable(GateCore.decide_all)
    pending = _awaitable(GateCore.pending)
    calls = _awaitable(GateCore.calls)
    events = _awaitable(GateCore.events)
    caller = _awaitable(GateCore.caller)
    ready = _awaitable(GateCore.ready)
    call_tool = _awaitable(GateCore.call_tool)
    _begin = _awaitable(GateCore.begin)

    async def begin(self, name: str, arguments: Mapping[str, Any], **options: Unpack[BeginOptions]) -> AsyncStartedCall:
        """Proposes a call, waits, and claims it, with the options of ``call_tool``. Run the returned ``arguments``, and then
        call its ``finish``, ``fail`` or ``cancel``. Its lease is renewed until then. Raises a :class:`NotRunError` with the text
        for the model if the call does not run."""
        return AsyncStartedCall(self, await self._begin(name, arguments, **options))

    def in_thread(self, thread: str) -> AsyncGate:
        """The same client, whose calls belong to ``thread``. It shares the connections."""
        other = object.__new__(type(self))
        other.settings = ClientSettings(**{**vars(self.settings), "thread": thread})
        other.core = GateCore(other.settings, self.core.register)
        other._clients = self._clients
        other._sync = None
        return other

    def stream(
        self,
        *,
        thread: str | None = None,
        types: Sequence[str] = (),
        tool: str | None = None,
        principal: str | None = None,
        after: int | str = 0,
        give_up_after: float | None = 120.0,
    ) -> AsyncEventStream:
        """Follows the log: first the events after the cursor ``after``, then new ones as they occur.

        A broken connection is resumed without a gap or a repeat. The stream fails if the server is unavailable for
        ``give_up_after`` seconds; with ``None``, never. The stream's ``cursor`` resumes it in another process.
        """
        query = list_query(type=list(types), tool=tool, principal=principal)
        return AsyncEventStream(self, self.settings, StreamPosition(thread, query, after, give_up_after))

    @property
    def _client(self) -> httpx.AsyncClient:
        """The running event loop's connections."""
        loop = asyncio.get_running_loop()
        if (client := self._clients.get(loop)) is None:
            # A loop that was closed before its client keeps the sockets open as long as the client exists.
            for other in list(self._clients):
                if other.is_closed():
                    self._clients.pop(other, None)
            socket = self.settings.socket
            transport = None if socket is None else httpx.AsyncHTTPTransport(uds=socket)
            client = httpx.AsyncClient(**client_options(self.settings), transport=transport)
            self._clients[loop] = client
        return client

    async def carry_out(self, steps: Steps[T]) -> T:
        """Carries out an operation's steps."""
        try:
            effect = next(steps)
            while True:
                try:
                    outcome = await self._perform(effect)
                except BaseException as error:
                    effect = steps.throw(error)
                else:
                    effect = steps.send(outcome)
        except StopIteration as end:
            value: T = end.value
            return value

    async def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, SendRequest):
            return await self._send(effect)
        if isinstance(effect, PauseFor):
            return await asyncio.sleep(effect.seconds)
        return await self._run_tool(effect)

    async def _send(self, request: SendRequest) -> HttpReply:
        try:
            response = await self._client.request(**request_arguments(request, self.settings))
        except httpx.HTTPError as error:
            raise failure(error, self.settings) from error
        headers = {name.lower(): value for name, value in response.headers.items()}
        return HttpReply(response.status_code, headers, response.content)

    async def _run_tool(self, effect: RunTool) -> ToolOutcome:
        renewal = asyncio.ensure_future(self._renew_lease(effect))
        try:
            value = effect.run()
            return ToolOutcome(await value if inspect.isawaitable(value) else value)
        except Exception as error:
            return ToolOutcome(error=error)
        finally:
            renewal.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([renewal])

    async def _renew_lease(self, effect: RunTool) -> None:
        while True:
            await asyncio.sleep(effect.interval)
            if not await self.carry_out(effect.renew()):
                return

    async def close(self) -> None:
        """Closes the running event loop's connections."""
        if client := self._clients.pop(asyncio.get_running_loop(), None):
            await client.aclose()

    async def __aenter__(self) -> AsyncGate:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncEventStream:
    """The logged events, in order, each once. Close it, or use it in an ``async with`` statement."""

    def __init__(self, gate: AsyncGate, settings: ClientSettings, position: StreamPosition) -> None:
        self._gate, self._settings, self._position = gate, settings, position
        self._events = self._follow()

    @property
    def cursor(self) -> str:
        """The place after the last event that this stream returned."""
        return self._position.cursor

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        return await anext(self._events)

    async def _follow(self) -> AsyncGenerator[Event, None]:
        while True:
            error: CountersignError | None = None
            try:
                async with contextlib.aclosing(self._read_connection()) as events:
                    async for event in events:
                        yield event
            except httpx.HTTPError as broken:
                error = no_answer(broken, self._settings)
            except CountersignError as refused:
                error = refused
            await asyncio.sleep(self._position.pause_after(error))

    async def _read_connection(self) -> AsyncGenerator[Event, None]:
        arguments = request_arguments(self._position.request(), self._settings)
        async with self._gate._client.stream(**arguments) as response:
            if response.status_code != 200:
                headers = {name.lower(): value for name, value in response.headers.items()}
                raise reply_error(HttpReply(response.status_code, headers, await response.aread()))
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                raise make_error("strange_server", "the server does not answer with a stream of events")
            self._position.opened()
            reader = EventReader()
            async for chunk in response.aiter_bytes():
                for cursor, event in reader.feed(chunk):
                    if (new := self._position.deliver(cursor, event)) is not None:
                        yield new

    async def close(self) -> None:
        """Ends the stream and its connection."""
        await self._events.aclose()

    async def __aenter__(self) -> AsyncEventStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
