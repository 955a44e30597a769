-- For people with a SQL shell: one row a call, and a way to decide by hand.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE VIEW calls AS
SELECT
    c.seq, c.thread_id, c.tool_call_id, c.data ->> 'name' AS tool, c.data -> 'arguments' AS arguments,
    c.principal AS proposed_by, c.timestamp AS proposed_at, q.timestamp AS requested_at,
    r.data ->> 'decision' AS decision, r.data ->> 'source' AS source, r.principal AS decided_by,
    r.timestamp AS decided_at, r.data ->> 'comment' AS comment,
    s.data ->> 'executor' AS executor, s.timestamp AS started_at,
    t.data ->> 'status' AS status, t.data -> 'content' AS content, t.timestamp AS ended_at
FROM events c
LEFT JOIN events q ON q.thread_id = c.thread_id AND q.tool_call_id = c.tool_call_id AND q.type = 'TOOL_APPROVAL_REQUEST'
LEFT JOIN events r ON r.thread_id = c.thread_id AND r.tool_call_id = c.tool_call_id AND r.type = 'TOOL_APPROVAL_RESPONSE'
LEFT JOIN events s ON s.thread_id = c.thread_id AND s.tool_call_id = c.tool_call_id AND s.type = 'TOOL_EXECUTION_STARTED'
LEFT JOIN events t ON t.thread_id = c.thread_id AND t.tool_call_id = c.tool_call_id AND t.type = 'TOOL_RESULT'
WHERE c.type = 'TOOL_CALL';

-- INSERT INTO decisions VALUES ('thread', 'call', 'allow_once', 'user:ada', 'why');
CREATE VIEW decisions AS
SELECT thread_id, tool_call_id, decision, decided_by AS principal, comment FROM calls WHERE decision IS NOT NULL;

-- json, and not jsonb, writes the fields in the order in which they are named.
CREATE FUNCTION decide_by_hand() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    complaint text := CASE
        WHEN NOT EXISTS (
            SELECT FROM events
            WHERE thread_id = NEW.thread_id AND tool_call_id = NEW.tool_call_id AND type = 'TOOL_CALL')
        THEN 'countersign: the thread has no such call'
        WHEN coalesce(NEW.decision, '') NOT IN ('allow_once', 'allow_session', 'deny')
        THEN 'countersign: a decision is allow_once, allow_session or deny'
    END;
BEGIN
    IF complaint IS NOT NULL THEN
        RAISE EXCEPTION '%', complaint USING ERRCODE = 'CS001';
    END IF;
    INSERT INTO events (thread_id, type, principal, data)
    SELECT thread_id, 'TOOL_APPROVAL_RESPONSE', NEW.principal, json_strip_nulls(json_build_object(
        'toolCallId', tool_call_id, 'decision', NEW.decision, 'source', 'approver',
        'comment', NEW.comment, 'argumentsHash', data ->> 'argumentsHash'))
    FROM events
    WHERE thread_id = NEW.thread_id AND tool_call_id = NEW.tool_call_id AND type = 'TOOL_CALL';
    IF NEW.decision = 'deny' THEN
        INSERT INTO events (thread_id, type, principal, data)
        VALUES (NEW.thread_id, 'TOOL_RESULT', NEW.principal, json_strip_nulls(json_build_object(
            'toolCallId', NEW.tool_call_id, 'status', 'denied', 'content',
            'Denied by ' || NEW.principal || coalesce(': ' || NEW.comment, ', without a comment')
                || ' (do not retry this call unchanged)')));
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER decide_by_hand INSTEAD OF INSERT ON decisions
    FOR EACH ROW EXECUTE FUNCTION decide_by_hand();

