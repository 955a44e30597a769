-- Puts other data in the place of the data of some rows ($1: [[seq, data], ...]). `data` is a JSON string, so that its text
-- stays the same byte for byte. The triggers of `events` let only the erasure of texts pass.
SELECT replace_data(CAST($1 AS text))
