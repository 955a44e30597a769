"""CrewAI: the decorator under `@tool`."""

from countersign import Gate, requires_approval
from crewai.tools import tool

gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


@tool("deploy")
@requires_approval(gate, on_denial="return")
def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


# A real agent: Agent(role="ops", goal="…", backstory="…", tools=[deploy])
print(deploy.run(service="shop", replicas=3))
