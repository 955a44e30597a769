-- The migrations that were applied to the log, in order, each with the checksum of its text.
SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY version
