"""Ask people before an AI agent runs a tool: the Python client of Countersign.

    from countersign import Gate, requires_approval

    gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN

    @requires_approval(gate)
    def deploy(service: str) -> str: ...
"""

from . import error_codes, types
from .async_gate import AsyncEventStream, AsyncGate
from .decorator import call_context, requires_approval
from .errors import (
    AlreadyRunningError,
    CancelledCallError,
    CountersignError,
    DeniedError,
    ExpiredError,
    FailedBeforeError,
    NotRunError,
    OutcomeUnknownError,
    StillPendingError,
    UnknownAnswerError,
    UnusableArgumentsError,
)
from .execution import CallOutcome, ToolReport
from .gate import EventStream, Gate
from .gate_core import new_id
from .json_text import read_json, write_json
from .settings import VERSION, ClientSettings
from .started_call import AsyncStartedCall, StartedCall

__version__ = VERSION

__all__ = [
    "AlreadyRunningError",
    "AsyncEventStream",
    "AsyncGate",
    "AsyncStartedCall",
    "CallOutcome",
    "CancelledCallError",
    "ClientSettings",
    "CountersignError",
    "DeniedError",
    "EventStream",
    "ExpiredError",
    "FailedBeforeError",
    "Gate",
    "NotRunError",
    "OutcomeUnknownError",
    "StartedCall",
    "StillPendingError",
    "ToolReport",
    "UnknownAnswerError",
    "UnusableArgumentsError",
    "call_context",
    "error_codes",
    "new_id",
    "read_json",
    "requires_approval",
    "types",
    "write_json",
]
