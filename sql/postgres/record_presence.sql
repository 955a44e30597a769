-- Records when the proposers of calls were last seen ($1: [[thread, call, time], ...]), except of calls that were
-- decided: a process may notice a decision after the rows of the call were deleted. The later time is kept. A subquery
-- with LIMIT 1 makes PostgreSQL look up each call in the index.
INSERT INTO proposer_presence (thread_id, tool_call_id, seen_at)
SELECT s.value ->> 0, s.value ->> 1, s.value ->> 2
FROM jsonb_array_elements(CAST($1 AS text)::jsonb) s
WHERE (
    SELECT r.seq FROM events r
    WHERE r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = s.value ->> 1
        AND r.thread_id = s.value ->> 0 LIMIT 1) IS NULL
ON CONFLICT (thread_id, tool_call_id)
    DO UPDATE SET seen_at = greatest(proposer_presence.seen_at, excluded.seen_at)
