-- The processes of the server on whose connections instances of Countersign mark the log as in use, with their program.
SELECT l.pid::bigint AS pid, a.application_name AS program
FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid = x'43534755'::int::oid AND l.objid = 'events'::regclass::oid
ORDER BY l.pid
