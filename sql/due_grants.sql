-- The grants and remembered denials whose time has passed since $2 and until $1, and whose end is not in the log, the longest
-- overdue first, $3 rows at most. A grant that was prolonged ends at the moment that the last of these events names.
SELECT e.thread_id, CAST(coalesce(CAST(e.data ->> 'grant' AS text), CAST(e.seq AS text)) AS bigint) AS grant_seq
FROM events e
WHERE (e.type = 'TOOL_APPROVAL_RESPONSE' OR e.type = 'GRANT_PROLONGED') AND e.data ->> 'expiresAt' IS NOT NULL
    AND e.data ->> 'expiresAt' > $2 AND e.data ->> 'expiresAt' <= $1 AND NOT EXISTS (
        SELECT 1 FROM events x WHERE x.thread_id = e.thread_id AND (x.type = 'THREAD_CLOSED'
            OR (x.type = 'GRANT_ENDED' OR x.type = 'GRANT_REVOKED' OR x.type = 'GRANT_PROLONGED' AND x.seq > e.seq)
                AND CAST(x.data ->> 'grant' AS text) = coalesce(CAST(e.data ->> 'grant' AS text), CAST(e.seq AS text))))
ORDER BY e.data ->> 'expiresAt' LIMIT $3 + 0
