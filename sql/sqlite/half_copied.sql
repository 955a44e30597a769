-- 1 if the log contains an unfinished copy, and otherwise 0. The mark of an unfinished copy is the table `copying`.
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'copying'
