-- The next time at which a reminder, an escalation or an expiry of an open request is due.
SELECT min(due_at) AS due_at FROM open_requests WHERE due_at IS NOT NULL
