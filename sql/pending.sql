-- What waits for people in all threads: for each open request after $1 the request and its call, the
-- oldest request first, $2 requests at most.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (SELECT seq FROM open_requests WHERE seq > $1 ORDER BY seq LIMIT $2) o
    CROSS JOIN events q ON q.seq = o.seq
    CROSS JOIN events e ON e.thread_id = q.thread_id AND e.tool_call_id = q.tool_call_id
ORDER BY o.seq, e.seq
