-- The process of the server that holds the lock on the end of the log: its id, its program, the address of its client if that is
-- another machine, and for how many seconds its transaction runs. The columns are NULL where this role may not see them.
SELECT
    l.pid::bigint AS pid,
    a.application_name AS program,
    host(a.client_addr) AS host,
    floor(extract(epoch FROM clock_timestamp() - a.xact_start))::bigint AS held
FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid = x'4353474e'::int::oid AND l.objid = 'events'::regclass::oid
LIMIT 1
