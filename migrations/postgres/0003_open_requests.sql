-- An index that PostgreSQL has no words for either: the requests that have no response. It holds nothing that
-- is not in events, it is kept in the same transaction, and sql/rebuild_open_requests.sql makes it anew.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE TABLE open_requests (
    seq          bigint PRIMARY KEY,
    thread_id    text COLLATE "C" NOT NULL,
    tool_call_id text COLLATE "C" NOT NULL,
    expires_at   text COLLATE "C"
);

-- Rows come and go as in a queue. What went stays in the indexes until it is swept up, and whoever looks for
-- the oldest walks past it, so it is swept up often, however long the table was.
ALTER TABLE open_requests SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);

CREATE INDEX open_requests_of_thread ON open_requests (thread_id, seq);

-- As in events: no thread shall seem common.
ALTER TABLE open_requests ALTER COLUMN thread_id SET STATISTICS 0;

CREATE INDEX open_requests_by_expiry ON open_requests (expires_at) WHERE expires_at IS NOT NULL;

-- Those that were open before this index was made.
INSERT INTO open_requests (seq, thread_id, tool_call_id, expires_at)
SELECT q.seq, q.thread_id, q.tool_call_id, q.data ->> 'expiresAt'
FROM events q
WHERE q.type = 'TOOL_APPROVAL_REQUEST' AND NOT EXISTS (
    SELECT 1 FROM events r
    WHERE r.thread_id = q.thread_id AND r.tool_call_id = q.tool_call_id AND r.type = 'TOOL_APPROVAL_RESPONSE');

-- SECURITY DEFINER: it keeps the index with the rights of the owner, so that whoever may insert events needs
-- no right to write to it.
CREATE FUNCTION a_row_takes_its_place() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    CASE NEW.type
    WHEN 'TOOL_APPROVAL_REQUEST' THEN
        INSERT INTO open_requests (seq, thread_id, tool_call_id, expires_at)
        VALUES (NEW.seq, NEW.thread_id, NEW.tool_call_id, NEW.data ->> 'expiresAt');

    WHEN 'TOOL_APPROVAL_RESPONSE' THEN
        DELETE FROM open_requests
        WHERE seq = (
            SELECT e.seq FROM events e
            WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_APPROVAL_REQUEST');

    -- Nobody is left waiting in a closed thread.
    WHEN 'THREAD_CLOSED' THEN
        IF EXISTS (SELECT FROM open_requests o WHERE o.thread_id = NEW.thread_id) THEN
            RAISE EXCEPTION 'countersign: calls of this thread still wait for a decision' USING ERRCODE = 'CS001';
        END IF;
    END CASE;
    RETURN NULL;
END $$;

-- Nobody else may hang it on a table of his own and write to the index through it.
REVOKE EXECUTE ON FUNCTION a_row_takes_its_place() FROM PUBLIC;

-- Where SQLite would look at every row, the condition spares the rows that it is not about.
CREATE TRIGGER a_row_takes_its_place AFTER INSERT ON events
    FOR EACH ROW WHEN (NEW.type IN ('TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_RESPONSE', 'THREAD_CLOSED'))
    EXECUTE FUNCTION a_row_takes_its_place();

ALTER TABLE events ENABLE ALWAYS TRIGGER a_row_takes_its_place;
