-- The seq of the first of the last $3 events of thread $1 before seq $2; NULL if there are none. It reads only the
-- index.
SELECT min(seq) AS first FROM (SELECT seq FROM events WHERE thread_id = CAST($1 AS text) AND seq < $2 ORDER BY seq DESC LIMIT $3 + 0) span
