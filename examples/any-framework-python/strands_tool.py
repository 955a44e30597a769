"""Strands Agents: the decorator under `@tool`."""

from countersign import Gate, requires_approval
from strands import tool

gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


@tool
@requires_approval(gate, on_denial="return")
def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


# A real agent: Agent(tools=[deploy])
print(deploy(service="shop", replicas=3))
