-- The requests without a response, as on SQLite.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE TABLE open_requests (
    seq bigint PRIMARY KEY, thread_id text COLLATE "C" NOT NULL, tool_call_id text COLLATE "C" NOT NULL,
    due_at text COLLATE "C", proposer text COLLATE "C" NOT NULL);
-- Rows are inserted and deleted as in a queue. Deleted rows stay in the indexes until they are vacuumed, and a read of the
-- oldest requests must skip them. Therefore vacuum after a fixed number of changes, independent of the size of the table.
ALTER TABLE open_requests SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);
-- As in `events`: without statistics, no thread is treated as common, and no proposer.
ALTER TABLE open_requests ALTER COLUMN thread_id SET STATISTICS 0, ALTER COLUMN proposer SET STATISTICS 0;
CREATE INDEX open_requests_of_thread ON open_requests (thread_id, seq);
CREATE INDEX open_requests_of_proposer ON open_requests (proposer);
CREATE INDEX open_requests_by_due ON open_requests (due_at) WHERE due_at IS NOT NULL;

-- SECURITY DEFINER: a role that may insert events needs no right to this table.
CREATE FUNCTION update_open_requests() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE call_id text := NEW.data ->> 'toolCallId'; request events;
BEGIN
    IF NEW.type = 'TOOL_APPROVAL_REQUEST' THEN
        INSERT INTO open_requests (seq, thread_id, tool_call_id, due_at, proposer)
        SELECT NEW.seq, NEW.thread_id, call_id,
            least(NEW.data ->> 'expiresAt', NEW.data ->> 'remindAt', NEW.data ->> 'escalateAt'), NEW.principal
        WHERE NOT EXISTS (SELECT FROM events r
            WHERE r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = call_id AND r.thread_id = NEW.thread_id);
        RETURN NULL;
    END IF;
    SELECT * INTO request FROM events q
    WHERE q.type = 'TOOL_APPROVAL_REQUEST' AND q.data ->> 'toolCallId' = call_id AND q.thread_id = NEW.thread_id;
    IF NEW.type = 'TOOL_APPROVAL_RESPONSE' THEN
        DELETE FROM open_requests WHERE seq = request.seq;
    ELSE
        UPDATE open_requests SET due_at = (
            SELECT least(request.data ->> 'expiresAt',
                CASE WHEN bool_and(e.type <> 'TOOL_APPROVAL_REMINDER') THEN request.data ->> 'remindAt' END,
                CASE WHEN bool_and(e.type <> 'TOOL_APPROVAL_ESCALATED') THEN request.data ->> 'escalateAt' END)
            FROM events e WHERE e.data ->> 'toolCallId' = call_id AND e.thread_id = NEW.thread_id)
        WHERE seq = request.seq;
    END IF;
    RETURN NULL;
END $$;
-- Other users must not use this function in a trigger of another table, because it writes to this one.
REVOKE EXECUTE ON FUNCTION update_open_requests() FROM PUBLIC;

CREATE TRIGGER rows_update_open_requests AFTER INSERT ON events
    FOR EACH ROW WHEN (NEW.type IN ('TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_REMINDER', 'TOOL_APPROVAL_ESCALATED',
        'TOOL_APPROVAL_RESPONSE')) EXECUTE FUNCTION update_open_requests();
ALTER TABLE events ENABLE ALWAYS TRIGGER rows_update_open_requests;
