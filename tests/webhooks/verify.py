"""Checks messages with the library of Standard Webhooks for Python. Reads a JSON list of [secret, headers, body] from stdin,
and prints for each whether the library accepts it."""

import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError


def is_accepted(secret, headers, body):
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


print(json.dumps([is_accepted(*message) for message in json.load(sys.stdin)]))
