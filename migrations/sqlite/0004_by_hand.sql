-- For people with a SQL shell: one row a call, and a way to decide by hand.

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

CREATE TRIGGER decide_by_hand INSTEAD OF INSERT ON decisions
BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: the thread has no such call')
    WHERE NOT EXISTS (
        SELECT 1 FROM events WHERE thread_id = NEW.thread_id AND tool_call_id = NEW.tool_call_id AND type = 'TOOL_CALL');
    SELECT RAISE(ROLLBACK, 'countersign: a decision is allow_once, allow_session or deny')
    WHERE coalesce(NEW.decision, '') NOT IN ('allow_once', 'allow_session', 'deny');
    INSERT INTO events (thread_id, type, principal, data)
    SELECT thread_id, 'TOOL_APPROVAL_RESPONSE', NEW.principal, json_patch('{}', json_object(
        'toolCallId', tool_call_id, 'decision', NEW.decision, 'source', 'approver',
        'comment', NEW.comment, 'argumentsHash', data ->> 'argumentsHash'))
    FROM events
    WHERE thread_id = NEW.thread_id AND tool_call_id = NEW.tool_call_id AND type = 'TOOL_CALL';
    INSERT INTO events (thread_id, type, principal, data)
    SELECT NEW.thread_id, 'TOOL_RESULT', NEW.principal, json_object(
        'toolCallId', NEW.tool_call_id, 'status', 'denied', 'content',
        'Denied by ' || NEW.principal || coalesce(': ' || NEW.comment, ', without a comment')
            || ' (do not retry this call unchanged)')
    WHERE NEW.decision = 'deny';
END;

-- What a process of ours checks before it writes, checked here for a row that somebody writes by hand: one
-- that could not be read back would stand in everybody's way, and could not be taken out again.
CREATE TRIGGER rows_by_hand_are_well_formed BEFORE INSERT ON events WHEN NEW.hash IS NULL BEGIN

    SELECT CASE
        WHEN NEW.thread_id = '.' OR NEW.thread_id = '..' OR length(CAST(NEW.thread_id AS BLOB)) > 512 OR instr(CAST(NEW.thread_id AS BLOB), x'00')
                OR NEW.thread_id GLOB '*[' || char(1, 45, 31, 127, 45, 159) || ']*'
        THEN RAISE(ROLLBACK, 'countersign: a thread is named by 1 to 512 bytes without control characters')
        WHEN length(CAST(NEW.principal AS BLOB)) > 512 OR instr(CAST(NEW.principal AS BLOB), x'00')
                OR NEW.principal GLOB '*[' || char(1, 45, 31, 127, 45, 159) || ']*'
        THEN RAISE(ROLLBACK, 'countersign: a principal has at most 512 bytes and no control characters')
        WHEN strftime('%Y-%m-%dT%H:%M:%fZ', NEW.timestamp) IS NOT NEW.timestamp
        THEN RAISE(ROLLBACK, 'countersign: leave timestamp out; it is now, in UTC and milliseconds')
        WHEN instr(CAST(NEW.data AS BLOB), x'00')
        THEN RAISE(ROLLBACK, 'countersign: data holds a NUL')
        WHEN json_type(NEW.data) = 'object'
            AND (SELECT count(*) <> count(DISTINCT key) FROM json_each(NEW.data))
        THEN RAISE(ROLLBACK, 'countersign: data has a key twice')
        WHEN NEW.tool_call_id IS NOT NULL AND NEW.type <> 'TOOL_CALL'
            AND coalesce(json_type(NEW.data, '$.toolCallId'), 'text') <> 'text'
        THEN RAISE(ROLLBACK, 'countersign: toolCallId is a string')
    END;

    SELECT CASE NEW.type

        WHEN 'TOOL_CALL' THEN CASE
            WHEN coalesce(json_type(NEW.data, '$.id'), 'text') <> 'text'
                OR coalesce(json_type(NEW.data, '$.name'), 'text') <> 'text'
                OR NEW.data ->> 'name' = '' OR NEW.tool_call_id = '.' OR NEW.tool_call_id = '..'
                OR length(CAST(NEW.tool_call_id AS BLOB)) > 512 OR instr(CAST(NEW.tool_call_id AS BLOB), x'00')
                OR NEW.tool_call_id GLOB '*[' || char(1, 45, 31, 127, 45, 159) || ']*'
                OR length(CAST((NEW.data ->> 'name') AS BLOB)) > 512 OR instr(CAST((NEW.data ->> 'name') AS BLOB), x'00')
                OR (NEW.data ->> 'name') GLOB '*[' || char(1, 45, 31, 127, 45, 159) || ']*'
            THEN RAISE(ROLLBACK, 'countersign: id and name have 1 to 512 bytes without control characters')
            WHEN NEW.data ->> 'argumentsHash' GLOB '*[^0-9a-f]*'
            THEN RAISE(ROLLBACK, 'countersign: argumentsHash has 64 lower-case hexadecimal digits')
            WHEN coalesce(json_type(NEW.data, '$.description'), 'text') <> 'text'
            THEN RAISE(ROLLBACK, 'countersign: a description is a string')
        END

        WHEN 'TOOL_APPROVAL_REQUEST' THEN CASE
            WHEN json_type(NEW.data, '$.reason') IS NOT 'text' OR json_type(NEW.data, '$.options') IS NOT 'array'
                OR length(NEW.data ->> 'policy') IS NOT 64 OR NEW.data ->> 'policy' GLOB '*[^0-9a-f]*'
            THEN RAISE(ROLLBACK, 'countersign: a request has reason, options and the policy''s hash')
            WHEN NEW.data ->> 'expiresAt' IS NOT NULL
                AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.data ->> 'expiresAt') IS NOT NEW.data ->> 'expiresAt'
            THEN RAISE(ROLLBACK, 'countersign: expiresAt looks like 2026-01-31T12:00:00.000Z')
        END

        -- Policies, grants and clocks do not type: by hand, people decide.
        WHEN 'TOOL_APPROVAL_RESPONSE' THEN CASE
            WHEN NEW.data ->> 'source' <> 'approver'
            THEN RAISE(ROLLBACK, 'countersign: by hand, only a person decides')
            WHEN json_type(NEW.data, '$.arguments') IS NOT NULL
            THEN RAISE(ROLLBACK, 'countersign: arguments cannot be changed by hand')
            WHEN coalesce(json_type(NEW.data, '$.comment'), 'text') <> 'text'
            THEN RAISE(ROLLBACK, 'countersign: a comment is a string')
            WHEN EXISTS (
                SELECT 1 FROM events q
                WHERE q.thread_id = NEW.thread_id AND q.tool_call_id = NEW.tool_call_id
                    AND q.type = 'TOOL_APPROVAL_REQUEST'
                    AND q.data ->> 'expiresAt' <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
            THEN RAISE(ROLLBACK, 'countersign: the time to decide is over')
        END

        WHEN 'TOOL_EXECUTION_STARTED' THEN CASE
            WHEN coalesce(json_type(NEW.data, '$.executor'), 'text') <> 'text'
            THEN RAISE(ROLLBACK, 'countersign: a claim names its executor')
            WHEN NEW.data ->> 'leaseExpiresAt' IS NOT NULL
                AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.data ->> 'leaseExpiresAt') IS NOT NEW.data ->> 'leaseExpiresAt'
            THEN RAISE(ROLLBACK, 'countersign: leaseExpiresAt looks like 2026-01-31T12:00:00.000Z')
        END
    END;
END;
