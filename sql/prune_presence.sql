-- Deletes the times at which the proposers of decided calls were last seen. || '' removes the type of the column, because
-- SQLite uses an index on an expression only for a value without a type.
DELETE FROM proposer_presence
WHERE (
    SELECT r.seq FROM events r
    WHERE r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = proposer_presence.tool_call_id || ''
        AND r.thread_id = proposer_presence.thread_id LIMIT 1) IS NOT NULL
