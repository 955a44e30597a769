-- The events of call $2 in thread $1, without an order, and beside each of them the time at which the proposer of the
-- call was last seen, and the seq of the last call of the thread. One query reads all, because a round trip to the
-- connection takes longer than each of them.
SELECT c.seq, c.thread_id, c.type, c.timestamp, c.principal, c.data, c.hash,
    (SELECT p.seen_at FROM proposer_presence p WHERE p.thread_id = CAST($1 AS text) AND p.tool_call_id = $2) AS seen_at,
    (SELECT max(l.seq) FROM events l WHERE l.thread_id = CAST($1 AS text) AND l.type = 'TOOL_CALL') AS last_call
FROM call_events c
WHERE c.thread_id = CAST($1 AS text) AND c.tool_call_id = $2
