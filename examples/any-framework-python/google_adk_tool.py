"""Google ADK: the decorated function as an agent's tool. The plugin `countersign.google_adk` asks for all tools at once."""

import asyncio
from types import SimpleNamespace

from countersign import AsyncGate, requires_approval
from google.adk.tools.function_tool import FunctionTool

gate = AsyncGate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


@requires_approval(gate, on_denial="return")
async def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


# A real agent: LlmAgent(name="ops", model="gemini-2.5-flash", tools=[deploy])
tool = FunctionTool(deploy)
print(asyncio.run(tool.run_async(args={"service": "shop", "replicas": 3}, tool_context=SimpleNamespace())))
