-- The oldest layout whose programs can still work with this log.
SELECT oldest FROM layout
