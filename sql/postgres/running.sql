-- The $2 calls that were started last, after the event at $1, and have no result: all their events, the last started call first.
-- The first column is the start's seq. || '' hides the condition from the indexes, so that the database reads the
-- span in its order. LATERAL with OFFSET 0 makes PostgreSQL look up each result and each call in the indexes.
SELECT c.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT s.seq, s.thread_id, s.data ->> 'toolCallId' AS tool_call_id FROM events s
    LEFT JOIN LATERAL (
        SELECT seq FROM events
        WHERE type = 'TOOL_RESULT' AND data ->> 'toolCallId' = s.data ->> 'toolCallId' AND thread_id = s.thread_id
        OFFSET 0) t ON TRUE
    WHERE s.type || '' = 'TOOL_EXECUTION_STARTED' AND s.seq > $1 AND t.seq IS NULL
    ORDER BY s.seq DESC LIMIT $2 + 0) c
    LEFT JOIN LATERAL (
        SELECT * FROM call_events WHERE thread_id = c.thread_id AND tool_call_id = c.tool_call_id OFFSET 0) e ON TRUE
