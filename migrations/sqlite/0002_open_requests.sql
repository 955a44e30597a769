-- The requests without a response, which no index of SQLite can express. All information of the table is also in
-- `events`. A trigger maintains the table in the same transaction, and sql/rebuild_open_requests.sql can fill it again.
CREATE TABLE open_requests (
    seq          INTEGER PRIMARY KEY,
    thread_id    TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    -- The earliest of the reminder, the escalation and the expiry that have not happened yet; NULL if there are none.
    due_at       TEXT,
    -- The principal of the request, which proposed the call.
    proposer     TEXT NOT NULL
) STRICT;

CREATE INDEX open_requests_of_thread ON open_requests (thread_id);
CREATE INDEX open_requests_of_proposer ON open_requests (proposer);
CREATE INDEX open_requests_by_due ON open_requests (due_at) WHERE due_at IS NOT NULL;

CREATE TRIGGER rows_update_open_requests AFTER INSERT ON events
WHEN NEW.type = 'TOOL_APPROVAL_REQUEST' OR NEW.type = 'TOOL_APPROVAL_RESPONSE'
    OR NEW.type = 'TOOL_APPROVAL_REMINDER' OR NEW.type = 'TOOL_APPROVAL_ESCALATED' BEGIN
    INSERT INTO open_requests (seq, thread_id, tool_call_id, due_at, proposer)
    SELECT NEW.seq, NEW.thread_id, NEW.data ->> 'toolCallId', (
        SELECT min(column1) FROM (VALUES (NEW.data ->> 'expiresAt'), (NEW.data ->> 'remindAt'), (NEW.data ->> 'escalateAt'))),
        NEW.principal
    WHERE NEW.type = 'TOOL_APPROVAL_REQUEST' AND NOT EXISTS (
        SELECT 1 FROM events r WHERE r.type = 'TOOL_APPROVAL_RESPONSE'
            AND r.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND r.thread_id = NEW.thread_id);
    UPDATE open_requests
    SET due_at = (
        SELECT min(d.value) FROM events q, json_each(q.data) d
        WHERE q.seq = open_requests.seq AND (d.key = 'expiresAt'
            OR d.key = 'remindAt' AND NOT EXISTS (
                SELECT 1 FROM events m WHERE m.type = 'TOOL_APPROVAL_REMINDER'
                    AND m.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND m.thread_id = NEW.thread_id)
            OR d.key = 'escalateAt' AND NOT EXISTS (
                SELECT 1 FROM events x WHERE x.type = 'TOOL_APPROVAL_ESCALATED'
                    AND x.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND x.thread_id = NEW.thread_id)))
    WHERE (NEW.type = 'TOOL_APPROVAL_REMINDER' OR NEW.type = 'TOOL_APPROVAL_ESCALATED') AND seq = (
        SELECT q.seq FROM events q WHERE q.type = 'TOOL_APPROVAL_REQUEST'
            AND q.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND q.thread_id = NEW.thread_id);
    DELETE FROM open_requests
    WHERE NEW.type = 'TOOL_APPROVAL_RESPONSE' AND seq = (
        SELECT q.seq FROM events q WHERE q.type = 'TOOL_APPROVAL_REQUEST'
            AND q.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND q.thread_id = NEW.thread_id);
END;
