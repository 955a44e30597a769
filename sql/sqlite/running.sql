-- The events of the $2 calls that were started last, after the event at $1, and have no result, the last started first. The first
-- column of each row is the seq of the start. || '' hides the condition from the indexes, so that the database reads the
-- span in its order.
SELECT c.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT max(s.seq) AS seq, s.thread_id, s.data ->> 'toolCallId' AS tool_call_id FROM events s
    WHERE s.type || '' = 'TOOL_EXECUTION_STARTED' AND s.seq > $1 AND NOT EXISTS (
        SELECT 1 FROM events t
        WHERE t.type = 'TOOL_RESULT' AND t.data ->> 'toolCallId' = s.data ->> 'toolCallId'
            AND t.thread_id = s.thread_id)
    GROUP BY s.thread_id, s.data ->> 'toolCallId' ORDER BY 1 DESC LIMIT $2 + 0) c
    LEFT JOIN events e ON e.seq IN (
        SELECT k.seq FROM call_events k WHERE k.thread_id = c.thread_id AND k.tool_call_id = c.tool_call_id)
