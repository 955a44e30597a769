-- The grants and remembered denials whose time has passed since $2 and until $1, and whose end is not in the log, the longest
-- overdue first, $3 rows at most. A grant that was prolonged ends at the moment that the last of these events names. LIMIT 1 and
-- + 0 make the database look up each grant in the index.
SELECT e.thread_id, coalesce(e.data ->> 'grant', e.seq::text)::bigint AS grant_seq
FROM events e
WHERE (e.type = 'TOOL_APPROVAL_RESPONSE' OR e.type = 'GRANT_PROLONGED') AND e.data ->> 'expiresAt' IS NOT NULL
    AND e.data ->> 'expiresAt' > $2 AND e.data ->> 'expiresAt' <= $1
    AND (SELECT d.seq FROM events d WHERE d.type = 'THREAD_CLOSED' AND d.thread_id = e.thread_id LIMIT 1) IS NULL
    AND (SELECT x.seq FROM events x WHERE x.type = 'GRANT_ENDED' AND x.thread_id = e.thread_id
        AND coalesce(x.data ->> 'grant', '') = coalesce(e.data ->> 'grant', e.seq::text) LIMIT 1) IS NULL
    AND (SELECT x.seq FROM events x WHERE x.type = 'GRANT_REVOKED' AND x.thread_id = e.thread_id
        AND coalesce(x.data ->> 'grant', '') = coalesce(e.data ->> 'grant', e.seq::text) LIMIT 1) IS NULL
    AND (SELECT x.seq FROM events x WHERE x.type = 'GRANT_PROLONGED' AND x.thread_id = e.thread_id
        AND coalesce(x.data ->> 'grant', '') = coalesce(e.data ->> 'grant', e.seq::text) AND x.seq + 0 > e.seq LIMIT 1) IS NULL
ORDER BY e.data ->> 'expiresAt' LIMIT $3 + 0
