-- An index that SQLite has no words for: the requests that have no response. It holds nothing that is
-- not in events, it is kept in the same transaction, and sql/rebuild_open_requests.sql makes it anew.
CREATE TABLE open_requests (
    seq        INTEGER PRIMARY KEY,
    thread_id  TEXT NOT NULL,
    expires_at TEXT
) STRICT;

CREATE INDEX open_requests_of_thread ON open_requests (thread_id);

CREATE INDEX open_requests_by_expiry ON open_requests (expires_at) WHERE expires_at IS NOT NULL;

CREATE TRIGGER a_request_opens AFTER INSERT ON events
WHEN NEW.type = 'TOOL_APPROVAL_REQUEST'
BEGIN
    INSERT INTO open_requests (seq, thread_id, expires_at)
    VALUES (NEW.seq, NEW.thread_id, NEW.data ->> 'expiresAt');
END;

CREATE TRIGGER a_response_closes_its_request AFTER INSERT ON events
WHEN NEW.type = 'TOOL_APPROVAL_RESPONSE'
BEGIN
    DELETE FROM open_requests WHERE seq = (
        SELECT e.seq FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
            AND e.type = 'TOOL_APPROVAL_REQUEST');
END;
