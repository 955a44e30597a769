-- The tool of call $2 in thread $1.
SELECT data ->> 'name' AS tool FROM events WHERE thread_id = $1 AND tool_call_id = $2 AND type = 'TOOL_CALL'
