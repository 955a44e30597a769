-- The calls up to $1 whose thread has an earlier call with the same id. The unique index keeps them out while it exists.
SELECT c.seq FROM events c
WHERE c.type = 'TOOL_CALL' AND c.seq <= $1 AND EXISTS (
    SELECT 1 FROM events e
    WHERE e.type = 'TOOL_CALL' AND e.data ->> 'id' = c.data ->> 'id' AND e.thread_id = c.thread_id AND e.seq < c.seq)
ORDER BY c.seq
