-- Back to which seq the last $3 events of thread $1 before $2 reach; NULL if there are none. Only the index is read.
SELECT min(seq) AS first FROM (SELECT seq FROM events WHERE thread_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3) span
