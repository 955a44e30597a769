"""The parts of HTTP that both clients share: the options of httpx, and the errors of connections."""

from __future__ import annotations

import ssl
from typing import Any

import httpx

from .errors import CountersignError
from .replies import make_error
from .settings import ClientSettings
from .steps import SendRequest

CONNECT_TIMEOUT = 5.0


def client_options(settings: ClientSettings) -> dict[str, Any]:
    """Options for an httpx client. It uses neither a proxy nor a login from the environment: the token goes to the named
    server alone."""
    return {
        "base_url": settings.base_url,
        "headers": settings.request_headers(),
        "verify": settings.verify(),
        "trust_env": False,
        "follow_redirects": False,
        # Each waiting call holds a connection.
        "limits": httpx.Limits(max_connections=None, max_keepalive_connections=20),
    }


def request_arguments(request: SendRequest, settings: ClientSettings) -> dict[str, Any]:
    """Request arguments for httpx."""
    limit = request.timeout if request.timeout is not None else settings.timeout
    return {
        "method": request.method,
        "url": settings.base_url + request.path,
        "params": list(request.query) or None,
        "content": request.body,
        "headers": dict(request.headers),
        "timeout": httpx.Timeout(limit, connect=min(CONNECT_TIMEOUT, limit)),
    }


def failure(error: httpx.HTTPError, settings: ClientSettings) -> CountersignError:
    """The error for a request without an answer."""
    if isinstance(error, httpx.UnsupportedProtocol):
        return make_error("bad_url", f"{settings.server}: {error}")
    return no_answer(error, settings)


def no_answer(error: httpx.HTTPError, settings: ClientSettings) -> CountersignError:
    """The error for a server that does not answer, or whose certificate is not accepted."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            detail = f"no secure connection to {settings.server}: {cause.verify_message}; name its authority with tls_ca"
            return make_error("strange_server", detail)
        cause = cause.__cause__ or cause.__context__
    why = str(error) or type(error).__name__
    return make_error(
        "unreachable",
        f"no answer from {settings.server}: {why}; start it with `countersign serve`, or name another with COUNTERSIGN_SERVER",
    )
