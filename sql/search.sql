-- The events after $1 and up to $2 that meet a filter, $3 rows at most. The span keeps a filter that meets
-- hardly anything from reading the whole log at once. Of type $4 (a JSON array), about calls of tool $5,
-- caused by $6, from $7 on and before $8: each may be NULL, which asks for nothing. A type is looked for in the
-- text of the array, in which it stands between quotes; each database has another word for taking it apart. The
-- tool is looked up call by call: of EXISTS, PostgreSQL may make a table of all calls first.
-- CAST tells PostgreSQL what the parameter is, which IS NULL alone does not.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM events e
WHERE e.seq > $1 AND e.seq <= $2
    AND (CAST($4 AS text) IS NULL OR $4 LIKE '%"' || e.type || '"%')
    AND (CAST($6 AS text) IS NULL OR e.principal = $6)
    AND (CAST($7 AS text) IS NULL OR e.timestamp >= $7)
    AND (CAST($8 AS text) IS NULL OR e.timestamp < $8)
    AND (CAST($5 AS text) IS NULL OR e.type = 'TOOL_POLICY_SET' AND e.data ->> 'tool' = $5 OR (
        SELECT c.data ->> 'name' FROM events c
        WHERE c.thread_id = e.thread_id AND c.tool_call_id = e.tool_call_id AND c.type = 'TOOL_CALL') = $5)
ORDER BY e.seq
LIMIT $3
