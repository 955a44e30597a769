-- The last times at which the proposers of calls ($1: [[thread, call], ...]) were seen.
SELECT p.thread_id, p.tool_call_id, p.seen_at
FROM json_each($1) k CROSS JOIN proposer_presence p
    ON p.thread_id = k.value ->> 0 AND p.tool_call_id = k.value ->> 1
