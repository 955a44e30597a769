-- The events of the calls that advisor $1 answered last before $4 and after $3 (both seqs), the newest answer first, $5 calls
-- at most: with its configuration $2, allow or deny, and seen by people or given by the advisor itself. The first column of
-- each row is the seq of the advice. The condition on the mode selects the index advice_by_advisor. LEFT JOIN keeps the
-- answers in their order, and each call has events.
SELECT a.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT seq, thread_id, data ->> 'toolCallId' AS tool_call_id FROM events
    WHERE type = 'TOOL_APPROVAL_ADVICE' AND data ->> 'advisor' = $1 AND data ->> 'configuration' = $2
        AND seq > $3 AND seq < $4
        AND data ->> 'mode' <> 'shadow' AND data ->> 'advice' IN ('allow', 'deny')
    ORDER BY seq DESC LIMIT $5 + 0) a
    LEFT JOIN events e ON e.seq IN (
        SELECT k.seq FROM call_events k WHERE k.thread_id = a.thread_id AND k.tool_call_id = a.tool_call_id)
