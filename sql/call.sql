-- The events of call $2 in thread $1, without an order: a call has few events, so the reader sorts them.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM call_events
WHERE thread_id = CAST($1 AS text) AND tool_call_id = $2
