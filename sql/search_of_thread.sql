-- The events of thread $9 after $1 and up to $2 that match a filter. See search.sql, which searches all threads.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM events e
WHERE e.thread_id = CAST($9 AS text) AND e.seq > $1 AND e.seq <= $2
    AND (CAST($4 AS text) IS NULL OR $4 LIKE '%"' || e.type || '"%')
    AND (CAST($6 AS text) IS NULL OR e.principal = $6)
    AND (CAST($7 AS text) IS NULL OR e.timestamp >= $7)
    AND (CAST($8 AS text) IS NULL OR e.timestamp < $8)
    AND (CAST($5 AS text) IS NULL OR e.type = 'TOOL_POLICY_SET' AND e.data ->> 'tool' = $5
        OR e.type = 'TOOL_CALL' AND e.data ->> 'name' = $5 OR (
        SELECT c.data ->> 'name' FROM events c
        WHERE c.type = 'TOOL_CALL' AND c.data ->> 'id' = e.data ->> 'toolCallId' AND c.thread_id = e.thread_id) = $5)
ORDER BY e.seq
LIMIT $3 + 0
