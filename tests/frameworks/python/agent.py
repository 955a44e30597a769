"""An agent in a process of its own, with one call: `agent.py DRIVER`. It prints what the model got."""

import json
import os
import sys

from countersign import Gate
from drivers import load_driver
from drivers.scripted import ScriptedCall

driver = load_driver(sys.argv[1])
options = {"lease_seconds": 1} if "crash" in sys.argv else {}
call = ScriptedCall("call_7", driver.tool_name("deploy"), {"service": "shop", "replicas": 3})
print(driver.play(Gate(place=json.loads(os.environ["TEST_PLACE"])), [call], **options)["call_7"], flush=True)
