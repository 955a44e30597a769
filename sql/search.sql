-- The events after $1 and up to $2 that match a filter, $3 rows at most. The span bounds the rows that a filter with
-- few matches reads. Of type $4 (a JSON array), about calls of tool $5, caused by $6, from $7 on and before $8: each
-- may be NULL, which matches all. The type is searched in the text of the array, where it stands between quotes,
-- because the databases take an array apart by different functions. The tool is looked up call by call: for EXISTS,
-- PostgreSQL may build a table of all calls first. CAST gives the parameter a type, which IS NULL alone does not.
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
LIMIT $3
