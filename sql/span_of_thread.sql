-- Up to which seq the next $3 events of thread $1 after $2 reach; NULL if there are none. Only the index is read.
SELECT max(seq) AS last FROM (SELECT seq FROM events WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) span
