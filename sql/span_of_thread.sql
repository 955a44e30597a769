-- The seq of the last of the next $3 events of thread $1 after seq $2; NULL if there are none. It reads only the index.
SELECT max(seq) AS last FROM (SELECT seq FROM events WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT $3 + 0) span
