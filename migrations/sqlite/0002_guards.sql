-- What always holds, held by the database too: whoever writes, by whatever means.
--
-- The guards end the whole transaction (RAISE(ROLLBACK, …)), so that nothing of what led to a forbidden
-- row stays. They stand in one trigger because SQLite pays for each trigger on every row.

CREATE TRIGGER rows_are_never_changed BEFORE UPDATE ON events BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: events are never changed');
END;

CREATE TRIGGER rows_are_never_deleted BEFORE DELETE ON events BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: events are never deleted');
END;

CREATE TRIGGER rows_follow_the_rules BEFORE INSERT ON events BEGIN

    -- INSERT OR REPLACE deletes without asking the trigger above, so what it would replace is refused here.
    SELECT RAISE(ROLLBACK, 'countersign: this seq is taken, and events are never changed')
    WHERE EXISTS (SELECT 1 FROM events e WHERE e.seq = NEW.seq);

    SELECT RAISE(ROLLBACK, 'countersign: the call has an event of this type already')
    WHERE NEW.tool_call_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = NEW.type
            AND (NEW.type <> 'TOOL_APPROVAL_VOTE' OR e.principal = NEW.principal));

    -- Everything about a call comes after the call itself, in the same thread.
    SELECT RAISE(ROLLBACK, 'countersign: the thread has no such call')
    WHERE NEW.tool_call_id IS NOT NULL AND NEW.type <> 'TOOL_CALL' AND NOT EXISTS (
        SELECT 1 FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = 'TOOL_CALL');

    -- Nothing starts in a closed thread, and it closes once.
    SELECT RAISE(ROLLBACK, 'countersign: the thread is closed')
    WHERE NEW.type IN ('TOOL_CALL', 'TOOL_EXECUTION_STARTED', 'THREAD_CLOSED') AND EXISTS (
        SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED');

    SELECT RAISE(ROLLBACK, 'countersign: a TOOL_CALL has id, name, arguments and argumentsHash')
    WHERE NEW.type = 'TOOL_CALL' AND (
        json_type(NEW.data, '$.arguments') IS NULL OR NEW.data ->> 'name' IS NULL
        OR length(NEW.data ->> 'argumentsHash') IS NOT 64);

    -- People are asked about, and vote on, what is not decided.
    SELECT CASE
        WHEN EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_APPROVAL_RESPONSE')
        THEN RAISE(ROLLBACK, 'countersign: the call is decided already')
        WHEN NEW.type = 'TOOL_APPROVAL_VOTE' AND NOT EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_APPROVAL_REQUEST')
        THEN RAISE(ROLLBACK, 'countersign: nobody was asked about this call')
    END
    WHERE NEW.type IN ('TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_VOTE');

    -- A response is about what was proposed, and a person who gives it is not the one who proposed it.
    SELECT CASE
        WHEN coalesce(NEW.data ->> 'decision', '') NOT IN ('allow_once', 'allow_session', 'deny')
        THEN RAISE(ROLLBACK, 'countersign: a decision is allow_once, allow_session or deny')
        WHEN coalesce(NEW.data ->> 'source', '') NOT IN ('approver', 'policy', 'grant', 'mode', 'expiry', 'cancellation')
        THEN RAISE(ROLLBACK, 'countersign: a source is approver, policy, grant, mode, expiry or cancellation')
        WHEN length(NEW.data ->> 'argumentsHash') IS NOT 64
        THEN RAISE(ROLLBACK, 'countersign: argumentsHash is the SHA-256 of what may run')
        WHEN EXISTS (
            SELECT 1 FROM events e
            WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = 'TOOL_CALL'
                AND e.data ->> 'argumentsHash' <> NEW.data ->> 'argumentsHash'
                AND json_type(NEW.data, '$.arguments') IS NULL)
        THEN RAISE(ROLLBACK, 'countersign: argumentsHash is not that of the proposed arguments')
        WHEN NEW.data ->> 'source' = 'approver' AND (NEW.principal NOT GLOB 'user:?*' OR NEW.principal = (
            SELECT e.principal FROM events e
            WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = 'TOOL_CALL'))
        THEN RAISE(ROLLBACK, 'countersign: a person decides, and never the one who proposed')
    END
    WHERE NEW.type = 'TOOL_APPROVAL_RESPONSE';

    -- A claim needs an approval of just these arguments.
    SELECT CASE
        WHEN NOT EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_APPROVAL_RESPONSE'
                AND e.data ->> 'decision' IN ('allow_once', 'allow_session')
                AND e.data ->> 'argumentsHash' = NEW.data ->> 'argumentsHash')
        THEN RAISE(ROLLBACK, 'countersign: nobody allowed this call with these arguments')
        WHEN EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_RESULT')
        THEN RAISE(ROLLBACK, 'countersign: the call has ended already')
        WHEN coalesce(NEW.data ->> 'executor', '') = ''
        THEN RAISE(ROLLBACK, 'countersign: a claim names its executor')
    END
    WHERE NEW.type = 'TOOL_EXECUTION_STARTED';

    -- A result says how the call ended, and each way of ending has what must come before it.
    SELECT CASE
        WHEN json_type(NEW.data, '$.content') IS NULL
        THEN RAISE(ROLLBACK, 'countersign: a result has its content')
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
        THEN RAISE(ROLLBACK, 'countersign: this result does not follow from what came before')
    END
    WHERE NEW.type = 'TOOL_RESULT';

    -- What is revoked is a grant of this thread, and it is revoked once.
    SELECT CASE
        WHEN NOT EXISTS (
            SELECT 1 FROM events e
            WHERE e.seq = NEW.data ->> 'grant' AND e.thread_id = NEW.thread_id
                AND e.type = 'TOOL_APPROVAL_RESPONSE'
                AND e.data ->> 'decision' = 'allow_session' AND e.data ->> 'source' = 'approver')
        THEN RAISE(ROLLBACK, 'countersign: that seq gave no grant in this thread')
        WHEN EXISTS (
            SELECT 1 FROM events e
            WHERE e.thread_id = NEW.thread_id AND e.type = 'GRANT_REVOKED'
                AND e.data ->> 'grant' = NEW.data ->> 'grant')
        THEN RAISE(ROLLBACK, 'countersign: the grant is revoked already')
    END
    WHERE NEW.type = 'GRANT_REVOKED';
END;
