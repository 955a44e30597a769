"""A client of the official Python SDK. It converses with a server and prints what it gets, as JSON.

Usage: client.py COMMAND [ARGUMENT...]
"""
import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def plain(result):
    return result.model_dump(mode="json", by_alias=True)


async def converse(session):
    yield plain(await session.initialize())
    yield plain(await session.list_tools())
    yield plain(await session.call_tool("echo", {"message": "é"}))
    yield plain(await session.call_tool("get-sum", {"a": 1, "b": 2.5}))
    yield plain(await session.call_tool("get-structured-content", {"location": "Chicago"}))
    yield plain(await session.call_tool("get-sum", {"a": "x"}))
    yield plain(await session.list_prompts())
    yield plain(await session.get_prompt("args-prompt", {"city": "Ulm"}))
    yield plain(await session.list_resources())
    yield plain(await session.list_resource_templates())


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ))
    with open(os.devnull, "w") as quiet:
        async with stdio_client(server, errlog=quiet) as (read, write):
            async with ClientSession(read, write) as session:
                print(json.dumps([part async for part in converse(session)]))


asyncio.run(main())
