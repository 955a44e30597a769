-- The views for people with a SQL shell: events by call, one row per call, and a way to decide.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The events about calls, each with the id of its call. PostgreSQL moves a condition on tool_call_id and thread_id into
-- each branch, where one of the unique indexes answers it.
CREATE VIEW call_events AS
SELECT seq, thread_id, data ->> 'id' AS tool_call_id, type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_CALL'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_APPROVAL_REQUEST'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_APPROVAL_VOTE'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_APPROVAL_REMINDER'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_APPROVAL_ESCALATED'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_APPROVAL_RESPONSE'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_EXECUTION_STARTED'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_EXECUTION_RENEWED'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_EXECUTION_RELEASED'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_EXECUTION_TAKEN_OVER'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash
FROM events WHERE type = 'TOOL_RESULT';

-- One row per call. `arguments` are those that ran or may run: as an approver changed them, or as they were proposed. If
-- an earlier decision answered the call, `granted_by` is the person who made it, `grant_seq` its seq, and `grant_scope`
-- its scope: 'once' if it was for one call. It is the `decision_seq` of the call on which that person decided.
CREATE VIEW calls AS
SELECT
    c.seq, c.thread_id, c.data ->> 'id' AS tool_call_id, c.data ->> 'name' AS tool,
    coalesce(r.data -> 'arguments', v.data -> 'arguments', c.data -> 'arguments') AS arguments,
    c.data -> 'arguments' AS proposed_arguments,
    coalesce(r.data -> 'arguments', v.data -> 'arguments') IS NOT NULL AS changed,
    c.principal AS proposed_by, c.timestamp AS proposed_at, q.timestamp AS requested_at,
    r.data ->> 'decision' AS decision, r.data ->> 'source' AS source, r.principal AS decided_by,
    r.timestamp AS decided_at, r.seq AS decision_seq, r.data ->> 'comment' AS comment,
    coalesce(r.data ->> 'scope', CASE r.data ->> 'decision' WHEN 'allow_session' THEN 'tool' END) AS scope,
    g.principal AS granted_by, g.seq AS grant_seq,
    coalesce(g.data ->> 'scope', CASE g.data ->> 'decision' WHEN 'allow_session' THEN 'tool'
        WHEN 'allow_once' THEN 'once' WHEN 'deny' THEN 'once' END) AS grant_scope,
    s.data ->> 'executor' AS executor, s.timestamp AS started_at,
    t.data ->> 'status' AS status, t.data -> 'content' AS content, t.timestamp AS ended_at
FROM events c
LEFT JOIN events q ON q.type = 'TOOL_APPROVAL_REQUEST'
    AND q.data ->> 'toolCallId' = c.data ->> 'id' AND q.thread_id = c.thread_id
LEFT JOIN events r ON r.type = 'TOOL_APPROVAL_RESPONSE'
    AND r.data ->> 'toolCallId' = c.data ->> 'id' AND r.thread_id = c.thread_id
-- The last vote that changed the arguments. It counts until the response, which repeats its arguments. + 0 keeps the
-- database from reading the thread in the order of its events instead of using the index of votes.
LEFT JOIN events v ON r.seq IS NULL AND v.seq = (
    SELECT e.seq FROM events e
    WHERE e.type = 'TOOL_APPROVAL_VOTE' AND e.data ->> 'toolCallId' = c.data ->> 'id' AND e.thread_id = c.thread_id
        AND e.data -> 'arguments' IS NOT NULL
    ORDER BY e.seq + 0 DESC LIMIT 1)
-- || '' keeps the database from searching the responses of the thread instead of using the seq.
LEFT JOIN events g ON g.type || '' = 'TOOL_APPROVAL_RESPONSE' AND g.thread_id || '' = r.thread_id
    AND g.seq = CASE WHEN r.data ->> 'grant' ~ '^[0-9]{1,18}$' THEN (r.data ->> 'grant')::bigint END
LEFT JOIN events s ON s.type = 'TOOL_EXECUTION_STARTED'
    AND s.data ->> 'toolCallId' = c.data ->> 'id' AND s.thread_id = c.thread_id
LEFT JOIN events t ON t.type = 'TOOL_RESULT'
    AND t.data ->> 'toolCallId' = c.data ->> 'id' AND t.thread_id = c.thread_id
WHERE c.type = 'TOOL_CALL';

-- An INSERT into this view decides a call:
-- INSERT INTO decisions VALUES ('thread', 'call', 'allow_once', 'user:ada', 'why');
CREATE VIEW decisions AS
SELECT thread_id, tool_call_id, decision, decided_by AS principal, comment FROM calls WHERE decision IS NOT NULL;

-- Rejects a row without a hash. The trigger of `decisions` writes such rows, at a trigger depth of 1.
CREATE FUNCTION reject_row_without_hash() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'countersign: with SQL, decide through the view decisions and write nothing else'
        USING ERRCODE = 'CS001';
END $$;

