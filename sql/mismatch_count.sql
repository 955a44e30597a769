-- The number of calls that ran other arguments than were approved, or without an approval.
SELECT count(*) AS mismatches FROM events WHERE type = 'TOOL_EXECUTION_MISMATCH'
