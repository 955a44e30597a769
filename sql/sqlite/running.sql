-- The $2 calls that were started last, after the event at $1, and have no result: all their events, the last started call first.
-- The first column is the start's seq. || '' hides the condition from the indexes, so that the database reads the
-- span in its order.
SELECT c.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT s.seq, s.thread_id, s.data ->> 'toolCallId' AS tool_call_id FROM events s
    WHERE s.type || '' = 'TOOL_EXECUTION_STARTED' AND s.seq > $1 AND NOT EXISTS (
        SELECT 1 FROM events t
        WHERE t.type = 'TOOL_RESULT' AND t.data ->> 'toolCallId' = s.data ->> 'toolCallId'
            AND t.thread_id = s.thread_id)
    ORDER BY s.seq DESC LIMIT $2 + 0) c
    LEFT JOIN events e ON e.seq IN (
        SELECT k.seq FROM call_events k WHERE k.thread_id = c.thread_id AND k.tool_call_id = c.tool_call_id)
