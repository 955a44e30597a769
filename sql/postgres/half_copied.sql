-- Whether a copy into this log has begun and is not finished: its mark is a table.
SELECT count(*) FROM pg_class WHERE oid = to_regclass('copying')
