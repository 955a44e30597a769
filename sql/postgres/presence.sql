-- The last times at which the proposers of calls ($1: [[thread, call], ...]) were seen.
SELECT p.thread_id, p.tool_call_id, p.seen_at
FROM jsonb_array_elements(CAST($1 AS text)::jsonb) k
    JOIN proposer_presence p ON p.thread_id = k.value ->> 0 AND p.tool_call_id = k.value ->> 1
