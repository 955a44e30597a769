-- The settings and rights of a server that `countersign doctor` checks, in one row. For a setting that Countersign
-- changes in its sessions, it reads the value from before that change. Without a log, the rights are NULL.
SELECT
    split_part(current_setting('server_version'), ' ', 1) AS version,
    coalesce((SELECT s.ssl FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid()), false) AS encrypted,
    coalesce(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', true) AS is_local,
    (SELECT extract(epoch FROM clock_timestamp() - a.backend_start)::bigint
        FROM pg_stat_activity a WHERE a.pid = pg_backend_pid()) AS age,
    current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint AS most,
    (SELECT count(*) FROM pg_stat_activity a WHERE a.backend_type = 'client backend') AS used,
    (SELECT string_agg(s.name, ', ') FROM pg_settings s
        WHERE s.name IN ('fsync', 'full_page_writes') AND s.setting = 'off') AS unsafe,
    (SELECT s.reset_val FROM pg_settings s WHERE s.name = 'synchronous_commit') AS waits,
    current_setting('synchronous_standby_names') AS standbys,
    (SELECT count(*) FROM pg_stat_replication) AS copies,
    (SELECT s.reset_val FROM pg_settings s WHERE s.name = 'default_transaction_isolation') AS isolation,
    (SELECT s.reset_val FROM pg_settings s WHERE s.name = 'standard_conforming_strings') AS conforming,
    getdatabaseencoding()::text AS encoding,
    has_table_privilege(to_regclass('events'), 'INSERT') AS may_insert,
    has_table_privilege(to_regclass('events'), 'UPDATE, DELETE, TRUNCATE') AS may_change,
    (SELECT pg_has_role(c.relowner, 'MEMBER') FROM pg_class c WHERE c.oid = to_regclass('events')) AS owns,
    (SELECT string_agg(g.name, ', ')
        FROM unnest(ARRAY['rows_are_never_changed', 'no_row_is_ever_changed', 'writers_queue_up',
            'rows_keep_the_structure', 'rows_update_open_requests', 'rows_without_a_hash_are_decisions',
            'rows_without_a_hash_notify']) g (name)
        WHERE NOT EXISTS (
            SELECT FROM pg_trigger t
            WHERE t.tgrelid = to_regclass('events') AND t.tgname = g.name AND t.tgenabled = 'A')
        AND to_regclass('events') IS NOT NULL) AS missing
