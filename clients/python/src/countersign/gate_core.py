"""The gate operations, with their parameters. ``Gate`` and ``AsyncGate`` offer each of them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

from . import operations as ops
from .errors import StillPendingError
from .execution import CallOutcome, CallPlan, execute
from .json_text import read_json
from .place import thread_of
from .replies import make_error
from .resumption import CallRegister, id_prefix
from .settings import ClientSettings
from .started_call import ClaimedCall, begin_call
from .steps import Steps
from .types import (
    BulkDecisionItem,
    BulkDecisionResponse,
    Call,
    CallerView,
    CallPage,
    CallState,
    Decision,
    EventPage,
    PendingPage,
    ProposedDefinition,
    ProposedImpact,
    ReadinessReport,
)
from .waiting_line import announce_waiting

T = TypeVar("T")

CallReference: TypeAlias = "Call | str"
"""A call, or a call id in the gate's thread."""


def new_id(prefix: str = "call_") -> str:
    """A new random id."""
    return prefix + secrets.token_hex(12)


class GateCore:
    """The operations as steps, for a driver to carry out."""

    def __init__(self, settings: ClientSettings, register: CallRegister | None = None) -> None:
        self.settings = settings
        self.register = register or CallRegister()

    def locate(self, call: CallReference, thread: str | None) -> tuple[str, str]:
        """Thread and id of a call."""
        if isinstance(call, str):
            return thread or self.thread, call
        return call["threadId"], call["id"]

    @property
    def thread(self) -> str:
        """The thread of calls that name none."""
        return self.settings.thread or thread_of(self.settings.place)

    def propose(
        self,
        name: str,
        arguments: Any,
        *,
        call_id: str | None = None,
        thread: str | None = None,
        place: Mapping[str, Any] | None = None,
        description: str | None = None,
        impact: ProposedImpact | None = None,
        annotations: Mapping[str, Any] | None = None,
        definition: ProposedDefinition | None = None,
        expires_in: int | None = None,
        replaces: str | None = None,
    ) -> Steps[Call]:
        """Proposes a call, and returns it in its state: allowed, denied or pending.

        Proposing the same call again returns its current state, so ``call_id`` should be the id that the model chose.
        ``arguments`` is any JSON value; integers and ``Decimal`` numbers are written exactly. ``expires_in`` is the time in
        seconds that people have to decide. ``place`` is where the call runs, if not where this program does.
        """
        fields = {
            "id": call_id or new_id(),
            "name": name,
            "place": self.settings.place if place is None else place,
            **proposal_fields(description, impact, annotations, definition, expires_in),
            "replaces": replaces,
        }
        return ops.propose(thread or self.thread, fields, ops.json_text(arguments, "the arguments"))

    def wait(self, call: CallReference, *, thread: str | None = None, timeout: float | None = None) -> Steps[Call]:
        """Waits until the call is decided, also across server restarts. After ``timeout`` seconds it returns the call,
        which is still pending."""
        place = self.locate(call, thread)
        if not isinstance(call, str) and call.get("state") == "pending":
            announce_waiting(self.settings, *place)
        return ops.wait(*place, timeout)

    def get(self, call: CallReference, *, thread: str | None = None) -> Steps[Call]:
        """Returns the call in its current state."""
        return ops.read_call(*self.locate(call, thread))

    def claim(
        self,
        call: Call,
        *,
        executor: str | None = None,
        lease_seconds: int | None = None,
        arguments: Any = None,
        definition_hash: str | None = None,
    ) -> Steps[Call]:
        """Declares that this process starts the call now. Run the returned ``arguments``, and nothing else.

        A second claim is refused, also by the same executor. ``executor`` must therefore be a new name for each attempt, which
        it is by default. ``arguments`` are the unmasked arguments, if the log has masked a secret in them.
        """
        fields = {
            "executor": executor or f"python-{os.getpid()}-{secrets.token_hex(6)}",
            "argumentsHash": call["argumentsHash"],
            "leaseSeconds": lease_seconds,
            "definitionHash": definition_hash,
        }
        text = None if arguments is None else ops.json_text(arguments, "the arguments")
        return ops.claim(call["threadId"], call["id"], fields, text)

    def renew(self, call: Call, *, lease_seconds: int | None = None) -> Steps[Call]:
        """Renews the lease of a claimed call. Do so after each third of the lease."""
        fields = {"executor": executor_of(call), "leaseSeconds": lease_seconds}
        return ops.renew(call["threadId"], call["id"], fields)

    def finish(
        self,
        call: Call,
        content: Any,
        *,
        status: str = "success",
        executor: str | None = None,
        ran_arguments: Any = None,
    ) -> Steps[Call]:
        """Reports a claimed call's result: ``success``, ``error`` or ``cancelled``. ``ran_arguments`` are the arguments that
        ran, if this program knows them: other ones than the approved are recorded as a mismatch."""
        fields = {"status": status, "executor": executor or executor_of(call), "ranArguments": ran_arguments}
        return ops.finish(call["threadId"], call["id"], fields, ops.json_text(content, "the content"))

    def cancel(self, call: CallReference, *, reason: str | None = None, thread: str | None = None) -> Steps[Call]:
        """Withdraws a call that has not started."""
        return ops.cancel(*self.locate(call, thread), reason)

    def heartbeat(self, call: CallReference, *, thread: str | None = None) -> Steps[Call]:
        """Tells approvers that the agent still waits. ``wait`` does so by itself."""
        return ops.heartbeat(*self.locate(call, thread))

    def decide(
        self,
        call: CallReference,
        decision: Decision,
        *,
        thread: str | None = None,
        comment: str | None = None,
        arguments: Any = None,
        arguments_hash: str | None = None,
        scope: Any = None,
        level: str | None = None,
        agents: str | None = None,
        expires_in_seconds: int | None = None,
        uses: int | None = None,
        and_waiting: bool | None = None,
        on_behalf_of: str | None = None,
    ) -> Steps[Call]:
        """Decides as an approver: ``allow_once``, ``allow_session`` or ``deny``. ``arguments`` replaces the proposed ones.

        For a :class:`Call`, the decision applies only to the arguments that it shows; for an id, only with ``arguments_hash``.
        ``on_behalf_of`` names a person who has handed over their queue, such as ``user:ada``.
        """
        if arguments_hash is None and not isinstance(call, str):
            arguments_hash = call["argumentsHash"]
        fields = {
            "comment": comment,
            "argumentsHash": arguments_hash,
            "scope": scope,
            "level": level,
            "agents": agents,
            "expiresInSeconds": expires_in_seconds,
            "uses": uses,
            "andWaiting": and_waiting,
            "onBehalfOf": on_behalf_of,
        }
        text = None if arguments is None else ops.json_text(arguments, "the arguments")
        return ops.decide(*self.locate(call, thread), decision, fields, text)

    def decide_all(self, decisions: Iterable[BulkDecisionItem]) -> Steps[BulkDecisionResponse]:
        """Decides several calls. Each decision is accepted or refused on its own."""
        return ops.decide_all(decisions)

    def pending(
        self,
        *,
        thread: str | None = None,
        tool: str | None = None,
        principal: str | None = None,
        limit: int | None = None,
        after: int | None = None,
    ) -> Steps[PendingPage]:
        """Lists the pending calls that the caller may see, of all threads or of one, the oldest first."""
        return ops.pending(thread, ops.list_query(tool=tool, principal=principal, limit=limit, after=after))

    def calls(
        self,
        *,
        thread: str | None = None,
        state: CallState | str | None = None,
        tool: str | None = None,
        principal: str | None = None,
        arguments_hash: str | None = None,
        touches: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        after: int | None = None,
    ) -> Steps[CallPage]:
        """Lists calls, the newest first. ``touches`` is a pattern such as ``.env`` for what a call touches, as recorded."""
        filters: dict[str, object] = {"state": state, "tool": tool, "principal": principal, "since": since, "until": until}
        query = ops.list_query(**filters, argumentsHash=arguments_hash, touches=touches, limit=limit, after=after)
        return ops.calls(thread, query)

    def events(
        self,
        *,
        thread: str | None = None,
        types: Sequence[str] = (),
        tool: str | None = None,
        principal: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        after: int | str | None = None,
    ) -> Steps[EventPage]:
        """Returns a log page. ``stream`` follows the log."""
        filters: dict[str, object] = {"tool": tool, "principal": principal, "since": since, "until": until}
        return ops.events(thread, ops.list_query(type=list(types), **filters, limit=limit, after=after))

    def caller(self) -> Steps[CallerView]:
        """Returns the caller, as the server knows it by its credential."""
        return ops.caller()

    def ready(self) -> Steps[ReadinessReport]:
        """Checks that the server can write and read the log. It is not repeated."""
        return ops.ready()

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        run: Callable[[dict[str, Any]], Any],
        *,
        call_id: str | None = None,
        thread: str | None = None,
        place: Mapping[str, Any] | None = None,
        description: str | None = None,
        impact: ProposedImpact | None = None,
        annotations: Mapping[str, Any] | None = None,
        definition: ProposedDefinition | None = None,
        expires_in: int | None = None,
        timeout: float | None = None,
        withdraw: bool = False,
        lease_seconds: int | None = None,
    ) -> Steps[CallOutcome]:
        """Makes a whole call: proposes it, waits, claims it, runs ``run`` with the approved arguments, and reports the result.

        Raises a :class:`NotRunError` with the text for the model if the call does not run. A call that was proposed before
        with this ``call_id`` is resumed: it waits on, or returns its recorded result. Without a ``call_id``, an open call of
        the same tool with the same arguments in the same place is resumed.
        """
        fields = proposal_fields(description, impact, annotations, definition, expires_in)
        fields["place"] = self.settings.place if place is None else place
        text = ops.json_text(arguments, "the arguments")
        plan = CallPlan(thread or self.thread, call_id or "", name, text, run, fields, timeout, withdraw, lease_seconds)
        return self._carry_out_plan(plan, execute)

    def begin(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        call_id: str | None = None,
        thread: str | None = None,
        place: Mapping[str, Any] | None = None,
        description: str | None = None,
        impact: ProposedImpact | None = None,
        annotations: Mapping[str, Any] | None = None,
        definition: ProposedDefinition | None = None,
        expires_in: int | None = None,
        timeout: float | None = None,
        withdraw: bool = False,
        lease_seconds: int | None = None,
    ) -> Steps[ClaimedCall]:
        """Proposes a call, waits, and claims it. The caller then runs the tool and reports the result. See ``call_tool``."""
        fields = proposal_fields(description, impact, annotations, definition, expires_in)
        fields["place"] = self.settings.place if place is None else place
        text = ops.json_text(arguments, "the arguments")
        plan = CallPlan(thread or self.thread, call_id or "", name, text, None, fields, timeout, withdraw, lease_seconds)
        return self._carry_out_plan(plan, begin_call)

    def _carry_out_plan(self, plan: CallPlan, act: Callable[[CallPlan], Steps[T]]) -> Steps[T]:
        """Carries out a plan. Without an id, an open call with the same content is resumed."""
        plan = replace(plan, announce=partial(announce_waiting, self.settings))
        if plan.call_id:
            return (yield from act(plan))
        prefix = id_prefix(plan.fields["place"], plan.name, read_json(plan.arguments))
        chosen = replace(plan, call_id=(yield from self.register.choose_id(plan.thread, plan.name, prefix)))
        waits_on = None
        try:
            return (yield from act(chosen))
        except StillPendingError:
            # A call that was withdrawn has ended, so the next identical call is a new one.
            waits_on = None if plan.withdraw else prefix
            raise
        finally:
            self.register.forget_id(plan.thread, chosen.call_id, waits_on)


def proposal_fields(
    description: str | None,
    impact: ProposedImpact | None,
    annotations: Mapping[str, Any] | None,
    definition: ProposedDefinition | None,
    expires_in: int | None,
) -> dict[str, Any]:
    """Proposal members beside the id, name and arguments."""
    return {
        "description": description,
        "impact": impact,
        "annotations": annotations,
        "definition": definition,
        "expiresInSeconds": expires_in,
    }


def executor_of(call: Call) -> str:
    """The executor that holds a claimed call."""
    execution = call.get("execution")
    if execution is None:
        raise make_error("not_claimed", f"the call {call['id']} is not claimed: use the call that `claim` returns")
    return execution["executor"]
