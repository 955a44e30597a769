-- What waits for people in thread $3: as sql/pending.sql, which is for all threads.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (SELECT seq FROM open_requests WHERE thread_id = $3 AND seq > $1 ORDER BY seq LIMIT $2) o
    CROSS JOIN events q ON q.seq = o.seq
    CROSS JOIN events e ON e.thread_id = q.thread_id AND e.tool_call_id = q.tool_call_id
ORDER BY o.seq, e.seq
