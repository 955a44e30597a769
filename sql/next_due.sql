-- The moment at which something is due next on an open request.
SELECT min(due_at) AS due_at FROM open_requests WHERE due_at IS NOT NULL
