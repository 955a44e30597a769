-- The seq of the last of the next $3 events of thread $1 after seq $2; no row if there are fewer. It reads only the index.
SELECT seq AS last FROM events WHERE thread_id = CAST($1 AS text) AND seq > $2 ORDER BY seq LIMIT 1 OFFSET $3 - 1
