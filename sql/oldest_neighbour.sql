-- The oldest layout whose programs may still work with this log.
SELECT oldest FROM layout
