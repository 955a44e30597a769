#!/usr/bin/env python3
"""An advisor that asks the Open Policy Agent: it reads one question, and prints the answer.

    opa.py http://127.0.0.1:8181/v1/data/countersign/advice
"""
import json, sys, urllib.request

def advise(result):
    """A boolean, a word, or an object with `allow` and `deny`, of which the stricter counts. Anything else is asked."""
    if isinstance(result, bool):
        return {"advice": "allow" if result else "deny"}
    if isinstance(result, str):
        return {"advice": result}
    allow, deny = result.get("allow"), result.get("deny")
    if deny or (deny is None and allow is False):
        messages = "; ".join(deny) if isinstance(deny, list) else ""
        return {"advice": "deny", "reason": messages or "a rule denies it"}
    return {"advice": "allow" if allow is True else "ask"}

body = json.dumps({"input": json.load(sys.stdin)}).encode()
request = urllib.request.Request(sys.argv[1], body, {"content-type": "application/json"})
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
if "result" not in answer:
    sys.exit("the policy has no result for this call")
print(json.dumps(advise(answer["result"])))
