-- The messages of thread $1, each with its place in the conversation and its hash, in the order of their seqs. The index
-- has all of it, so that no content is read.
SELECT e.seq, e.data ->> 'position' AS position, e.data ->> 'contentHash' AS content_hash
FROM events e
WHERE e.thread_id = CAST($1 AS text)
    AND (e.type = 'USER_MESSAGE' OR e.type = 'AGENT_MESSAGE' OR e.type = 'SYSTEM_PROMPT'
        OR e.type = 'USER_SYSTEM_PROMPT' OR e.type = 'LOCAL_SYSTEM_MESSAGE' OR e.type = 'COMPACTION')
ORDER BY e.seq
