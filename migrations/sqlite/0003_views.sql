-- The views for people with a SQL shell: events by call, one row per call, and a way to decide.

-- The events about calls, each with the id of its call. SQLite moves a condition on tool_call_id and thread_id into
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
    AND g.seq = r.data ->> 'grant'
LEFT JOIN events s ON s.type = 'TOOL_EXECUTION_STARTED'
    AND s.data ->> 'toolCallId' = c.data ->> 'id' AND s.thread_id = c.thread_id
LEFT JOIN events t ON t.type = 'TOOL_RESULT'
    AND t.data ->> 'toolCallId' = c.data ->> 'id' AND t.thread_id = c.thread_id
WHERE c.type = 'TOOL_CALL';

-- An INSERT into this view decides a call:
-- INSERT INTO decisions VALUES ('thread', 'call', 'allow_once', 'user:ada', 'why');
CREATE VIEW decisions AS
SELECT thread_id, tool_call_id, decision, decided_by AS principal, comment FROM calls WHERE decision IS NOT NULL;

-- Contains a row while the trigger of `decisions` writes, and is empty otherwise.
CREATE TABLE decision_in_progress (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;

CREATE TRIGGER rows_without_a_hash_are_decisions BEFORE INSERT ON events
WHEN NEW.hash IS NULL AND NOT EXISTS (SELECT 1 FROM decision_in_progress) BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: with SQL, decide through the view decisions and write nothing else');
END;

-- Decides a request that any one person may decide. Requests that need a level, a group or a quorum are decided with
-- `countersign`, which knows the levels and groups of people.
CREATE TRIGGER decide_by_hand INSTEAD OF INSERT ON decisions BEGIN
    SELECT CASE
        WHEN c.seq IS NULL
        THEN RAISE(ROLLBACK, 'countersign: the thread has no such call')
        WHEN r.seq IS NOT NULL
        THEN RAISE(ROLLBACK, 'countersign: the call is decided already')
        WHEN q.seq IS NULL
        THEN RAISE(ROLLBACK, 'countersign: this call has no request to decide')
        WHEN NEW.principal IS NULL OR NEW.principal NOT GLOB 'user:?*' OR NEW.principal = c.principal
        THEN RAISE(ROLLBACK, 'countersign: only a person may decide, and not the person who proposed the call')
        WHEN length(CAST(NEW.principal AS BLOB)) > 512 OR instr(CAST(NEW.principal AS BLOB), x'00')
            OR NEW.principal GLOB 'user: *' OR NEW.principal GLOB '* '
            OR NEW.principal GLOB '*[^ -~' || char(192, 45, 591) || ']*'
        THEN RAISE(ROLLBACK, 'countersign: by hand, a principal has at most 512 bytes of ASCII and Latin letters, and no blanks around its name')
        WHEN NEW.decision IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(q.data, '$.options') WHERE value = NEW.decision)
        THEN RAISE(ROLLBACK, 'countersign: the decision is not one of the options of the request')
        WHEN q.data ->> 'quorum' > 1 OR q.data ->> 'denials' > 1 OR q.data ->> 'level' IS NOT NULL
            OR coalesce(q.data -> 'approvers', '[]') <> '[]' OR q.data ->> 'defaultLevel' IS NOT NULL OR EXISTS (
                SELECT 1 FROM events x WHERE x.type = 'TOOL_APPROVAL_ESCALATED'
                    AND x.data ->> 'toolCallId' = NEW.tool_call_id AND x.thread_id = NEW.thread_id)
        THEN RAISE(ROLLBACK, 'countersign: this call takes more than any one person: decide with countersign')
        WHEN q.data ->> 'expiresAt' <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        THEN RAISE(ROLLBACK, 'countersign: the time to decide is over')
    END
    FROM (SELECT 1)
    LEFT JOIN events c ON c.type = 'TOOL_CALL'
        AND c.data ->> 'id' = NEW.tool_call_id AND c.thread_id = NEW.thread_id
    LEFT JOIN events q ON q.type = 'TOOL_APPROVAL_REQUEST'
        AND q.data ->> 'toolCallId' = NEW.tool_call_id AND q.thread_id = NEW.thread_id
    LEFT JOIN events r ON r.type = 'TOOL_APPROVAL_RESPONSE'
        AND r.data ->> 'toolCallId' = NEW.tool_call_id AND r.thread_id = NEW.thread_id;

    INSERT INTO decision_in_progress (id) VALUES (1);

    -- json_patch drops the comment if it is NULL. CAST, because a person may enter a number as the comment.
    INSERT INTO events (thread_id, type, principal, data)
    SELECT thread_id, 'TOOL_APPROVAL_RESPONSE', NEW.principal, json_patch('{}', json_object(
        'toolCallId', data ->> 'id', 'decision', NEW.decision, 'source', 'approver',
        'comment', CAST(NEW.comment AS TEXT), 'argumentsHash', data ->> 'argumentsHash'))
    FROM events
    WHERE type = 'TOOL_CALL' AND data ->> 'id' = NEW.tool_call_id AND thread_id = NEW.thread_id;

    INSERT INTO events (thread_id, type, principal, data)
    SELECT NEW.thread_id, 'TOOL_RESULT', NEW.principal, json_object(
        'toolCallId', NEW.tool_call_id, 'status', 'denied', 'content',
        'Denied by ' || NEW.principal || coalesce(': ' || NEW.comment, ', without a comment')
            || ' (do not retry this call unchanged)')
    WHERE NEW.decision = 'deny';

    DELETE FROM decision_in_progress;
END;
