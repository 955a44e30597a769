-- The log. One table, append-only; everything else in this file guards it or finds things in it. It is the
-- table of migrations/sqlite, and where the two differ stands why.

-- Functions find their tables in the schema that the log was made in, whoever calls them and with whatever
-- search path, and in the temporary schema last, so that nobody can put a table of his own in between.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- JSON is UTF-8, and so are threads and principals; other encodings have no room for some of it.
DO $$ BEGIN
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION 'countersign: the encoding of the database must be UTF8' USING ERRCODE = 'CS001';
    END IF;
END $$;

-- The JSON of `data`. The column itself is text and kept to the byte, because the hash chain and what
-- people are shown are over those bytes, and jsonb orders keys anew, respells numbers and refuses \u0000,
-- which the output of commands may hold. Here \u0000 reads as U+FFFD. A backslash that is itself escaped is
-- respelled first: after that whatever looks like \u0000 is one, and the JSON stays valid.
-- The bodies are expressions, and no strings, so that the planner takes them apart where they are used, and
-- so that they mean the same while a dump is restored, which happens with an empty search path.
CREATE FUNCTION readable(data text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(replace(data, '\\', '\u005c'), '\u0000', '\ufffd');

CREATE FUNCTION document(data text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN readable(data)::jsonb;

-- With these operators `data ->> 'name'` says here what it says to SQLite, and one text of a query serves both.
CREATE FUNCTION text_of(data text, key text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN document(data) ->> key;

CREATE FUNCTION json_of(data text, key text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN document(data) -> key;

CREATE OPERATOR ->> (FUNCTION = text_of, LEFTARG = text, RIGHTARG = text);

CREATE OPERATOR -> (FUNCTION = json_of, LEFTARG = text, RIGHTARG = text);

-- Text compares by its bytes, as in SQLite and whatever the language of the database: times sort as text.
CREATE TABLE events (
    seq       bigint PRIMARY KEY CHECK (seq > 0),
    thread_id text COLLATE "C" NOT NULL CHECK (thread_id <> ''),
    type      text COLLATE "C" NOT NULL CHECK (type IN (
        'TOOL_CALL', 'TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_VOTE', 'TOOL_APPROVAL_RESPONSE',
        'TOOL_EXECUTION_STARTED', 'TOOL_RESULT', 'TOOL_POLICY_SET', 'GRANT_REVOKED',
        'THREAD_MODE_SET', 'THREAD_CLOSED', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT',
        'USER_SYSTEM_PROMPT', 'LOCAL_SYSTEM_MESSAGE', 'COMPACTION')),
    timestamp text COLLATE "C" NOT NULL
        DEFAULT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') CHECK (
        timestamp ~ '^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}Z$'),
    principal text COLLATE "C" NOT NULL CHECK (principal LIKE 'user:_%' OR principal LIKE 'agent:_%'
        OR principal LIKE 'policy:_%' OR principal LIKE 'system:_%'),
    data      text COLLATE "C" NOT NULL CHECK (jsonb_typeof(document(data)) = 'object'),
    -- The chain's link in 64 lower-case hexadecimal digits. Rows inserted by hand leave it empty; the
    -- next row that a process of ours writes seals them, because its own link is over theirs.
    -- The length apart: a pattern that counts to 64 takes six times as long.
    hash      text COLLATE "C" CHECK (hash ~ '^[0-9a-f]*$' AND length(hash) = 64),
    -- STORED: no column of PostgreSQL 14 to 17 is made when it is read.
    tool_call_id text COLLATE "C" GENERATED ALWAYS AS (
        CASE
            WHEN type = 'TOOL_CALL' THEN data ->> 'id'
            WHEN type IN ('TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_VOTE', 'TOOL_APPROVAL_RESPONSE',
                'TOOL_EXECUTION_STARTED', 'TOOL_RESULT') THEN data ->> 'toolCallId'
        END) STORED,
    CHECK (coalesce(tool_call_id, '') <> '' OR type NOT LIKE 'TOOL\_%' OR type = 'TOOL_POLICY_SET')
);

-- What the number in the header of SQLite's file says: whose table it is.
COMMENT ON TABLE events IS 'The log of Countersign (CSGN). Rows are never changed and never deleted.';

-- A thread's events in order. An index of SQLite ends in seq by itself; here it is named.
CREATE INDEX events_of_thread ON events (thread_id, seq);

-- PostgreSQL counts how common a thread is, and where one seems common it would rather walk along the whole log
-- until it meets enough of its events, which may all stand at the other end. Where nothing is counted it takes
-- every thread for a rare one, and looks it up in the index.
ALTER TABLE events ALTER COLUMN thread_id SET STATISTICS 0;

-- A call has at most one of each type of event, and an approver votes once on it. The same index finds
-- a call's events: "IS NOT NULL" follows from any comparison.
CREATE UNIQUE INDEX one_of_each ON events (
    thread_id, tool_call_id, type, (CASE type WHEN 'TOOL_APPROVAL_VOTE' THEN principal ELSE '' END))
    WHERE tool_call_id IS NOT NULL;

-- A thread closes once.
CREATE UNIQUE INDEX one_close ON events (thread_id)
    WHERE type = 'THREAD_CLOSED';

-- A thread's grants.
CREATE INDEX grants_of_thread ON events (thread_id)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND data ->> 'decision' = 'allow_session';

-- A grant is revoked once.
CREATE UNIQUE INDEX one_revocation ON events (thread_id, (data ->> 'grant'))
    WHERE type = 'GRANT_REVOKED';

-- SQLite has one writer at a time and numbers rows by itself. Here whoever inserts waits for the lock first,
-- and holds it until the end of the transaction: so rows become visible in the order of their numbers, and a
-- reader who has seen n never finds n - 1 later. The lock is named by "CSGN" and by the table.
CREATE FUNCTION writers_queue_up() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(x'4353474e'::int, TG_RELID::int);
    RETURN NULL;
END $$;

-- Numbers have no gaps. A transaction that still sees the log as it was before others wrote, as it does
-- under REPEATABLE READ, takes a number that is taken, and the primary key refuses that.
CREATE FUNCTION rows_follow_the_rules() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.seq := coalesce(NEW.seq, (SELECT max(e.seq) FROM events e) + 1, 1);
    RETURN NEW;
END $$;

CREATE TRIGGER writers_queue_up BEFORE INSERT ON events
    FOR EACH STATEMENT EXECUTE FUNCTION writers_queue_up();

CREATE TRIGGER rows_follow_the_rules BEFORE INSERT ON events
    FOR EACH ROW EXECUTE FUNCTION rows_follow_the_rules();

-- ALWAYS, here and below: also where session_replication_role switches other triggers off.
ALTER TABLE events ENABLE ALWAYS TRIGGER writers_queue_up;
ALTER TABLE events ENABLE ALWAYS TRIGGER rows_follow_the_rules;
