-- The pending calls of all threads: the events of the calls with the $2 oldest open requests after seq $1. The first
-- column of each row is the seq of the request. LEFT JOIN keeps the requests in their order. The events of one call
-- have no order, because the reader can sort them at less cost. The hash is NULL, because no reader of this list uses
-- it. The last condition leaves out a call that the log does not have, which a damaged index may name.
SELECT o.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, NULL AS hash
FROM (SELECT seq, thread_id, tool_call_id FROM open_requests WHERE seq > $1 ORDER BY seq LIMIT $2 + 0) o
    LEFT JOIN LATERAL (
        SELECT * FROM call_events WHERE thread_id = o.thread_id AND tool_call_id = o.tool_call_id OFFSET 0) e ON TRUE
WHERE coalesce(e.seq, 0) > 0
