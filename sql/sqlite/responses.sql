-- The responses with the seqs $1 (a JSON array of numbers). A list of calls names the decisions that answered them.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM json_each($1) s CROSS JOIN events e ON e.seq = s.value
WHERE e.type || '' = 'TOOL_APPROVAL_RESPONSE'
