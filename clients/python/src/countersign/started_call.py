"""A call that has started and is not finished: for frameworks that call a function before a tool and another one after it.

    started = gate.begin("deploy", {"service": "shop"})
    try:
        answer = deploy(**started.arguments)
    except Exception as error:
        started.fail(error)
        raise
    started.finish(answer)

While it is open, its lease is renewed in the background. If the process dies, the lease lapses, and the call's outcome
is unknown.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from .execution import (
    CallPlan,
    approved_arguments,
    new_executor,
    note_for_model,
    renew_lease,
    report,
    start_call,
)
from .json_text import write_json
from .result_text import error_content, result_content
from .steps import Steps
from .types import Call, ProposedImpact, ProposedDefinition

if sys.version_info >= (3, 11):
    from typing import Unpack
else:
    from typing_extensions import Unpack

if TYPE_CHECKING:
    from .async_gate import AsyncGate
    from .gate import Gate


__all__ = ["AsyncStartedCall", "BeginOptions", "ClaimedCall", "StartedCall", "Unpack", "begin_call"]


class BeginOptions(TypedDict, total=False):
    """The options of ``begin``, which are the same as for ``call_tool``."""

    call_id: str | None
    thread: str | None
    place: Mapping[str, Any] | None
    description: str | None
    impact: ProposedImpact | None
    annotations: Mapping[str, Any] | None
    definition: ProposedDefinition | None
    expires_in: int | None
    timeout: float | None
    withdraw: bool
    lease_seconds: int | None


class ClaimedCall:
    """A claimed call, its approved arguments, and the steps that end it."""

    def __init__(self, plan: CallPlan, call: Call, executor: str) -> None:
        self.plan, self.call, self.executor = plan, call, executor
        self.arguments: Any = approved_arguments(plan, call)
        """The arguments to run, and nothing else: a person may have edited them."""
        self.ran_before = call["state"] == "finished"
        """True for a call that an earlier process has run to its end. Do not run it again: ``recorded`` is its result."""
        self._ended = self.ran_before

    @property
    def recorded(self) -> Any:
        """The recorded result content, once there is one."""
        result = self.call.get("result")
        return None if result is None else result["content"]

    @property
    def note(self) -> str | None:
        """A note for the model: a person changed the arguments."""
        return note_for_model(self.call)

    def end(self, status: str, content: str, ran_arguments: Any) -> Steps[Call]:
        """Reports the result, once. A second report changes nothing."""
        if self._ended:
            return self.call
        self._ended = True
        fields = {"status": status, "executor": self.executor, "ranArguments": ran_arguments}
        self.call = yield from report(self.plan, self.call, fields, content)
        return self.call

    def renew(self) -> Steps[bool]:
        """Renews the lease. Returns false if the claim is lost."""
        return renew_lease(self.plan, self.executor)


def begin_call(plan: CallPlan) -> Steps[ClaimedCall]:
    """Proposes the planned call, waits for the decision, and claims it."""
    executor = new_executor()
    call = yield from start_call(plan, executor)
    return ClaimedCall(plan, call, executor)


class StartedCall(ClaimedCall):
    """A started call of a :class:`Gate`. Another thread renews its lease."""

    def __init__(self, gate: Gate, claimed: ClaimedCall) -> None:
        self.__dict__.update(vars(claimed))
        self._gate, self._closed = gate, threading.Event()
        if not self._ended:
            threading.Thread(target=self._renew, name="countersign-lease", daemon=True).start()

    def _renew(self) -> None:
        while not self._closed.wait(self.plan.renewal_interval):
            if not self._gate.carry_out(self.renew()):
                return

    def _close(self, status: str, content: str, ran_arguments: Any = None) -> Call:
        self._closed.set()
        return self._gate.carry_out(self.end(status, content, ran_arguments))

    def finish(self, result: Any = None, *, ran_arguments: Any = None) -> Call:
        """Records the result. ``ran_arguments`` are the arguments that ran, if they may differ from ``arguments``."""
        return self._close("success", result_content(result), ran_arguments)

    def fail(self, error: BaseException | str) -> Call:
        """Records that the tool failed."""
        return self._close("error", failure_content(error))

    def cancel(self, reason: str = "it was not run") -> Call:
        """Records that the call was not run."""
        return self._close("cancelled", write_json(reason))


class AsyncStartedCall(ClaimedCall):
    """A started call of an :class:`AsyncGate`. A task renews its lease."""

    def __init__(self, gate: AsyncGate, claimed: ClaimedCall) -> None:
        self.__dict__.update(vars(claimed))
        self._gate = gate
        self._renewal = None if self._ended else asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self.plan.renewal_interval)
            if not await self._gate.carry_out(self.renew()):
                return

    async def _close(self, status: str, content: str, ran_arguments: Any = None) -> Call:
        if self._renewal is not None:
            self._renewal.cancel()
        return await self._gate.carry_out(self.end(status, content, ran_arguments))

    async def finish(self, result: Any = None, *, ran_arguments: Any = None) -> Call:
        """Records the result. ``ran_arguments`` are the arguments that ran, if they may differ from ``arguments``."""
        return await self._close("success", result_content(result), ran_arguments)

    async def fail(self, error: BaseException | str) -> Call:
        """Records that the tool failed."""
        return await self._close("error", failure_content(error))

    async def cancel(self, reason: str = "it was not run") -> Call:
        """Records that the call was not run."""
        return await self._close("cancelled", write_json(reason))


def failure_content(error: BaseException | str) -> str:
    return write_json(error) if isinstance(error, str) else error_content(error)
