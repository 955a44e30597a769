"""LlamaIndex: the decorated function in a `FunctionTool`."""

from countersign import Gate, requires_approval
from llama_index.core.tools import FunctionTool

gate = Gate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


@requires_approval(gate, on_denial="return")
def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


# A real agent: FunctionAgent(tools=[tool], llm=llm)
tool = FunctionTool.from_defaults(deploy)
print(tool.call(service="shop", replicas=3).content)
