"""A LangChain agent that asks before its tools run: `python agent.py [CONVERSATION]`."""

import sys
from typing import Any

from countersign import Gate, new_id
from countersign.langchain import ApprovalMiddleware
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig


def read_log(service: str) -> str:
    """Reads the log of a service."""
    return f"{service}: no errors"


def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


class ScriptedModel(GenericFakeChatModel):
    """The fake model of LangChain, which accepts tools."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


# A scripted model needs no key. For a real one, set its key and use its name: model = "anthropic:claude-sonnet-4-5"
model = ScriptedModel(
    messages=iter(
        [
            AIMessage(
                "",
                tool_calls=[
                    {"id": "call_1", "name": "read_log", "args": {"service": "shop"}},
                    {"id": "call_2", "name": "deploy", "args": {"service": "shop", "replicas": 3}},
                ],
            ),
            AIMessage("The shop is deployed."),
        ]
    )
)
conversation = sys.argv[1] if len(sys.argv) > 1 else new_id("conversation-")
print(f"The conversation is {conversation}. Decide at the link that `countersign serve` printed.")

gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN
agent = create_agent(model, tools=[read_log, deploy], middleware=[ApprovalMiddleware(gate)])
config: RunnableConfig = {"configurable": {"thread_id": conversation}}
state = agent.invoke({"messages": [HumanMessage("Deploy the shop if its log is clean.")]}, config)

for message in state["messages"]:
    if isinstance(message, ToolMessage):
        print(f"The model got: {message.content}")
print(state["messages"][-1].content)
