-- The oldest layout whose programs can still work with this log, and the oldest one whose programs can still read it.
SELECT oldest, oldest_reader FROM layout
