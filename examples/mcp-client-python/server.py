"""An MCP server with two tools, on its standard input and output."""

from mcp.server import MCPServer

server: MCPServer[None] = MCPServer("ops")


@server.tool()
def read_log(service: str) -> str:
    """Reads the log of a service."""
    return f"{service}: no errors"


@server.tool()
def deploy(service: str, replicas: int) -> str:
    """Deploys a service."""
    return f"deployed {service} with {replicas} replicas"


if __name__ == "__main__":
    server.run()
