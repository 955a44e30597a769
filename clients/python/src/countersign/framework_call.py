"""The part that the wrappers of all frameworks share: one call of a tool, with its answer for the model."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from .async_gate import AsyncGate
from .decorator import current_context
from .errors import NotRunError
from .execution import CallOutcome, CallPlan, ToolReport
from .gate import Gate
from .json_text import write_json
from .operations import json_text
from .started_call import AsyncStartedCall
from .types import Call, ProposedDefinition, ProposedImpact

if sys.version_info >= (3, 11):
    from typing import Unpack
else:
    from typing_extensions import Unpack

__all__ = ["CallAnswer", "FrameworkCall", "FrameworkGate", "Unpack", "WrapperOptions", "add_note", "model_text"]


class WrapperOptions(TypedDict, total=False):
    """The options of all wrappers."""

    thread: str | Callable[[Any], str | None]
    """The thread, or a function that gets the framework's call context. Without it, the gate's thread if it names one,
    or else the framework's own conversation id."""
    description: Callable[[str, Mapping[str, Any]], str | None]
    """The call's purpose for approvers: a function that gets the name and the arguments."""
    impact: Callable[[str, Mapping[str, Any]], ProposedImpact | None]
    """The call's impact for approvers: a function that gets the name and the arguments."""
    timeout: float
    """The seconds to wait. Then the model is told that the call still waits."""
    withdraw: bool
    """True to cancel the call if the wait ends by the time-out, or because the run is interrupted."""
    expires_in: int
    """The seconds that people have to decide."""
    lease_seconds: int
    """The lease, 900 seconds without it. It is renewed while the tool runs."""
    on_denial: Literal["return", "raise"]
    """``"return"`` gives the model the explanation if a call does not run. ``"raise"`` raises the ``NotRunError``."""


OPTION_NAMES = WrapperOptions.__optional_keys__


@dataclass(frozen=True)
class FrameworkCall:
    """A call that the model makes, as the framework gives it."""

    name: str
    arguments: Any
    call_id: str | None
    thread: str | None = None
    """The framework's conversation id."""
    context: Any = None
    """The framework's call context, for the option ``thread``."""
    definition: ProposedDefinition | None = None
    annotations: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class CallAnswer:
    """The answer to a call: the value of a tool that ran now, or content for the model."""

    ran_now: bool
    value: Any = None
    """The framework's own value, if the tool ran now. Otherwise the recorded content from an earlier run, or the text for the
    model."""
    failed: bool = False
    """Whether ``value`` is no result: the call was refused, or it failed earlier."""
    note: str | None = None
    """The note for the model that a person changed the arguments."""
    call: Call | None = field(default=None, repr=False)


class FrameworkGate:
    """Makes a framework's calls with a gate and the wrapper's options."""

    def __init__(self, gate: Gate | AsyncGate, options: WrapperOptions) -> None:
        if not isinstance(gate, (Gate, AsyncGate)):
            raise TypeError("the first argument of the wrapper is a Gate or an AsyncGate")
        if unknown := set(options) - OPTION_NAMES:
            raise TypeError(f"the wrapper has no option {sorted(unknown)[0]!r}")
        if (on_denial := options.get("on_denial", "return")) not in ("return", "raise"):
            raise TypeError(f"on_denial is 'return' or 'raise', and not {on_denial!r}")
        self._gate, self.options = gate, options

    @property
    def waiting(self) -> AsyncGate:
        return self._gate if isinstance(self._gate, AsyncGate) else self._gate.as_async()

    @property
    def blocking(self) -> Gate:
        return self._gate if isinstance(self._gate, Gate) else Gate.from_async(self._gate)

    @property
    def raises(self) -> bool:
        """Whether a call that does not run ends the agent run."""
        return self.options.get("on_denial") == "raise"

    def choose_thread(self, call: FrameworkCall) -> str | None:
        chosen = self.options.get("thread")
        if callable(chosen):
            chosen = chosen(call.context)
        return chosen or current_context().thread or self._gate.settings.thread or call.thread

    def proposal(self, call: FrameworkCall) -> dict[str, Any]:
        """The parameters of ``propose`` for a call."""
        describe, impact = self.options.get("description"), self.options.get("impact")
        return {
            "call_id": call.call_id,
            "thread": self.choose_thread(call),
            "description": describe(call.name, call.arguments) if describe else None,
            "impact": impact(call.name, call.arguments) if impact else None,
            "annotations": call.annotations or None,
            "definition": call.definition,
            "expires_in": self.options.get("expires_in"),
        }

    def parameters(self, call: FrameworkCall) -> dict[str, Any]:
        """The parameters of ``call_tool`` for a call."""
        return {
            **self.proposal(call),
            "timeout": self.options.get("timeout"),
            "withdraw": self.options.get("withdraw", False),
            "lease_seconds": self.options.get("lease_seconds"),
        }

    def plan(self, call: FrameworkCall, call_id: str) -> CallPlan:
        """The plan for a call that the framework itself runs."""
        fields = self.proposal(call)
        return CallPlan(
            thread=fields["thread"] or self.waiting.core.thread,
            call_id=call_id,
            name=call.name,
            arguments=json_text(call.arguments, "the arguments"),
            run=run_elsewhere,
            fields={
                "place": self._gate.settings.place,
                "description": fields["description"],
                "impact": fields["impact"],
                "annotations": fields["annotations"],
                "definition": fields["definition"],
                "expiresInSeconds": fields["expires_in"],
            },
            timeout=self.options.get("timeout"),
            withdraw=self.options.get("withdraw", False),
            lease_seconds=self.options.get("lease_seconds"),
        )

    def make_call(self, call: FrameworkCall, run: Callable[[Any], ToolReport]) -> CallAnswer:
        """Makes a whole call."""
        try:
            return answer_of(self.blocking.call_tool(call.name, call.arguments, run, **self.parameters(call)))
        except NotRunError as error:
            return self.refuse(error)

    async def make_async_call(self, call: FrameworkCall, run: Callable[[Any], Awaitable[ToolReport]]) -> CallAnswer:
        """Makes a whole call, asynchronously."""
        try:
            outcome = await self.waiting.call_tool(call.name, call.arguments, run, **self.parameters(call))
            return answer_of(outcome)
        except NotRunError as error:
            return self.refuse(error)

    async def begin_async_call(self, call: FrameworkCall) -> AsyncStartedCall | CallAnswer:
        """Claims a call that the framework then runs itself. Returns the answer for the model if it does not run."""
        try:
            return await self.waiting.begin(call.name, call.arguments, **self.parameters(call))
        except NotRunError as error:
            return self.refuse(error)

    def refuse(self, error: NotRunError) -> CallAnswer:
        """Tells the model why a call does not run. Raises the error if the option says so."""
        if self.raises:
            raise error
        return CallAnswer(ran_now=False, value=error.text, failed=True, call=error.call)


def run_elsewhere(approved: Any) -> Any:
    raise RuntimeError("the framework runs this tool itself")


def answer_of(outcome: CallOutcome) -> CallAnswer:
    return CallAnswer(outcome.ran_now, outcome.value, note=outcome.note, call=outcome.call)


def model_text(content: Any) -> str:
    """Recorded content as text for the model."""
    return content if isinstance(content, str) else write_json(content)


def add_note(text: str, note: str | None) -> str:
    """The result text, with a note if a person changed the arguments."""
    return text if note is None else f"{text}\n\n{note}"
