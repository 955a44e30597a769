-- The calls up to seq $1 whose thread has an earlier call with the same id. A log has none unless its unique index was
-- removed.
SELECT seq FROM (
    SELECT seq, row_number() OVER (PARTITION BY data ->> 'id', thread_id ORDER BY seq) AS repetition
    FROM events WHERE type = 'TOOL_CALL' AND seq <= $1) c
WHERE repetition > 1
ORDER BY seq
