"""Semantic Kernel: the decorator under `@kernel_function`."""

import asyncio

from countersign import AsyncGate, requires_approval
from semantic_kernel import Kernel
from semantic_kernel.functions import kernel_function

gate = AsyncGate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN


class OpsPlugin:
    """The agent's tools."""

    @kernel_function(description="Deploys a service.")
    @requires_approval(gate, on_denial="return")
    async def deploy(self, app: str, replicas: int) -> str:
        # Semantic Kernel fills a parameter that is called `service` itself.
        return f"deployed {app} with {replicas} replicas"


# A real agent: ChatCompletionAgent(service=service, plugins=[OpsPlugin()])
kernel = Kernel()
kernel.add_plugin(OpsPlugin(), "ops")
print(asyncio.run(kernel.invoke(function_name="deploy", plugin_name="ops", app="shop", replicas=3)))
