-- The messages with the seqs $1 (a JSON array of numbers), in their order.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM json_each($1) s CROSS JOIN events e ON e.seq = s.value
ORDER BY s.value
