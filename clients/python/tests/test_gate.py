"""Settings and cursors against the real server. The contract tests the operations."""

from __future__ import annotations

import asyncio

import pytest
from countersign import CountersignError, FailedBeforeError, Gate, StillPendingError, ToolReport
from countersign.error_codes import BadCursorError, BadUrlError, UnauthenticatedError
from server import ServerUnderTest


def test_bad_settings_are_refused(server: ServerUnderTest, tmp_path: object) -> None:
    with pytest.raises(BadUrlError) as caught:
        Gate("ftp://user:secret@host")
    assert "secret" not in str(caught.value)
    with pytest.raises(UnauthenticatedError):
        Gate(server.url, "two words")
    with Gate(server.url, "csgn_wrong") as gate, pytest.raises(UnauthenticatedError) as unknown:
        gate.caller()
    assert unknown.value.request_id
    with Gate("http://127.0.0.1:9", "x") as gate, pytest.raises(CountersignError) as refused:
        gate.ready()
    assert refused.value.code == "unreachable"
    assert "countersign serve" in str(refused.value)


def test_clients_of_closed_loops_are_discarded(server: ServerUnderTest) -> None:
    with Gate(server.url, server.agent) as gate:
        for _ in range(5):
            asyncio.run(gate.as_async().ready())
        assert len(gate.as_async()._clients) == 1


def test_report_of_a_runner_is_recorded_in_place_of_its_value(gate: Gate) -> None:
    ended = gate.call_tool("read_it", {}, lambda arguments: ToolReport({1, 2}, "two rows"), call_id="call_0")
    assert ended.value == {1, 2}
    assert ended.call["result"] is not None
    assert (ended.call["result"]["status"], ended.call["result"]["content"]) == ("success", "two rows")
    failed = gate.call_tool("read_it", {}, lambda arguments: ToolReport("sorry", "no rows", failed=True), call_id="call_1")
    assert (failed.value, failed.ran_now) == ("sorry", True)
    with pytest.raises(FailedBeforeError, match="no rows"):
        gate.call_tool("read_it", {}, lambda arguments: ToolReport("sorry", "no rows"), call_id="call_1")


def test_token_is_not_shown(server: ServerUnderTest) -> None:
    with Gate(server.url, server.agent) as gate:
        assert server.agent not in repr(gate.settings)


def test_cursor_of_another_log_is_refused(gate: Gate) -> None:
    with gate.stream(after="1-0000000000000000") as events, pytest.raises(BadCursorError) as caught:
        next(events)
    assert caught.value.tip is not None


def test_waiting_call_is_announced_once(server: ServerUnderTest, capsys: pytest.CaptureFixture[str]) -> None:
    def wait_in_vain(gate: Gate, call_id: str) -> str:
        with pytest.raises(StillPendingError):
            gate.call_tool("deploy", {}, lambda arguments: None, call_id=call_id, timeout=0)
        return capsys.readouterr().err

    port = server.url.rpartition(":")[2]
    with Gate(server.url, server.agent, thread="ci/7 é") as gate:
        link = f"http://countersign.localhost:{port}/calls/ci%2F7%20%C3%A9/call%3F1"
        assert wait_in_vain(gate, "call?1") == f"countersign: a call waits for a decision: {link}\n"
        assert wait_in_vain(gate, "call?1") == "", "once"
        call = gate.propose("deploy", {"other": True}, call_id="call_2")
        assert gate.wait(call, timeout=0)["state"] == "pending"
        assert "/call_2\n" in capsys.readouterr().err
        gate.call_tool("read_it", {}, lambda arguments: None, call_id="call_3")
        assert capsys.readouterr().err == "", "nobody is asked"
    with Gate(server.url, server.agent, thread="quiet", quiet=True) as quiet:
        assert wait_in_vain(quiet, "call_1") == ""


def test_announcement_is_turned_off_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Gate("http://127.0.0.1:9").settings.quiet
    monkeypatch.setenv("COUNTERSIGN_QUIET", "1")
    assert Gate("http://127.0.0.1:9").settings.quiet
    assert not Gate("http://127.0.0.1:9", quiet=False).settings.quiet
