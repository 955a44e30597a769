"""smolagents: the decorator under `@tool`."""

from countersign import Gate, requires_approval
from smolagents import tool

gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


@tool
@requires_approval(gate, on_denial="return")
def deploy(service: str, replicas: int) -> str:
    """Deploys a service.

    Args:
        service: The service.
        replicas: The number of replicas.
    """
    return f"deployed {service} with {replicas} replicas"


# A real agent: CodeAgent(tools=[deploy], model=model)
print(deploy(service="shop", replicas=3))
