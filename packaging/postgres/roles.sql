-- The roles of a log on PostgreSQL: one owns the tables and migrates, one does the work, one reads.
--
-- Run it in the database of the log as somebody who may make roles and schemas, twice: before the first start,
-- which makes the roles and the schema, and once after the owner has migrated, which gives out the rights to
-- the tables that are there by then. It may be run again at any time, and should be after an update that migrates.
--
--     psql -d approvals -f roles.sql
--     psql -d approvals -v schema=team_a -v owner=team_a_owner -v app=team_a_app -v auditor=team_a_auditor -f roles.sql
--
-- Roles are made without a password: set them with \password, or let pg_hba.conf say how they prove who they are.
-- The owner is needed for migrations and for `countersign verify --repair` alone. Nothing holds against whoever
-- owns a table but the triggers, and the owner can take those away, so keep its password apart from the others.

\set ON_ERROR_STOP on
\if :{?schema} \else \set schema countersign \endif
\if :{?owner} \else \set owner countersign_owner \endif
\if :{?app} \else \set app countersign_app \endif
\if :{?auditor} \else \set auditor countersign_auditor \endif

BEGIN;

SELECT format('CREATE ROLE %I LOGIN', name)
FROM unnest(ARRAY[:'owner', :'app', :'auditor']) name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name)
\gexec

-- A schema of its own, because until PostgreSQL 15 everybody might make tables and functions in public.
SELECT format('CREATE SCHEMA %I AUTHORIZATION %I', :'schema', :'owner')
WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = :'schema')
\gexec

GRANT USAGE ON SCHEMA :"schema" TO :"app", :"auditor";

-- The schema comes with the role, so the URL of the database need not name it.
SELECT format('ALTER ROLE %I IN DATABASE %I SET search_path = %I', name, current_database(), :'schema')
FROM unnest(ARRAY[:'owner', :'app', :'auditor']) name
\gexec

-- Everybody of the three may read whatever the owner makes, now and in migrations to come.
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA :"schema" GRANT SELECT ON TABLES TO :"app", :"auditor";
GRANT SELECT ON ALL TABLES IN SCHEMA :"schema" TO :"app", :"auditor";

-- Where a database keeps functions from the public, reading `data` needs these.
SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I, %I', p.oid::regprocedure, :'app', :'auditor')
FROM pg_proc p
WHERE p.pronamespace = :'schema'::regnamespace
    AND p.proname IN ('readable', 'document', 'text_of', 'json_of')
\gexec

-- Rows are added and nothing else. open_requests is kept by a trigger with the rights of the owner; probe is the
-- one row that is written over. `decisions` is a view that adds rows to events.
SELECT format('GRANT %s ON %I.%I TO %I', given.rights, :'schema', given.relation, :'app')
FROM (VALUES ('INSERT', 'events'), ('INSERT', 'decisions'), ('INSERT, UPDATE', 'probe')) given (rights, relation)
WHERE to_regclass(format('%I.%I', :'schema', given.relation)) IS NOT NULL
\gexec

COMMIT;
