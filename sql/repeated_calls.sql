-- The calls up to $1 whose thread has an earlier call with the same id. The unique index keeps them out while it exists.
SELECT seq FROM (
    SELECT seq, row_number() OVER (PARTITION BY data ->> 'id', thread_id ORDER BY seq) AS repetition
    FROM events WHERE type = 'TOOL_CALL' AND seq <= $1) c
WHERE repetition > 1
ORDER BY seq
