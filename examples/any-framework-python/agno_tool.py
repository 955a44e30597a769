"""Agno: the decorator under `@tool`."""

from agno.tools import tool
from agno.tools.function import FunctionCall
from countersign import Gate, requires_approval

gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


@tool
@requires_approval(gate, on_denial="return")
def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


# A real agent: Agent(model=model, tools=[deploy])
print(FunctionCall(function=deploy, arguments={"service": "shop", "replicas": 3}).execute().result)
