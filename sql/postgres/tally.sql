-- The outcome of each call whose TOOL_CALL is after $1 and up to $2 (both seqs), and was proposed at or after $3 and
-- before $4 unless these are NULL: its tool, the time of the request, the decision with its source and time, true if it
-- was started, the status of its result, the time of the proposal, the rule and the part of the policy that judged
-- it. || '' hides the condition from the indexes, so that the database reads the span. CAST gives a parameter a type,
-- which IS NULL alone does not. LATERAL with OFFSET 0 makes PostgreSQL look up each event in its index.
SELECT c.data ->> 'name' AS tool, q.timestamp AS requested_at, r.data ->> 'decision' AS decision,
    r.data ->> 'source' AS source, r.timestamp AS decided_at, s.seq IS NOT NULL AS started,
    t.data ->> 'status' AS status, c.timestamp AS proposed_at,
    CASE WHEN q.seq IS NULL THEN r.data ->> 'rule' ELSE q.data ->> 'rule' END AS rule,
    CASE WHEN q.seq IS NULL THEN r.data ->> 'basis' ELSE q.data ->> 'basis' END AS basis,
    CASE WHEN $5 THEN c.data ->> 'effects' END AS effects
FROM events c
LEFT JOIN LATERAL (
    SELECT * FROM events
    WHERE type = 'TOOL_APPROVAL_REQUEST' AND data ->> 'toolCallId' = c.data ->> 'id' AND thread_id = c.thread_id
    OFFSET 0) q ON TRUE
LEFT JOIN LATERAL (
    SELECT * FROM events
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND data ->> 'toolCallId' = c.data ->> 'id' AND thread_id = c.thread_id
    OFFSET 0) r ON TRUE
LEFT JOIN LATERAL (
    SELECT * FROM events
    WHERE type = 'TOOL_EXECUTION_STARTED' AND data ->> 'toolCallId' = c.data ->> 'id' AND thread_id = c.thread_id
    OFFSET 0) s ON TRUE
LEFT JOIN LATERAL (
    SELECT * FROM events
    WHERE type = 'TOOL_RESULT' AND data ->> 'toolCallId' = c.data ->> 'id' AND thread_id = c.thread_id
    OFFSET 0) t ON TRUE
WHERE c.seq > $1 AND c.seq <= $2 AND c.type || '' = 'TOOL_CALL'
    AND (CAST($3 AS text) IS NULL OR c.timestamp >= $3) AND (CAST($4 AS text) IS NULL OR c.timestamp < $4)
