-- The open requests whose time has come at $1, the longest overdue first, $2 at most.
SELECT q.thread_id, q.tool_call_id
FROM (SELECT seq, expires_at FROM open_requests WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2) o
    CROSS JOIN events q ON q.seq = o.seq
ORDER BY o.expires_at
