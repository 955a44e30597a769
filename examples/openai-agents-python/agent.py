"""An OpenAI Agents SDK agent that asks before its tools run: `python agent.py [CONVERSATION]`."""

import asyncio
import sys

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from countersign import Gate, new_id
from countersign.openai_agents import with_approval


@function_tool
def read_log(service: str) -> str:
    """Reads the log of a service."""
    return f"{service}: no errors"


@function_tool
def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


# A scripted model needs no key. For a real one, set OPENAI_API_KEY and use its name: model = "gpt-5"
model = ScriptedModel(
    [
        [
            function_call("read_log", {"service": "shop"}, call_id="call_1"),
            function_call("deploy", {"service": "shop", "replicas": 3}, call_id="call_2"),
        ],
        [assistant_message("The shop is deployed.")],
    ]
)
conversation = sys.argv[1] if len(sys.argv) > 1 else new_id("conversation-")
print(f"The conversation is {conversation}. Decide at the link that `countersign serve` printed.")

gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN
agent = Agent(name="ops", model=model, tools=with_approval(gate, [read_log, deploy]))
config = RunConfig(group_id=conversation, tracing_disabled=True)
result = asyncio.run(Runner.run(agent, "Deploy the shop if its log is clean.", run_config=config))

for item in result.to_input_list():
    if item.get("type") == "function_call_output":
        print(f"The model got: {item['output']}")  # type: ignore[typeddict-item]
print(result.final_output)
