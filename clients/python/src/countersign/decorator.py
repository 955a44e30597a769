"""``@requires_approval``: a function that runs after people, or the policy, have allowed the call."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, ParamSpec, TypeVar, overload

from .async_gate import AsyncGate
from .binding import FunctionBinding
from .errors import NotRunError
from .gate import Gate
from .types import ProposedDefinition, ProposedImpact

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class CallContext:
    """Thread and id of the next call."""

    thread: str | None = None
    call_id: str | None = None


_context: contextvars.ContextVar[CallContext | None] = contextvars.ContextVar("countersign_call", default=None)


@contextlib.contextmanager
def call_context(*, thread: str | None = None, call_id: str | None = None) -> Iterator[None]:
    """Gives the calls inside it a thread, and the one call inside it an id: the id that the model chose."""
    outer = _context.get() or CallContext()
    inner = CallContext(thread or outer.thread, call_id)
    token = _context.set(inner)
    try:
        yield
    finally:
        _context.reset(token)


def current_context() -> CallContext:
    """The thread and the id that the caller has set."""
    return _context.get() or CallContext()


@dataclass(frozen=True)
class ApprovalOptions:
    """How a function asks."""

    name: str
    description: str | Callable[..., str] | None
    impact: ProposedImpact | Callable[..., ProposedImpact] | None
    fixed: Mapping[str, Any]
    thread: str | None
    call_id: Callable[..., str] | None
    on_denial: Literal["raise", "return"]

    def for_call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of ``call_tool`` for a call with these arguments."""
        context = current_context()
        call_id = context.call_id or (self.call_id(**arguments) if self.call_id else None)
        return {
            **self.fixed,
            "description": self.description(**arguments) if callable(self.description) else self.description,
            "impact": self.impact(**arguments) if callable(self.impact) else self.impact,
            "thread": context.thread or self.thread,
            "call_id": call_id,
        }


@overload
def requires_approval(gate: Callable[P, T], /) -> Callable[P, T]: ...


@overload
def requires_approval(
    gate: Gate | AsyncGate | None = None,
    /,
    *,
    name: str | None = None,
    description: str | Callable[..., str] | None = None,
    impact: ProposedImpact | Callable[..., ProposedImpact] | None = None,
    annotations: Mapping[str, Any] | None = None,
    definition: ProposedDefinition | None = None,
    expires_in: int | None = None,
    timeout: float | None = None,
    withdraw: bool = False,
    lease_seconds: int | None = None,
    thread: str | None = None,
    place: Mapping[str, Any] | None = None,
    call_id: Callable[..., str] | None = None,
    exclude: Iterable[str] = (),
    on_denial: Literal["raise"] = "raise",
) -> Callable[[Callable[P, T]], Callable[P, T]]: ...


@overload
def requires_approval(
    gate: Gate | AsyncGate | None = None,
    /,
    *,
    name: str | None = None,
    description: str | Callable[..., str] | None = None,
    impact: ProposedImpact | Callable[..., ProposedImpact] | None = None,
    annotations: Mapping[str, Any] | None = None,
    definition: ProposedDefinition | None = None,
    expires_in: int | None = None,
    timeout: float | None = None,
    withdraw: bool = False,
    lease_seconds: int | None = None,
    thread: str | None = None,
    place: Mapping[str, Any] | None = None,
    call_id: Callable[..., str] | None = None,
    exclude: Iterable[str] = (),
    on_denial: Literal["return"],
) -> Callable[[Callable[P, Any]], Callable[P, Any]]: ...


def requires_approval(
    gate: Gate | AsyncGate | Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | Callable[..., str] | None = None,
    impact: ProposedImpact | Callable[..., ProposedImpact] | None = None,
    thread: str | None = None,
    call_id: Callable[..., str] | None = None,
    exclude: Iterable[str] = (),
    on_denial: Literal["raise", "return"] = "raise",
    **fixed: Any,
) -> Any:
    """Asks before each call of a function, synchronous or asynchronous.

    The wrapper proposes the call with its arguments by name, waits for the decision, claims the call, runs the function with
    exactly the approved arguments, and reports the result. If the call does not run, it raises a :class:`NotRunError` whose
    ``text`` is for the model; with ``on_denial="return"`` it returns that text.

    ``gate`` is a :class:`Gate` or an :class:`AsyncGate`; without one, the environment names the server. ``description``,
    ``impact`` and ``call_id`` may be functions that get the arguments. ``exclude`` names parameters outside of the call,
    such as a database connection. ``timeout`` limits the wait in seconds, and ``expires_in`` the time that people have.
    """
    if gate is not None and not isinstance(gate, (Gate, AsyncGate)):
        if not callable(gate):
            raise TypeError("requires_approval takes a Gate or an AsyncGate")
        return requires_approval()(gate)
    names = tuple(exclude)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        options = ApprovalOptions(
            name or function.__name__, description, impact, fixed, thread, call_id, on_denial
        )
        binding = FunctionBinding(function, names)
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{function.__name__}() is a generator, whose run has no end to report")
        if inspect.iscoroutinefunction(function):
            return _wrap_async(function, gate, binding, options)
        return _wrap_sync(function, gate, binding, options)

    return decorate


_default_gate: Gate | None = None


def default_gate() -> Gate:
    """The gate that the environment names."""
    global _default_gate
    if _default_gate is None:
        _default_gate = Gate()
    return _default_gate


def _wrap_sync(
    function: Callable[..., Any], gate: Gate | AsyncGate | None, binding: FunctionBinding, options: ApprovalOptions
) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        arguments, hidden = binding.read_arguments(args, kwargs)

        def run(approved: Any) -> Any:
            positional, named = binding.fill_parameters(approved, hidden)
            return function(*positional, **named)

        used = gate or default_gate()
        blocking = used if isinstance(used, Gate) else Gate.from_async(used)
        try:
            return blocking.call_tool(options.name, arguments, run, **options.for_call(arguments)).value
        except NotRunError as error:
            if options.on_denial == "return":
                return error.text
            raise

    return wrapper


def _wrap_async(
    function: Callable[..., Any], gate: Gate | AsyncGate | None, binding: FunctionBinding, options: ApprovalOptions
) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        arguments, hidden = binding.read_arguments(args, kwargs)

        async def run(approved: Any) -> Any:
            positional, named = binding.fill_parameters(approved, hidden)
            return await function(*positional, **named)

        used = gate or default_gate()
        waiting = used if isinstance(used, AsyncGate) else used.as_async()
        try:
            return (await waiting.call_tool(options.name, arguments, run, **options.for_call(arguments))).value
        except NotRunError as error:
            if options.on_denial == "return":
                return error.text
            raise

    return wrapper
