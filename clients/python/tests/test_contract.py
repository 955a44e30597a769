"""The contract of all clients, over `Gate` and `AsyncGate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from contract_player import StoryPlayer

STORIES = json.loads((Path(__file__).parents[3] / "tests" / "contract" / "stories.json").read_text("utf-8"))["stories"]


@pytest.mark.parametrize("client", ["sync", "async"])
@pytest.mark.parametrize("story", [pytest.param(story, id=story["name"]) for story in STORIES if "python" not in story.get("without", {})])
def test_story(story: dict[str, Any], client: str) -> None:
    player = StoryPlayer(story, client)
    try:
        player.play()
    finally:
        player.close()
