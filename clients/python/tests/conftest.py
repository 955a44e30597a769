"""The fixtures of the tests of the client."""

pytest_plugins = ["client_fixtures"]
