-- The threads whose last event is before $1 and not before $2 (both seqs), the most recent first, $3 rows at most. An
-- event is the last one of its thread if the index has no later event of the thread.
SELECT
    l.seq AS last_seq, l.thread_id, l.timestamp AS last_event_at,
    (SELECT f.timestamp FROM events f WHERE f.thread_id = l.thread_id ORDER BY f.seq LIMIT 1) AS first_event_at,
    (SELECT count(*) FROM events c
        WHERE c.thread_id = l.thread_id AND c.type = 'TOOL_CALL') AS calls,
    (SELECT count(*) FROM open_requests o WHERE o.thread_id = l.thread_id) AS pending,
    (SELECT m.data ->> 'mode' FROM setting_events m
        WHERE m.thread_id = l.thread_id AND m.type = 'THREAD_MODE_SET' ORDER BY m.seq DESC LIMIT 1) AS mode,
    (SELECT x.timestamp FROM setting_events x WHERE x.thread_id = l.thread_id AND x.type = 'THREAD_CLOSED') AS closed_at
FROM (
    SELECT e.seq, e.thread_id, e.timestamp FROM events e
    WHERE e.seq < $1 AND e.seq >= $2 AND e.thread_id <> ''
        AND NOT EXISTS (SELECT 1 FROM events n WHERE n.thread_id = e.thread_id AND n.seq > e.seq)
    ORDER BY e.seq DESC LIMIT $3 + 0) l
