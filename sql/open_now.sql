-- How many requests are open, and since when the oldest is.
SELECT (SELECT count(*) FROM open_requests) AS open,
    (SELECT e.timestamp FROM events e WHERE e.seq = (SELECT min(o.seq) FROM open_requests o)) AS oldest
