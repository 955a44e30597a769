"""The client names itself, so that `countersign status` shows it."""

from countersign import ClientSettings, __version__


def test_user_agent_names_the_package_and_its_version() -> None:
    headers = ClientSettings(server="http://127.0.0.1:1").request_headers()
    assert headers["user-agent"] == f"countersign-python/{__version__}"


def test_header_of_the_caller_replaces_it() -> None:
    settings = ClientSettings(server="http://127.0.0.1:1", headers={"user-agent": "my-agent/2"})
    assert settings.request_headers()["user-agent"] == "my-agent/2"
