-- The seq of the last call of each thread in $1 ([thread, ...]). Threads without calls are left out.
SELECT thread_id, last_call
FROM (
    SELECT k.value AS thread_id,
        (SELECT max(seq) FROM events WHERE thread_id = k.value AND type = 'TOOL_CALL') AS last_call
    FROM json_each($1) k)
WHERE last_call > 0
