-- Whether a copy into this log has begun and is not finished: its mark is a table.
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'copying'
