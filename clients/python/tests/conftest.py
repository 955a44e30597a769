"""Fixtures for the client tests."""

pytest_plugins = ["client_fixtures"]
