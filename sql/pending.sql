-- What waits for people in all threads: the events of the calls with the $2 oldest open requests after $1,
-- each with the seq of its request before it. Call by call, because LEFT JOIN goes through the requests
-- first, on both databases; the events of each in no order, which would cost more here than where they are
-- read. Without the hashes, which nobody looks at here. What an index that is wrong names and the log does not
-- have is left out, in words that leave the LEFT JOIN one.
SELECT o.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, NULL AS hash
FROM (SELECT seq, thread_id, tool_call_id FROM open_requests WHERE seq > $1 ORDER BY seq LIMIT $2) o
    LEFT JOIN events e ON e.thread_id = o.thread_id AND e.tool_call_id = o.tool_call_id
WHERE coalesce(e.seq, 0) > 0
