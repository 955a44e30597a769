"""Microsoft Agent Framework: the decorator under `@tool`. The middleware `countersign.agent_framework` asks for all tools at once."""

import asyncio

from agent_framework import tool
from countersign import AsyncGate, requires_approval

gate = AsyncGate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


@tool
@requires_approval(gate, on_denial="return")
async def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


# A real agent: Agent(client, tools=[deploy])
print(asyncio.run(deploy.invoke(arguments={"service": "shop", "replicas": 3}))[0].text)
