-- What the table open_requests holds; sql/open_requests_pure.sql says what it must.
SELECT seq, thread_id, tool_call_id, due_at FROM open_requests ORDER BY seq
