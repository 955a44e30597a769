-- The TOOL_CALL events of the $3 last calls of thread $4 before $1 and not before $2 (both seqs), the newest first. The
-- span limits the number of rows that the query reads in a long thread with few calls.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE thread_id = CAST($4 AS text) AND type = 'TOOL_CALL' AND seq < $1 AND seq >= $2
ORDER BY seq DESC LIMIT $3 + 0