CREATE TRIGGER rows_without_a_hash_are_decisions BEFORE INSERT ON events
    FOR EACH ROW WHEN (NEW.hash IS NULL AND pg_trigger_depth() = 0) EXECUTE FUNCTION reject_row_without_hash();

-- Decides a request that any one person may decide. Requests that need a level, a group or a quorum are decided with
-- `countersign`, which knows the levels and groups of people. json, not jsonb, writes the fields in the order in which
-- they are named.
CREATE FUNCTION decide_by_hand() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    complaint text;
BEGIN
    -- Take the lock first, so that the checks see a decision that another transaction commits before this one.
    PERFORM pg_advisory_xact_lock(x'4353474e'::int, 'events'::regclass::oid::int);
    SELECT CASE
        WHEN c.seq IS NULL
        THEN 'countersign: the thread has no such call'
        WHEN r.seq IS NOT NULL
        THEN 'countersign: the call is decided already'
        WHEN q.seq IS NULL
        THEN 'countersign: this call has no request to decide'
        WHEN coalesce(NEW.principal, '') NOT LIKE 'user:_%' OR NEW.principal = c.principal
        THEN 'countersign: only a person may decide, and not the person who proposed the call'
        WHEN octet_length(NEW.principal) > 512 OR NEW.principal LIKE 'user: %' OR NEW.principal LIKE '% '
            OR NEW.principal ~ '[^ -~\u00c0-\u024f]'
        THEN 'countersign: by hand, a principal has at most 512 bytes of ASCII and Latin letters, and no blanks around its name'
        WHEN NOT coalesce(q.data -> 'options' ? NEW.decision, false)
        THEN 'countersign: the decision is not one of the options of the request'
        WHEN (q.data ->> 'quorum')::int > 1 OR (q.data ->> 'denials')::int > 1 OR q.data ->> 'level' IS NOT NULL
            OR coalesce(q.data -> 'approvers', '[]') <> '[]' OR q.data ->> 'defaultLevel' IS NOT NULL OR EXISTS (
                SELECT FROM events x WHERE x.type = 'TOOL_APPROVAL_ESCALATED'
                    AND x.data ->> 'toolCallId' = NEW.tool_call_id AND x.thread_id = NEW.thread_id)
        THEN 'countersign: this call takes more than any one person: decide with countersign'
        WHEN q.data ->> 'expiresAt' <= to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        THEN 'countersign: the time to decide is over'
    END
    INTO complaint
    FROM (VALUES (1)) one
    LEFT JOIN events c ON c.type = 'TOOL_CALL'
        AND c.data ->> 'id' = NEW.tool_call_id AND c.thread_id = NEW.thread_id
    LEFT JOIN events q ON q.type = 'TOOL_APPROVAL_REQUEST'
        AND q.data ->> 'toolCallId' = NEW.tool_call_id AND q.thread_id = NEW.thread_id
    LEFT JOIN events r ON r.type = 'TOOL_APPROVAL_RESPONSE'
        AND r.data ->> 'toolCallId' = NEW.tool_call_id AND r.thread_id = NEW.thread_id;
    IF complaint IS NOT NULL THEN
        RAISE EXCEPTION '%', complaint USING ERRCODE = 'CS001';
    END IF;
    INSERT INTO events (thread_id, type, principal, data)
    SELECT thread_id, 'TOOL_APPROVAL_RESPONSE', NEW.principal, json_strip_nulls(json_build_object(
        'toolCallId', data ->> 'id', 'decision', NEW.decision, 'source', 'approver',
        'comment', NEW.comment, 'argumentsHash', data ->> 'argumentsHash'))
    FROM events
    WHERE type = 'TOOL_CALL' AND data ->> 'id' = NEW.tool_call_id AND thread_id = NEW.thread_id;
    IF NEW.decision = 'deny' THEN
        INSERT INTO events (thread_id, type, principal, data)
        VALUES (NEW.thread_id, 'TOOL_RESULT', NEW.principal, json_build_object(
            'toolCallId', NEW.tool_call_id, 'status', 'denied', 'content',
            'Denied by ' || NEW.principal || coalesce(': ' || NEW.comment, ', without a comment')
                || ' (do not retry this call unchanged)'));
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER decide_by_hand INSTEAD OF INSERT ON decisions
    FOR EACH ROW EXECUTE FUNCTION decide_by_hand();

-- A decision made with SQL notifies waiting processes when its transaction commits. Countersign notifies after its own
-- commits, because a transaction that notifies during its commit delays such commits in all databases of the server.
CREATE FUNCTION notify_processes() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM pg_notify('countersign_' || TG_RELID, NEW.seq::text);
    RETURN NULL;
END $$;

CREATE TRIGGER rows_without_a_hash_notify AFTER INSERT ON events
    FOR EACH ROW WHEN (NEW.hash IS NULL) EXECUTE FUNCTION notify_processes();

ALTER TABLE events ENABLE ALWAYS TRIGGER rows_without_a_hash_are_decisions;
ALTER TABLE events ENABLE ALWAYS TRIGGER rows_without_a_hash_notify;
