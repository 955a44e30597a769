-- What always holds, held by the database too: whoever writes, by whatever means.

CREATE TRIGGER rows_are_never_changed BEFORE UPDATE ON events BEGIN
    SELECT RAISE(ABORT, 'countersign: events are never changed');
END;

CREATE TRIGGER rows_are_never_deleted BEFORE DELETE ON events BEGIN
    SELECT RAISE(ABORT, 'countersign: events are never deleted');
END;

-- INSERT OR REPLACE deletes without asking the trigger above, so what it would replace is refused here.
CREATE TRIGGER rows_are_never_replaced BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'countersign: this seq is taken, and events are never changed');
END;

CREATE TRIGGER a_call_has_one_of_each BEFORE INSERT ON events
WHEN NEW.type <> 'TOOL_APPROVAL_VOTE' AND EXISTS (
    SELECT 1 FROM events e
    WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = NEW.type)
BEGIN
    SELECT RAISE(ABORT, 'countersign: the call has an event of this type already');
END;

CREATE TRIGGER other_things_happen_once BEFORE INSERT ON events
WHEN NEW.type IN ('TOOL_APPROVAL_VOTE', 'THREAD_CLOSED', 'GRANT_REVOKED') AND (
    NEW.type = 'THREAD_CLOSED' AND EXISTS (
        SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED')
    OR NEW.type = 'TOOL_APPROVAL_VOTE' AND EXISTS (
        SELECT 1 FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
            AND e.principal = NEW.principal AND e.type = 'TOOL_APPROVAL_VOTE')
    OR NEW.type = 'GRANT_REVOKED' AND EXISTS (
        SELECT 1 FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.type = 'GRANT_REVOKED'
            AND e.data ->> 'grant' = NEW.data ->> 'grant'))
BEGIN
    SELECT RAISE(ABORT, 'countersign: this has happened already, and happens once');
END;

-- Numbers have no gaps, so that a reader who has seen n knows that n + 1 comes next.
CREATE TRIGGER rows_are_numbered_without_gaps AFTER INSERT ON events
WHEN NEW.seq <> 1 + coalesce((SELECT max(seq) FROM events WHERE seq < NEW.seq), 0)
    OR EXISTS (SELECT 1 FROM events WHERE seq > NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'countersign: leave seq out; it is the next number');
END;

CREATE TRIGGER nothing_is_proposed_in_a_closed_thread BEFORE INSERT ON events
WHEN NEW.type = 'TOOL_CALL'
BEGIN
    SELECT CASE
        WHEN EXISTS (SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED')
        THEN RAISE(ABORT, 'countersign: the thread is closed')
        WHEN json_type(NEW.data, '$.arguments') IS NULL OR NEW.data ->> 'name' IS NULL
            OR length(NEW.data ->> 'argumentsHash') IS NOT 64
        THEN RAISE(ABORT, 'countersign: a TOOL_CALL has id, name, arguments and argumentsHash')
    END;
END;

CREATE TRIGGER a_request_needs_an_undecided_call BEFORE INSERT ON events
WHEN NEW.type IN ('TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_VOTE')
BEGIN
    SELECT CASE
        WHEN NOT EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_CALL')
        THEN RAISE(ABORT, 'countersign: the thread has no such call')
        WHEN EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_APPROVAL_RESPONSE')
        THEN RAISE(ABORT, 'countersign: the call is decided already')
        WHEN NEW.type = 'TOOL_APPROVAL_VOTE' AND NOT EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_APPROVAL_REQUEST')
        THEN RAISE(ABORT, 'countersign: nobody was asked about this call')
    END;
END;

CREATE TRIGGER a_response_is_about_what_was_proposed BEFORE INSERT ON events
WHEN NEW.type = 'TOOL_APPROVAL_RESPONSE'
BEGIN
    SELECT CASE
        WHEN NOT EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_CALL')
        THEN RAISE(ABORT, 'countersign: the thread has no such call')
        WHEN coalesce(NEW.data ->> 'decision', '') NOT IN ('allow_once', 'allow_session', 'deny')
        THEN RAISE(ABORT, 'countersign: a decision is allow_once, allow_session or deny')
        WHEN coalesce(NEW.data ->> 'source', '') NOT IN ('approver', 'policy', 'grant', 'mode', 'expiry', 'cancellation')
        THEN RAISE(ABORT, 'countersign: a source is approver, policy, grant, mode, expiry or cancellation')
        WHEN NEW.data ->> 'source' = 'approver' AND (NEW.principal NOT GLOB 'user:?*' OR NEW.principal = (
            SELECT e.principal FROM events e
            WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = 'TOOL_CALL'))
        THEN RAISE(ABORT, 'countersign: a person decides, and never the one who proposed')
        WHEN json_type(NEW.data, '$.arguments') IS NULL AND NEW.data ->> 'argumentsHash' IS NOT (
            SELECT e.data ->> 'argumentsHash' FROM events e
            WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = 'TOOL_CALL')
        THEN RAISE(ABORT, 'countersign: argumentsHash is not that of the proposed arguments')
        WHEN length(NEW.data ->> 'argumentsHash') IS NOT 64
        THEN RAISE(ABORT, 'countersign: argumentsHash is the SHA-256 of what may run')
    END;
END;

CREATE TRIGGER a_claim_needs_an_approval BEFORE INSERT ON events
WHEN NEW.type = 'TOOL_EXECUTION_STARTED'
BEGIN
    SELECT CASE
        WHEN NOT EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_APPROVAL_RESPONSE'
                AND e.data ->> 'decision' IN ('allow_once', 'allow_session')
                AND e.data ->> 'argumentsHash' = NEW.data ->> 'argumentsHash')
        THEN RAISE(ABORT, 'countersign: nobody allowed this call with these arguments')
        WHEN EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_RESULT')
        THEN RAISE(ABORT, 'countersign: the call has ended already')
        WHEN EXISTS (SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED')
        THEN RAISE(ABORT, 'countersign: the thread is closed')
        WHEN coalesce(NEW.data ->> 'executor', '') = ''
        THEN RAISE(ABORT, 'countersign: a claim names its executor')
    END;
END;

-- A result says how the call ended, and each way of ending has what must come before it.
CREATE TRIGGER a_result_follows_from_what_came_before BEFORE INSERT ON events
WHEN NEW.type = 'TOOL_RESULT'
BEGIN
    SELECT CASE
        WHEN json_type(NEW.data, '$.content') IS NULL
        THEN RAISE(ABORT, 'countersign: a result has its content')
        WHEN NOT EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND CASE NEW.data ->> 'status'
                    WHEN 'success' THEN e.type = 'TOOL_EXECUTION_STARTED'
                    WHEN 'error' THEN e.type = 'TOOL_EXECUTION_STARTED'
                    WHEN 'denied' THEN e.type = 'TOOL_APPROVAL_RESPONSE' AND e.data ->> 'decision' = 'deny'
                    WHEN 'expired' THEN e.type = 'TOOL_APPROVAL_RESPONSE' AND e.data ->> 'decision' = 'deny'
                        AND e.data ->> 'source' = 'expiry'
                    WHEN 'cancelled' THEN e.type = 'TOOL_EXECUTION_STARTED'
                        OR e.type = 'TOOL_APPROVAL_RESPONSE' AND (
                            e.data ->> 'source' = 'cancellation' OR e.data ->> 'decision' <> 'deny')
                    ELSE 0
                END)
        THEN RAISE(ABORT, 'countersign: this result does not follow from what came before')
    END;
END;

CREATE TRIGGER a_revocation_needs_its_grant BEFORE INSERT ON events
WHEN NEW.type = 'GRANT_REVOKED' AND NOT EXISTS (
    SELECT 1 FROM events e
    WHERE e.seq = NEW.data ->> 'grant' AND e.thread_id = NEW.thread_id AND e.type = 'TOOL_APPROVAL_RESPONSE'
        AND e.data ->> 'decision' = 'allow_session' AND e.data ->> 'source' = 'approver')
BEGIN
    SELECT RAISE(ABORT, 'countersign: that seq gave no grant in this thread');
END;
