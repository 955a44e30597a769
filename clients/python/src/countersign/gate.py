"""The synchronous client."""

from __future__ import annotations

import functools
import inspect
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx

from .async_gate import AsyncGate
from .errors import CountersignError
from .event_stream import EventReader, StreamPosition
from .gate_core import GateCore
from .operations import list_query
from .replies import make_error, reply_error
from .resumption import CallRegister
from .settings import ClientSettings
from .started_call import BeginOptions, StartedCall, Unpack
from .steps import Effect, HttpReply, PauseFor, RunTool, SendRequest, Steps, ToolOutcome
from .transport import client_options, failure, no_answer, request_arguments
from .types import Event

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(operation: Callable[Concatenate[GateCore, P], Steps[T]]) -> Callable[Concatenate[Gate, P], T]:
    """The method that carries out an operation and returns its outcome."""

    @functools.wraps(operation)
    def method(self: Gate, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.carry_out(operation(self.core, *args, **kwargs))

    return method


class Gate:
    """A client for a Countersign server. It may be used by several threads.

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
        transport = None if settings.socket is None else httpx.HTTPTransport(uds=settings.socket)
        self._client = httpx.Client(**client_options(settings), transport=transport)
        self._async: AsyncGate | None = None

    propose = _blocking(GateCore.propose)
    wait = _blocking(GateCore.wait)
    get = _blocking(GateCore.get)
    claim = _blocking(GateCore.claim)
    renew = _blocking(GateCore.renew)
    finish = _blocking(GateCore.finish)
    cancel = _blocking(GateCore.cancel)
    heartbeat = _blocking(GateCore.heartbeat)
    decide = _blocking(GateCore.decide)
    decide_all = _blocking(GateCore.decide_all)
    pending = _blocking(GateCore.pending)
    calls = _blocking(GateCore.calls)
    events = _blocking(GateCore.events)
    caller = _blocking(GateCore.caller)
    ready = _blocking(GateCore.ready)
    call_tool = _blocking(GateCore.call_tool)
    _begin = _blocking(GateCore.begin)

    def begin(self, name: str, arguments: Mapping[str, Any], **options: Unpack[BeginOptions]) -> StartedCall:
        """Proposes a call, waits, and claims it, with the options of ``call_tool``. Run the returned ``arguments``, and then
        call its ``finish``, ``fail`` or ``cancel``. Its lease is renewed until then. Raises a :class:`NotRunError` with the text
        for the model if the call does not run."""
        return StartedCall(self, self._begin(name, arguments, **options))

    @classmethod
    def from_async(cls, gate: AsyncGate) -> Gate:
        """The synchronous client with the settings of an asynchronous one, and always the same."""
        if gate._sync is None:
            gate._sync = cls(settings=gate.settings, register=gate.core.register)
        client: Gate = gate._sync
        return client

    def as_async(self) -> AsyncGate:
        """The asynchronous client with the same settings."""
        if self._async is None:
            self._async = AsyncGate(settings=self.settings, register=self.core.register)
        return self._async

    def in_thread(self, thread: str) -> Gate:
        """The same client, whose calls belong to ``thread``. It shares the connections."""
        other = object.__new__(type(self))
        other.settings = ClientSettings(**{**vars(self.settings), "thread": thread})
        other.core = GateCore(other.settings, self.core.register)
        other._client = self._client
        other._async = None
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
    ) -> EventStream:
        """Follows the log: first the events after the cursor ``after``, then new ones as they occur.

        A broken connection is resumed without a gap or a repeat. The stream fails if the server is unavailable for
        ``give_up_after`` seconds; with ``None``, never. The stream's ``cursor`` resumes it in another process.
        """
        query = list_query(type=list(types), tool=tool, principal=principal)
        return EventStream(self._client, self.settings, StreamPosition(thread, query, after, give_up_after))

    def carry_out(self, steps: Steps[T]) -> T:
        """Carries out an operation's steps."""
        try:
            effect = next(steps)
            while True:
                try:
                    outcome = self._perform(effect)
                except BaseException as error:
                    effect = steps.throw(error)
                else:
                    effect = steps.send(outcome)
        except StopIteration as end:
            value: T = end.value
            return value

    def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, SendRequest):
            return self._send(effect)
        if isinstance(effect, PauseFor):
            return time.sleep(effect.seconds)
        return self._run_tool(effect)

    def _send(self, request: SendRequest) -> HttpReply:
        try:
            response = self._client.request(**request_arguments(request, self.settings))
        except httpx.HTTPError as error:
            raise failure(error, self.settings) from error
        headers = {name.lower(): value for name, value in response.headers.items()}
        return HttpReply(response.status_code, headers, response.content)

    def _run_tool(self, effect: RunTool) -> ToolOutcome:
        ended = threading.Event()

        def renew_lease() -> None:
            while not ended.wait(effect.interval):
                if not self.carry_out(effect.renew()):
                    return

        renewal = threading.Thread(target=renew_lease, name="countersign-lease", daemon=True)
        renewal.start()
        try:
            value = effect.run()
            if inspect.iscoroutine(value):
                value.close()
                raise TypeError("the tool is asynchronous: use AsyncGate")
            return ToolOutcome(value)
        except Exception as error:
            return ToolOutcome(error=error)
        finally:
            ended.set()

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def __enter__(self) -> Gate:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class EventStream:
    """The logged events, in order, each once. Close it, or use it in a ``with`` statement."""

    def __init__(self, client: httpx.Client, settings: ClientSettings, position: StreamPosition) -> None:
        self._client, self._settings, self._position = client, settings, position
        self._events = self._follow()

    @property
    def cursor(self) -> str:
        """The place after the last event that this stream returned."""
        return self._position.cursor

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def _follow(self) -> Generator[Event, None, None]:
        while True:
            error: CountersignError | None = None
            try:
                yield from self._read_connection()
            except httpx.HTTPError as broken:
                error = no_answer(broken, self._settings)
            except CountersignError as refused:
                error = refused
            time.sleep(self._position.pause_after(error))

    def _read_connection(self) -> Generator[Event, None, None]:
        arguments = request_arguments(self._position.request(), self._settings)
        with self._client.stream(**arguments) as response:
            if response.status_code != 200:
                headers = {name.lower(): value for name, value in response.headers.items()}
                raise reply_error(HttpReply(response.status_code, headers, response.read()))
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                raise make_error("strange_server", "the server does not answer with a stream of events")
            self._position.opened()
            reader = EventReader()
            for chunk in response.iter_bytes():
                for cursor, event in reader.feed(chunk):
                    if (new := self._position.deliver(cursor, event)) is not None:
                        yield new

    def close(self) -> None:
        """Ends the stream and its connection."""
        self._events.close()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
