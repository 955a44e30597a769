"""An agent with one call: `waiting_agent.py [CALL_ID] [crash]`. With `crash`, it dies between its claim and its result."""

import os
import sys

from countersign import requires_approval

call_id = sys.argv[1] if len(sys.argv) > 1 else ""
crash = "crash" in sys.argv


@requires_approval(call_id=(lambda service: call_id) if call_id else None, lease_seconds=1 if crash else None)
def deploy(service: str) -> str:
    print(f"ran {service}", flush=True)
    if crash:
        os._exit(9)
    return service


deploy("shop")
