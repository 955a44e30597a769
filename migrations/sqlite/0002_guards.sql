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

    -- What is said of a call must follow from what was said of it before. One look at the index
    -- one_of_each tells which events the call has; only those whose data matters are read.
    SELECT CASE
        WHEN has_same_type OR NEW.type = 'TOOL_APPROVAL_VOTE' AND EXISTS (
            SELECT 1 FROM events e
            WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_APPROVAL_VOTE' AND e.principal = NEW.principal)
        THEN RAISE(ROLLBACK, 'countersign: the call has an event of this type already')

        -- Everything about a call comes after the call itself, in the same thread.
        WHEN call_seq IS NULL AND NEW.type <> 'TOOL_CALL' AND NEW.tool_call_id IS NOT NULL
        THEN RAISE(ROLLBACK, 'countersign: the thread has no such call')

        -- Nothing starts in a closed thread.
        WHEN (NEW.type = 'TOOL_CALL' OR NEW.type = 'TOOL_EXECUTION_STARTED') AND EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED')
        THEN RAISE(ROLLBACK, 'countersign: the thread is closed')

        ELSE CASE NEW.type

        WHEN 'TOOL_CALL' THEN CASE
            WHEN json_type(NEW.data, '$.arguments') IS NULL OR NEW.data ->> 'name' IS NULL
                OR length(NEW.data ->> 'argumentsHash') IS NOT 64
            THEN RAISE(ROLLBACK, 'countersign: a TOOL_CALL has id, name, arguments and argumentsHash')
        END

        -- People are asked about, and vote on, what is not decided.
        WHEN 'TOOL_APPROVAL_REQUEST' THEN CASE
            WHEN response_seq IS NOT NULL
            THEN RAISE(ROLLBACK, 'countersign: the call is decided already')
        END

        WHEN 'TOOL_APPROVAL_VOTE' THEN CASE
            WHEN response_seq IS NOT NULL
            THEN RAISE(ROLLBACK, 'countersign: the call is decided already')
            WHEN NOT has_request
            THEN RAISE(ROLLBACK, 'countersign: nobody was asked about this call')
        END

        -- A response is about what was proposed, and a person who gives it is not the one who proposed it.
        WHEN 'TOOL_APPROVAL_RESPONSE' THEN CASE
            WHEN CASE NEW.data ->> 'decision'
                WHEN 'allow_once' THEN 0 WHEN 'allow_session' THEN 0 WHEN 'deny' THEN 0 ELSE 1 END
            THEN RAISE(ROLLBACK, 'countersign: a decision is allow_once, allow_session or deny')
            WHEN CASE NEW.data ->> 'source'
                WHEN 'approver' THEN 0 WHEN 'policy' THEN 0 WHEN 'grant' THEN 0
                WHEN 'mode' THEN 0 WHEN 'expiry' THEN 0 WHEN 'cancellation' THEN 0 ELSE 1 END
            THEN RAISE(ROLLBACK, 'countersign: a source is approver, policy, grant, mode, expiry or cancellation')
            WHEN length(NEW.data ->> 'argumentsHash') IS NOT 64
            THEN RAISE(ROLLBACK, 'countersign: argumentsHash is the SHA-256 of what may run')
            WHEN json_type(NEW.data, '$.arguments') IS NULL AND NEW.data ->> 'argumentsHash' <> (
                SELECT e.data ->> 'argumentsHash' FROM events e WHERE e.seq = call_seq)
            THEN RAISE(ROLLBACK, 'countersign: argumentsHash is not that of the proposed arguments')
            WHEN NEW.data ->> 'source' = 'approver' AND (NEW.principal NOT GLOB 'user:?*' OR NEW.principal = (
                SELECT e.principal FROM events e WHERE e.seq = call_seq))
            THEN RAISE(ROLLBACK, 'countersign: a person decides, and never the one who proposed')
        END

        -- A claim needs an approval of just these arguments.
        WHEN 'TOOL_EXECUTION_STARTED' THEN CASE
            WHEN NOT EXISTS (
                SELECT 1 FROM events e
                WHERE e.seq = response_seq AND e.data ->> 'decision' IN ('allow_once', 'allow_session')
                    AND e.data ->> 'argumentsHash' = NEW.data ->> 'argumentsHash')
            THEN RAISE(ROLLBACK, 'countersign: nobody allowed this call with these arguments')
            WHEN has_result
            THEN RAISE(ROLLBACK, 'countersign: the call has ended already')
            WHEN coalesce(NEW.data ->> 'executor', '') = ''
            THEN RAISE(ROLLBACK, 'countersign: a claim names its executor')
        END

        -- A result says how the call ended, and each way of ending has what must come before it.
        WHEN 'TOOL_RESULT' THEN CASE
            WHEN json_type(NEW.data, '$.content') IS NULL
            THEN RAISE(ROLLBACK, 'countersign: a result has its content')
            WHEN NOT CASE NEW.data ->> 'status'
                WHEN 'success' THEN has_started
                WHEN 'error' THEN has_started
                WHEN 'denied' THEN EXISTS (
                    SELECT 1 FROM events e WHERE e.seq = response_seq AND e.data ->> 'decision' = 'deny')
                WHEN 'expired' THEN EXISTS (
                    SELECT 1 FROM events e WHERE e.seq = response_seq AND e.data ->> 'decision' = 'deny'
                        AND e.data ->> 'source' = 'expiry')
                WHEN 'cancelled' THEN has_started OR EXISTS (
                    SELECT 1 FROM events e WHERE e.seq = response_seq AND (
                        e.data ->> 'source' = 'cancellation' OR e.data ->> 'decision' <> 'deny'))
                ELSE 0
            END
            THEN RAISE(ROLLBACK, 'countersign: this result does not follow from what came before')
        END
        END
    END
    FROM (
        SELECT
            max(e.seq) FILTER (WHERE e.type = 'TOOL_CALL') AS call_seq,
            max(e.seq) FILTER (WHERE e.type = 'TOOL_APPROVAL_RESPONSE') AS response_seq,
            count(*) FILTER (WHERE e.type = 'TOOL_APPROVAL_REQUEST') AS has_request,
            count(*) FILTER (WHERE e.type = 'TOOL_EXECUTION_STARTED') AS has_started,
            count(*) FILTER (WHERE e.type = 'TOOL_RESULT') AS has_result,
            count(*) FILTER (WHERE e.type = NEW.type AND NEW.type <> 'TOOL_APPROVAL_VOTE') AS has_same_type
        FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id)
    WHERE NEW.type GLOB 'TOOL_*';

    -- A thread closes once.
    SELECT RAISE(ROLLBACK, 'countersign: the thread is closed')
    WHERE NEW.type = 'THREAD_CLOSED' AND EXISTS (
        SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED');

    -- What is revoked is a grant of this thread, and it is revoked once.
    SELECT CASE
        WHEN NOT EXISTS (
            SELECT 1 FROM events e
            WHERE e.seq = NEW.data ->> 'grant' AND json_type(NEW.data, '$.grant') = 'integer' AND e.thread_id = NEW.thread_id
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
