"""AutoGen: the decorated function in a `FunctionTool`."""

import asyncio

from autogen_core import CancellationToken
from autogen_core.tools import FunctionTool
from countersign import AsyncGate, requires_approval

gate = AsyncGate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


@requires_approval(gate, on_denial="return")
async def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


# A real agent: AssistantAgent("ops", model_client=client, tools=[tool])
tool = FunctionTool(deploy, description="Deploys a service.")
print(asyncio.run(tool.run_json({"service": "shop", "replicas": 3}, CancellationToken())))
