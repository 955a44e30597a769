"""A Pydantic AI agent that asks before its tools run: `python agent.py [CONVERSATION]`."""

import sys

from countersign import Gate, new_id
from countersign.pydantic_ai import Approval
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def read_log(service: str) -> str:
    """Reads the log of a service."""
    return f"{service}: no errors"


def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """The scripted model's answers: two calls, and then a message."""
    if len(messages) > 1:
        return ModelResponse(parts=[TextPart("The shop is deployed.")])
    return ModelResponse(
        parts=[
            ToolCallPart("read_log", {"service": "shop"}, tool_call_id="call_1"),
            ToolCallPart("deploy", {"service": "shop", "replicas": 3}, tool_call_id="call_2"),
        ]
    )


# A scripted model needs no key. For a real one, set its key and use its name: model = "anthropic:claude-sonnet-4-5"
model = FunctionModel(answer)
conversation = sys.argv[1] if len(sys.argv) > 1 else new_id("conversation-")
print(f"The conversation is {conversation}. Decide at the link that `countersign serve` printed.")

gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN
agent = Agent(model, tools=[read_log, deploy], capabilities=[Approval(gate)])
result = agent.run_sync("Deploy the shop if its log is clean.", conversation_id=conversation)

for part in (part for message in result.all_messages() for part in message.parts):
    if isinstance(part, ToolReturnPart):
        print(f"The model got: {part.content}")
print(result.output)
