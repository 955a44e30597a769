-- The events of the $2 calls that were started last, after the event at $1, and have no result, the last started first. The first
-- column of each row is the seq of the start. || '' hides the condition from the indexes, so that the database reads the
-- span in its order. LATERAL with OFFSET 0 makes PostgreSQL look up each result and each call in the indexes.
SELECT c.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT max(s.seq) AS seq, s.thread_id, s.data ->> 'toolCallId' AS tool_call_id FROM events s
    LEFT JOIN LATERAL (
        SELECT seq FROM events
        WHERE type = 'TOOL_RESULT' AND data ->> 'toolCallId' = s.data ->> 'toolCallId' AND thread_id = s.thread_id
        OFFSET 0) t ON TRUE
    WHERE s.type || '' = 'TOOL_EXECUTION_STARTED' AND s.seq > $1 AND t.seq IS NULL
    GROUP BY s.thread_id, s.data ->> 'toolCallId' ORDER BY 1 DESC LIMIT $2 + 0) c
    LEFT JOIN LATERAL (
        SELECT * FROM call_events WHERE thread_id = c.thread_id AND tool_call_id = c.tool_call_id OFFSET 0) e ON TRUE
