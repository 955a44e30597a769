-- The events of the $3 last calls before $1 and not before $2 (both seqs of the TOOL_CALL), each with the
-- seq of its TOOL_CALL before it, call by call: of tool $4, proposed by $5, from $6 on and before $7, where
-- those are not NULL. The span keeps a filter that meets hardly anything from reading the whole log at once.
-- LEFT JOIN goes through the calls in their order on both databases, and spares a sort; none is without events.
-- CAST tells PostgreSQL what the parameter is, which IS NULL alone does not.
SELECT c.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT seq, thread_id, tool_call_id FROM events
    WHERE type = 'TOOL_CALL' AND seq < $1 AND seq >= $2
        AND (CAST($4 AS text) IS NULL OR data ->> 'name' = $4)
        AND (CAST($5 AS text) IS NULL OR principal = $5)
        AND (CAST($6 AS text) IS NULL OR timestamp >= $6)
        AND (CAST($7 AS text) IS NULL OR timestamp < $7)
    ORDER BY seq DESC LIMIT $3) c
    LEFT JOIN events e ON e.thread_id = c.thread_id AND e.tool_call_id = c.tool_call_id
