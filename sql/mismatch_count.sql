-- The number of calls that ran other arguments than were approved, or without an approval. It reads the index of the events
-- about calls from end to end, and no content.
SELECT count(*) AS mismatches FROM events WHERE data ->> 'toolCallId' IS NOT NULL AND type = 'TOOL_EXECUTION_MISMATCH'
