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
