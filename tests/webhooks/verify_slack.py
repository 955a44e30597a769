"""Checks signed requests with Slack's library for Python. Reads a JSON list of [secret, timestamp, body, signature] from stdin, and
prints for each whether the library accepts it at the time of the first."""

import json
import sys

from slack_sdk.signature import Clock, SignatureVerifier

requests = json.load(sys.stdin)


class FixedClock(Clock):
    def now(self):
        return float(requests[0][1])


def is_accepted(secret, timestamp, body, signature):
    return SignatureVerifier(secret, clock=FixedClock()).is_valid(body=body, timestamp=timestamp, signature=signature)


print(json.dumps([is_accepted(*request) for request in requests]))
