-- The open requests that are to be withdrawn when their proposer is gone, and whose proposer was last seen at $1 or before,
-- the longest absence first, $2 rows at most. Calls for which no proposer waited are left out.
SELECT p.thread_id, p.tool_call_id, p.seen_at
FROM proposer_presence p
JOIN open_requests o ON o.thread_id = p.thread_id AND o.tool_call_id = p.tool_call_id
JOIN events q ON q.seq = o.seq
WHERE p.seen_at <= $1 AND q.data ->> 'withdrawAfterSeconds' IS NOT NULL
ORDER BY p.seen_at LIMIT $2 + 0
