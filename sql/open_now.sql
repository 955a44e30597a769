-- The number of open requests, and the time of the oldest.
SELECT (SELECT count(*) FROM open_requests) AS open,
    (SELECT e.timestamp FROM events e WHERE e.seq = (SELECT min(o.seq) FROM open_requests o)) AS oldest
