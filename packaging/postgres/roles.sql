-- Creates the roles for a log on PostgreSQL: the table owner, who migrates; the application; the auditor, who reads.
--
-- Run this file in the log's database, as a role that may create roles and schemas. Run it twice: before the first
-- start, to create the roles and the schema, and after the owner has migrated, to grant rights on the tables. It can be
-- repeated at any time; repeat it after every update with a migration.
--
--     psql -d approvals -f roles.sql
--     psql -d approvals -v schema=team_a -v owner=team_a_owner -v app=team_a_app -v auditor=team_a_auditor -f roles.sql
--
-- The roles have no password: set one with \password, or configure their authentication in pg_hba.conf.
-- Only migrations and `countersign verify --repair` need the owner. The owner can remove the triggers that protect the
-- rows, so store its password separately from the others.

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

-- A separate schema, because before PostgreSQL 15 every role may create tables and functions in schema public.
SELECT format('CREATE SCHEMA %I AUTHORIZATION %I', :'schema', :'owner')
WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = :'schema')
\gexec

GRANT USAGE ON SCHEMA :"schema" TO :"app", :"auditor";

-- Set the schema as the search path of each role, so that the database URL does not need to name it.
SELECT format('ALTER ROLE %I IN DATABASE %I SET search_path = %I', name, current_database(), :'schema')
FROM unnest(ARRAY[:'owner', :'app', :'auditor']) name
\gexec

-- The application and the auditor may read every table of the owner, including tables from later migrations.
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA :"schema" GRANT SELECT ON TABLES TO :"app", :"auditor";
GRANT SELECT ON ALL TABLES IN SCHEMA :"schema" TO :"app", :"auditor";

-- Reading `data` calls these functions. The grant matters in databases that revoke EXECUTE from PUBLIC.
SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I, %I', p.oid::regprocedure, :'app', :'auditor')
FROM pg_proc p
WHERE p.pronamespace = :'schema'::regnamespace
    AND p.proname IN ('readable', 'document', 'text_of', 'json_of')
\gexec

-- It erases content, and a trigger lets nothing else pass.
SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', p.oid::regprocedure, :'app')
FROM pg_proc p
WHERE p.pronamespace = :'schema'::regnamespace AND p.proname = 'replace_data'
\gexec

-- The application only inserts rows. A trigger with the owner's rights maintains open_requests. The row in
-- probe, the times at which proposers were seen, and the leases of servers, are the only ones that are updated. The view `decisions` inserts
-- into events.
SELECT format('GRANT %s ON %I.%I TO %I', given.rights, :'schema', given.relation, :'app')
FROM (VALUES ('INSERT', 'events'), ('INSERT', 'decisions'), ('INSERT, UPDATE', 'probe'),
    ('INSERT, UPDATE, DELETE', 'proposer_presence'), ('INSERT, UPDATE', 'leases')) given (rights, relation)
WHERE to_regclass(format('%I.%I', :'schema', given.relation)) IS NOT NULL
\gexec

-- An auditor reads the log, and makes no challenges.
SELECT format('REVOKE SELECT ON %I.sign_in_secret FROM %I', :'schema', :'auditor')
WHERE to_regclass(format('%I.sign_in_secret', :'schema')) IS NOT NULL
\gexec

COMMIT;
