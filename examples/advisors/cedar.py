#!/usr/bin/env python3
"""An advisor in Cedar: it reads one question, evaluates the policies of a file, and prints the answer. It needs `cedarpy`.

    cedar.py advice.cedar
"""
import json, sys
from pathlib import Path
import cedarpy

def convert(value):
    """JSON as Cedar has it: `null` is absent, and a number that is no `Long` is a string with its exact digits."""
    if isinstance(value, dict):
        if any(key.startswith("__") for key in value):
            sys.exit("an argument has the form of an entity of Cedar")
        return {key: convert(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [convert(item) for item in value if item is not None]
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value

def name(kind, text):
    return f"{kind}::{json.dumps(str(text), ensure_ascii=False)}"

policies = Path(sys.argv[1]).read_text()
call = json.load(sys.stdin, parse_float=str)["call"]
request = {
    "principal": name("Agent", call["agent"]),
    "action": name("Action", call["tool"]),
    "resource": name("Thread", call["threadId"]),
    "context": convert({key: call[key] for key in ("arguments", "hiddenCharacters", "mixedScripts")}),
}
result = cedarpy.is_authorized(request, policies, [])
if result.diagnostics.errors:
    # Cedar leaves out a policy that fails. If that is a `forbid`, the others might allow what it forbids.
    sys.exit("a policy could not be evaluated")
parsed = json.loads(cedarpy.policies_to_json_str(policies))["staticPolicies"]
notes = [parsed[id].get("annotations", {}) for id in sorted(result.diagnostics.reasons)]
if result.decision == cedarpy.Decision.Allow:
    advice = "allow"
else:
    # Without a policy that applies, Cedar denies. Here people then decide.
    advice = "deny" if notes else "ask"
reason = "; ".join(note["reason"] for note in notes if note.get("reason"))
print(json.dumps({"advice": advice, **({"reason": reason} if reason else {})}))
