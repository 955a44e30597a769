-- The content of the table open_requests. It must equal the result of sql/open_requests_pure.sql.
SELECT seq, thread_id, tool_call_id, due_at, proposer FROM open_requests ORDER BY seq
