-- The events of the $3 last calls of thread $12 before $1 and not before $2. See calls.sql, which reads all threads.
SELECT c.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT seq, thread_id, data ->> 'id' AS tool_call_id FROM events
    WHERE thread_id = CAST($12 AS text) AND type = 'TOOL_CALL' AND seq < $1 AND seq >= $2
        AND (CAST($4 AS text) IS NULL OR data ->> 'name' = $4)
        AND (CAST($5 AS text) IS NULL OR principal = $5)
        AND (CAST($6 AS text) IS NULL OR timestamp >= $6)
        AND (CAST($7 AS text) IS NULL OR timestamp < $7)
        AND (CAST($8 AS text) IS NULL OR data ->> 'argumentsHash' = $8)
        AND (CAST($9 AS text) IS NULL OR data -> 'place' ->> 'agent' = $9
            OR substr(data -> 'place' ->> 'agent', 1, length($9) + 1) = $9 || '/')
        AND (CAST($10 AS text) IS NULL OR data -> 'place' ->> 'project' = $10)
        AND (CAST($11 AS text) IS NULL OR EXISTS (SELECT 1 FROM json_each(data, '$.effects') f
            WHERE lower(f.value ->> 'target') LIKE CAST($11 AS text) ESCAPE '\' OR lower(f.value ->> 'target') LIKE '%/' || $11 ESCAPE '\'))
    ORDER BY seq DESC LIMIT $3 + 0) c
    LEFT JOIN events e ON e.seq IN (
        SELECT k.seq FROM call_events k WHERE k.thread_id = c.thread_id AND k.tool_call_id = c.tool_call_id)
