-- The pending calls of all threads: the events of the calls with the $2 oldest open requests after $1, each with the
-- seq of its request before it. Call by call, because LEFT JOIN takes the requests in their order; the events of one
-- call in no order, which the reader restores at less cost. Without the hashes, which no reader of this list uses. A
-- damaged index may name a call that the log does not have, and the last condition leaves it out.
SELECT o.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, NULL AS hash
FROM (SELECT seq, thread_id, tool_call_id FROM open_requests WHERE seq > $1 ORDER BY seq LIMIT $2) o
    LEFT JOIN LATERAL (
        SELECT * FROM call_events WHERE thread_id = o.thread_id AND tool_call_id = o.tool_call_id OFFSET 0) e ON TRUE
WHERE coalesce(e.seq, 0) > 0
