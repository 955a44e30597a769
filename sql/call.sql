-- One call's events, in no order: to ask for one would tempt SQLite to read the whole thread.
-- A call has few, so the reader sorts them.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE thread_id = $1 AND tool_call_id = $2
