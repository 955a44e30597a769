-- The objects of the log's schema: kind, name, table, and a definition in one line without the name of the schema. The
-- log's schema is that of `events`. A trigger ends with the letter of its state; A is ALWAYS. A function is given by the
-- hash of its text, or by its expression. The last rows are the version of the server, which formats some definitions.
WITH log (oid, name) AS (
    SELECT n.oid, quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = to_regclass('events')
), relation AS (
    SELECT c.* FROM pg_class c JOIN log ON c.relnamespace = log.oid
    WHERE c.relname IN ('events', 'probe', 'layout', 'open_requests', 'leases', 'proposer_presence', 'sign_in_secret',
        'setting_events', 'call_events', 'calls', 'pending_calls', 'grants', 'person_decisions', 'advice',
        'unknown_outcomes', 'mismatches', 'decisions')
), object (kind, name, owner, definition) AS (
    SELECT CASE c.relkind WHEN 'v' THEN 'view' ELSE 'table' END, c.relname::text, c.relname::text,
        CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid)
            ELSE concat_ws(' ', 'kind', c.relkind, 'persistence', c.relpersistence, 'row security', c.relrowsecurity) END
    FROM relation c
    UNION ALL
    SELECT 'column', c.relname || '.' || a.attname, c.relname, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
        (SELECT 'COLLATE ' || l.collname FROM pg_collation l WHERE l.oid = a.attcollation),
        CASE WHEN a.attnotnull THEN 'NOT NULL' END,
        (SELECT 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d
            WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum))
    FROM relation c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind <> 'v'
    UNION ALL
    SELECT 'constraint', c.relname || '.' || k.conname, c.relname, pg_get_constraintdef(k.oid)
    FROM relation c JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype IN ('c', 'f', 'p', 'u', 'x')
    UNION ALL
    SELECT 'index', x.relname, c.relname,
        concat_ws(' ', pg_get_indexdef(x.oid), CASE WHEN NOT (i.indisvalid AND i.indisready) THEN 'INVALID' END)
    FROM relation c JOIN pg_index i ON i.indrelid = c.oid JOIN pg_class x ON x.oid = i.indexrelid
    UNION ALL
    SELECT 'trigger', t.tgname, c.relname, concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled)
    FROM relation c JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal
    UNION ALL
    SELECT 'rule', r.rulename, c.relname, pg_get_ruledef(r.oid)
    FROM relation c JOIN pg_rewrite r ON r.ev_class = c.oid AND r.rulename <> '_RETURN'
    UNION ALL
    SELECT 'policy', p.polname, c.relname, p.polcmd::text
    FROM relation c JOIN pg_policy p ON p.polrelid = c.oid
    UNION ALL
    SELECT 'function', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', '',
        concat_ws(' ', coalesce(pg_get_function_sqlbody(p.oid), md5(p.prosrc)), p.provolatile, p.prosecdef,
            p.proisstrict, p.proparallel, array_to_string(p.proconfig, ', '))
    FROM log JOIN pg_proc p ON p.pronamespace = log.oid
    UNION ALL
    SELECT 'operator', o.oprname || ' (' || o.oprleft::regtype || ', ' || o.oprright::regtype || ')', '',
        o.oprcode::regproc::text
    FROM log JOIN pg_operator o ON o.oprnamespace = log.oid
    UNION ALL
    SELECT 'version', 'PostgreSQL', '', (current_setting('server_version_num')::int / 10000)::text
)
SELECT o.kind, o.name, o.owner, regexp_replace(
    replace(replace(o.definition, log.name || '.', ''), 'search_path=' || log.name || ',', 'search_path=SCHEMA,'),
    '\s+', ' ', 'g')
FROM object o CROSS JOIN log
ORDER BY o.kind COLLATE "C", o.name COLLATE "C", o.owner COLLATE "C"
