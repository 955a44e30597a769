-- When the log was last written to in order to see whether it can be.
SELECT written_at FROM probe WHERE id = 1
