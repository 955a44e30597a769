-- The calls whose open request has a reminder, an escalation or an expiry due at $1, the longest overdue first, $2 rows
-- at most.
SELECT thread_id, tool_call_id FROM open_requests WHERE due_at <= $1 ORDER BY due_at LIMIT $2 + 0
