-- The tool of call $2 in thread $1.
SELECT data ->> 'name' AS tool FROM events WHERE type = 'TOOL_CALL' AND data ->> 'id' = $2 AND thread_id = CAST($1 AS text)
