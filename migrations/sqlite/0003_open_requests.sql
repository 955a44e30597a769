-- An index that SQLite has no words for: the requests that have no response. It holds nothing that is
-- not in events, it is kept in the same transaction, and sql/rebuild_open_requests.sql makes it anew.
CREATE TABLE open_requests (
    seq          INTEGER PRIMARY KEY,
    thread_id    TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    expires_at   TEXT
) STRICT;

CREATE INDEX open_requests_of_thread ON open_requests (thread_id);

CREATE INDEX open_requests_by_expiry ON open_requests (expires_at) WHERE expires_at IS NOT NULL;

-- Those that were open before this index was made.
INSERT INTO open_requests (seq, thread_id, tool_call_id, expires_at)
SELECT q.seq, q.thread_id, q.tool_call_id, q.data ->> 'expiresAt'
FROM events q
WHERE q.type = 'TOOL_APPROVAL_REQUEST' AND NOT EXISTS (
    SELECT 1 FROM events r
    WHERE r.thread_id = q.thread_id AND r.tool_call_id = q.tool_call_id AND r.type = 'TOOL_APPROVAL_RESPONSE');

CREATE TRIGGER a_row_takes_its_place AFTER INSERT ON events BEGIN

    -- Numbers have no gaps, so that a reader who has seen n knows that n + 1 comes next.
    SELECT RAISE(ROLLBACK, 'countersign: leave seq out; it is the next number')
    WHERE NEW.seq - 1 <> coalesce((SELECT seq FROM events WHERE seq <> NEW.seq ORDER BY seq DESC LIMIT 1), 0);

    INSERT INTO open_requests (seq, thread_id, tool_call_id, expires_at)
    SELECT NEW.seq, NEW.thread_id, NEW.tool_call_id, NEW.data ->> 'expiresAt'
    WHERE NEW.type = 'TOOL_APPROVAL_REQUEST';

    DELETE FROM open_requests
    WHERE NEW.type = 'TOOL_APPROVAL_RESPONSE' AND seq = (
        SELECT e.seq FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
            AND e.type = 'TOOL_APPROVAL_REQUEST');

    -- Nobody is left waiting in a closed thread.
    SELECT RAISE(ROLLBACK, 'countersign: calls of this thread still wait for a decision')
    WHERE NEW.type = 'THREAD_CLOSED' AND EXISTS (SELECT 1 FROM open_requests o WHERE o.thread_id = NEW.thread_id);
END;
