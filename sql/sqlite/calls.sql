-- The events of the $3 last calls before $1 and not before $2 (both seqs of a TOOL_CALL), the newest call first: of
-- tool $4, proposed by $5, at or after $6, before $7, with the arguments whose hash is $8, of the agent $9 or a sub-agent of
-- it, of the project $10, and with a recorded effect on a target that, or whose end, is LIKE the pattern $11. A condition that is
-- NULL matches all calls. The first column
-- of each row is the seq of the TOOL_CALL.
-- The span limits the number of rows that a filter with few matches reads. LEFT JOIN keeps the calls in their order
-- without a sort, and each call has events. || '' hides the condition from the indexes, so that the database reads the
-- span in its order. CAST gives a parameter a type, which IS NULL alone does not.
SELECT c.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT seq, thread_id, data ->> 'id' AS tool_call_id FROM events
    WHERE type || '' = 'TOOL_CALL' AND seq < $1 AND seq >= $2
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
