"""The contract of all clients, over `Gate` and `AsyncGate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from contract_player import StoryPlayer

CONTRACT = json.loads((Path(__file__).parents[3] / "tests" / "contract" / "stories.json").read_text("utf-8"))


def parameters(stories: list[dict[str, Any]]) -> Any:
    played = [story for story in stories if "python" not in story.get("without", {})]
    return pytest.mark.parametrize("story", [pytest.param(story, id=story["name"]) for story in played])


@pytest.mark.parametrize("client", ["sync", "async"])
@parameters(CONTRACT["stories"])
def test_story(story: dict[str, Any], client: str) -> None:
    player = StoryPlayer(story, client)
    try:
        player.play()
    finally:
        player.close()


@parameters(CONTRACT["mistakes"])
def test_mistake_is_found(story: dict[str, Any]) -> None:
    player = StoryPlayer(story, "sync")
    try:
        with pytest.raises(AssertionError):
            player.play()
    finally:
        player.close()
