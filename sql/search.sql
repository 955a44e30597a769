-- The events after $1 and up to $2 (both seqs) that match a filter, $3 rows at most: of one of the types $4 (a JSON
-- array), about calls of tool $5, caused by principal $6, at or after $7, and before $8. A condition that is NULL
-- matches all events. The span limits the number of rows that a filter with few matches reads.
-- The type is searched in the text of the array, between quotes, because the databases read an array with different
-- functions. A subquery looks up the tool of each event, because PostgreSQL may build a table of all calls first for
-- EXISTS. CAST gives a parameter a type, which IS NULL alone does not.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM events e
WHERE e.seq > $1 AND e.seq <= $2
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
