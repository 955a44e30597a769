-- The time that sql/probe.sql last wrote.
SELECT written_at FROM probe WHERE id = 1
