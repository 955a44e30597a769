-- The pending calls of all threads: the events of the calls with the $2 oldest open requests after seq $1. The first
-- column of each row is the seq of the request. LEFT JOIN keeps the requests in their order. The events of one call
-- have no order, because the reader can sort them at less cost. The hash is NULL, because no reader of this list uses
-- it. The last condition leaves out a call that the log does not have, which a damaged index may name. || '' removes
-- the type of the column, because SQLite uses an index on an expression only for a value without a type.
SELECT o.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, NULL AS hash
FROM (
    SELECT seq, thread_id, tool_call_id || '' AS tool_call_id FROM open_requests
    WHERE seq > $1 ORDER BY seq LIMIT $2 + 0) o
    LEFT JOIN events e ON e.seq IN (
        SELECT k.seq FROM call_events k WHERE k.thread_id = o.thread_id AND k.tool_call_id = o.tool_call_id)
WHERE coalesce(e.seq, 0) > 0
