-- The open requests whose time has come at $1, the longest overdue first, $2 at most.
SELECT thread_id, tool_call_id FROM open_requests WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
