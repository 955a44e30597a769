-- The open requests that something is due on at $1 (to lapse, to remind, to escalate), the longest overdue first,
-- $2 at most.
SELECT thread_id, tool_call_id FROM open_requests WHERE due_at <= $1 ORDER BY due_at LIMIT $2