-- Whether a text is a moment of the calendar. A cast would end in an error of its own where there is none.
CREATE FUNCTION is_moment(moment text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN moment ~ ('^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
            || 'T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$')
        THEN to_char((substr(moment, 1, 8) || '01')::date + (substr(moment, 9, 2)::int - 1), 'YYYY-MM-DD')
            = substr(moment, 1, 10)
        ELSE false END;

-- Whether a text can be a name: of a tool, a thread, a call, a principal. PostgreSQL takes no NUL in a text, so
-- nobody has to look for one.
CREATE FUNCTION is_name(name text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN octet_length(name) <= 512 AND name !~ '[\u0001-\u001f\u007f-\u009f]';

-- What a process of ours checks before it writes, checked here for a row that somebody writes by hand: one
-- that could not be read back would stand in everybody's way, and could not be taken out again.
CREATE FUNCTION rows_by_hand_are_well_formed() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    said jsonb := document(NEW.data);
    call_id text := CASE
        WHEN NEW.type = 'TOOL_CALL' THEN said ->> 'id'
        WHEN NEW.type LIKE 'TOOL\_%' AND NEW.type <> 'TOOL_POLICY_SET' THEN said ->> 'toolCallId' END;
    complaint text := CASE
        WHEN NEW.thread_id IN ('.', '..') OR NOT is_name(NEW.thread_id)
        THEN 'countersign: a thread is named by 1 to 512 bytes without control characters'
        WHEN NOT is_name(NEW.principal)
        THEN 'countersign: a principal has at most 512 bytes and no control characters'
        WHEN NOT is_moment(NEW.timestamp)
        THEN 'countersign: leave timestamp out; it is now, in UTC and milliseconds'
        -- jsonb keeps the last of two keys alike, and json both.
        WHEN jsonb_typeof(said) = 'object' AND (
            SELECT count(*) <> count(DISTINCT key) FROM json_object_keys(readable(NEW.data)::json) key)
        THEN 'countersign: data has a key twice'
        WHEN call_id IS NOT NULL AND NEW.type <> 'TOOL_CALL' AND jsonb_typeof(said -> 'toolCallId') <> 'string'
        THEN 'countersign: toolCallId is a string'

        ELSE CASE NEW.type

        WHEN 'TOOL_CALL' THEN CASE
            WHEN jsonb_typeof(said -> 'id') <> 'string' OR jsonb_typeof(said -> 'name') <> 'string'
                OR said ->> 'name' = '' OR call_id IN ('.', '..')
                OR NOT is_name(call_id) OR NOT is_name(said ->> 'name')
            THEN 'countersign: id and name have 1 to 512 bytes without control characters'
            WHEN said ->> 'argumentsHash' ~ '[^0-9a-f]'
            THEN 'countersign: argumentsHash has 64 lower-case hexadecimal digits'
            WHEN jsonb_typeof(said -> 'description') <> 'string'
            THEN 'countersign: a description is a string'
        END

        WHEN 'TOOL_APPROVAL_REQUEST' THEN CASE
            WHEN jsonb_typeof(said -> 'reason') IS DISTINCT FROM 'string'
                OR jsonb_typeof(said -> 'options') IS DISTINCT FROM 'array'
                OR NOT coalesce(said ->> 'policy' ~ '^[0-9a-f]{64}$', false)
            THEN 'countersign: a request has reason, options and the policy''s hash'
            WHEN NOT is_moment(said ->> 'expiresAt')
            THEN 'countersign: expiresAt looks like 2026-01-31T12:00:00.000Z'
        END

        -- Policies, grants and clocks do not type: by hand, people decide.
        WHEN 'TOOL_APPROVAL_RESPONSE' THEN CASE
            WHEN said ->> 'source' <> 'approver'
            THEN 'countersign: by hand, only a person decides'
            WHEN said -> 'arguments' IS NOT NULL
            THEN 'countersign: arguments cannot be changed by hand'
            WHEN jsonb_typeof(said -> 'comment') <> 'string'
            THEN 'countersign: a comment is a string'
            WHEN EXISTS (
                SELECT FROM events q
                WHERE q.thread_id = NEW.thread_id AND q.tool_call_id = call_id
                    AND q.type = 'TOOL_APPROVAL_REQUEST'
                    AND q.data ->> 'expiresAt' <= to_char(
                        clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
            THEN 'countersign: the time to decide is over'
        END

        WHEN 'TOOL_EXECUTION_STARTED' THEN CASE
            WHEN jsonb_typeof(said -> 'executor') <> 'string'
            THEN 'countersign: a claim names its executor'
            WHEN NOT is_moment(said ->> 'leaseExpiresAt')
            THEN 'countersign: leaseExpiresAt looks like 2026-01-31T12:00:00.000Z'
        END
        END
    END;
BEGIN
    IF complaint IS NOT NULL THEN
        RAISE EXCEPTION '%', complaint USING ERRCODE = 'CS001';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER rows_by_hand_are_well_formed BEFORE INSERT ON events
    FOR EACH ROW WHEN (NEW.hash IS NULL) EXECUTE FUNCTION rows_by_hand_are_well_formed();

-- No file changes that a reader could look at, so a row by hand rings the bell, and is heard when its
-- transaction commits. Rows of ours are rung for by whoever wrote them, after the commit: a transaction that
-- rings while it commits makes those of all other databases of the cluster wait for its disk.
CREATE FUNCTION rows_by_hand_ring() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM pg_notify('countersign_' || TG_RELID, NEW.seq::text);
    RETURN NULL;
END $$;

CREATE TRIGGER rows_by_hand_ring AFTER INSERT ON events
    FOR EACH ROW WHEN (NEW.hash IS NULL) EXECUTE FUNCTION rows_by_hand_ring();

ALTER TABLE events ENABLE ALWAYS TRIGGER rows_by_hand_are_well_formed;
ALTER TABLE events ENABLE ALWAYS TRIGGER rows_by_hand_ring;
