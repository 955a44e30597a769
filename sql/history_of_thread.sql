-- The $3 last calls of thread $4 before $1 and not before $2 (both seqs), the last first, as they were proposed. The
-- span keeps a thread that says much and calls little from being read whole.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE thread_id = $4 AND type = 'TOOL_CALL' AND seq < $1 AND seq >= $2
ORDER BY seq DESC LIMIT $3
