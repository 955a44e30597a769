-- Records when the proposers of calls were last seen ($1: [[thread, call, time], ...]), except of calls that were
-- decided: a process may notice a decision after the rows of the call were deleted. The later time is kept.
INSERT INTO proposer_presence (thread_id, tool_call_id, seen_at)
SELECT s.value ->> 0, s.value ->> 1, s.value ->> 2
FROM json_each($1) s
WHERE NOT EXISTS (
    SELECT 1 FROM events r
    WHERE r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = s.value ->> 1
        AND r.thread_id = s.value ->> 0)
ON CONFLICT (thread_id, tool_call_id) DO UPDATE SET seen_at = max(proposer_presence.seen_at, excluded.seen_at)
