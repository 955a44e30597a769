-- The events of the $3 last calls before $1 and not before $2 (both seqs of the TOOL_CALL), each with the seq of its
-- TOOL_CALL before it, call by call: of tool $4, proposed by $5, from $6 on and before $7, where those are not NULL.
-- The span bounds the rows that a filter with few matches reads. LEFT JOIN takes the calls in their order and needs no
-- sort; each call has events. || '' hides the condition from the indexes, so that the span is read in its order. CAST
-- gives the parameter a type, which IS NULL alone does not.
SELECT c.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT seq, thread_id, data ->> 'id' AS tool_call_id FROM events
    WHERE type || '' = 'TOOL_CALL' AND seq < $1 AND seq >= $2
        AND (CAST($4 AS text) IS NULL OR data ->> 'name' = $4)
        AND (CAST($5 AS text) IS NULL OR principal = $5)
        AND (CAST($6 AS text) IS NULL OR timestamp >= $6)
        AND (CAST($7 AS text) IS NULL OR timestamp < $7)
    ORDER BY seq DESC LIMIT $3) c
    LEFT JOIN events e ON e.seq IN (
        SELECT k.seq FROM call_events k WHERE k.thread_id = c.thread_id AND k.tool_call_id = c.tool_call_id)
