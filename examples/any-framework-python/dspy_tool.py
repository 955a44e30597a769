"""DSPy: the decorated function in a `Tool`."""

import dspy
from countersign import Gate, requires_approval

gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


@requires_approval(gate, on_denial="return")
def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


# A real agent: dspy.ReAct("task -> answer", tools=[tool])
tool = dspy.Tool(deploy)
print(tool(service="shop", replicas=3))
