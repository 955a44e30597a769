"""Compares operation outcomes with the stories' expectations."""

from __future__ import annotations

from typing import Any

from countersign import write_json

EXPECTATIONS = frozenset(
    "state arguments arguments_hash error not_run tool_error_has text_has note_has value shows calls results any".split()
)


def check_outcome(outcome: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compares an outcome with the step's expectations. A step without any must succeed."""
    unknown = set(expected) - EXPECTATIONS
    assert not unknown, f"unknown expectations: {unknown}"
    if expected.get("any"):
        return
    shown = {name: value for name, value in outcome.items() if name != "call"}
    for name in ("error", "not_run"):
        assert outcome.get(name) == expected.get(name), f"the outcome is {shorten(shown)}"
    assert ("tool_error" in outcome) == ("tool_error_has" in expected), f"the outcome is {shorten(shown)}"
    for name, source in (("text_has", "text"), ("note_has", "note"), ("tool_error_has", "tool_error")):
        for part in expected.get(name, []):
            assert part in outcome[source], f"{source} is {outcome[source]!r}"
    if "value" in expected:
        assert outcome["value"] == expected["value"], f"the value is {shorten(outcome['value'])}"
    call = outcome.get("call") or {}
    found = {"state": call.get("state"), "arguments_hash": call.get("argumentsHash")}
    found["arguments"] = write_json(call.get("arguments"))
    found["calls"] = [one["id"] for one in call.get("pending", [])]
    found["results"] = [one["call"]["state"] if "call" in one else one["problem"]["code"] for one in call.get("results", [])]
    for name, value in found.items():
        if name in expected:
            assert value == expected[name], f"{name} is {shorten(value)}"
    for path, value in expected.get("shows", {}).items():
        member: Any = outcome.get("shown", call)
        for name in path.split("."):
            member = member.get(name) if isinstance(member, dict) else None
        assert member == value, f"{path} is {member!r}, not {value!r}"


def shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) < 600 else f"{text[:600]}…"
