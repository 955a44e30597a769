-- The log: one append-only table, its indexes, and the triggers that keep its structure. It is the table of
-- migrations/sqlite, and the comments here explain only what differs. The rules of an approval are not here.

-- Each function finds its tables in the schema that the log was created in, independent of the caller's search path.
-- The temporary schema comes last, so that no temporary table can take the place of a table of the log.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- A refusal ends the transaction, or the part of it after the last savepoint. Without a complaint there is none (STRICT).
CREATE FUNCTION refuse(complaint text) RETURNS void LANGUAGE plpgsql STRICT AS $$
BEGIN RAISE EXCEPTION 'countersign: %', complaint USING ERRCODE = 'CS001'; END $$;

-- JSON, thread names and principals are UTF-8. Other encodings cannot hold all of them.
SELECT refuse('the encoding of the database must be UTF8') WHERE getdatabaseencoding() <> 'UTF8';

-- The JSON of `data`. The column itself is text and keeps every byte, because the hash chain covers those bytes, and
-- jsonb reorders keys, respells numbers and rejects \u0000, which the output of commands may hold. This function reads
-- \u0000 as U+FFFD. It first respells an escaped backslash, so that each remaining \u0000 is an escape, and the JSON
-- stays valid. The bodies are expressions, not strings, so that the planner inlines them, and so that they mean the
-- same while a dump is restored, which happens with an empty search path.
CREATE FUNCTION readable(data text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(replace(data, '\\', '\u005c'), '\u0000', '\ufffd');
CREATE FUNCTION document(data text) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN readable(data)::jsonb;

-- With these operators `data ->> 'name'` means the same as on SQLite, and one query text serves both.
CREATE FUNCTION text_of(data text, key text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN document(data) ->> key;
CREATE FUNCTION json_of(data text, key text) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN document(data) -> key;
CREATE OPERATOR ->> (FUNCTION = text_of, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR -> (FUNCTION = json_of, LEFTARG = text, RIGHTARG = text);

-- Text compares by its bytes, as in SQLite, in a database of any language: times sort as text.
CREATE TABLE events (
    seq       bigint PRIMARY KEY CHECK (seq > 0),
    thread_id text COLLATE "C" NOT NULL,
    type      text COLLATE "C" NOT NULL,
    timestamp text COLLATE "C" NOT NULL
        DEFAULT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    principal text COLLATE "C" NOT NULL,
    data      text COLLATE "C" NOT NULL,
    hash      text COLLATE "C" CHECK (length(hash) = 64),
    CHECK (hash IS NOT NULL OR thread_id <> '' AND type ~ '^[A-Z][A-Z0-9_]*$' AND length(type) <= 64
        AND timestamp ~ '^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}Z$'
        AND principal ~ '^(user|agent|policy|advisor|system):.' AND jsonb_typeof(document(data)) = 'object'
        AND (type <> 'TOOL_CALL' OR coalesce(data ->> 'id', '') <> '')));

-- The equivalent of the application id in the header of an SQLite file.
COMMENT ON TABLE events IS 'The log of Countersign (CSGN). Rows are never changed and never deleted.';

CREATE INDEX events_by_thread ON events (thread_id, seq);
-- PostgreSQL keeps statistics about common values. For a common thread it would scan the whole log, although all events
-- of that thread may be at the other end. Without statistics it uses the index for each thread.
ALTER TABLE events ALTER COLUMN thread_id SET STATISTICS 0;
CREATE INDEX calls_by_thread ON events (thread_id, seq, (data ->> 'argumentsHash')) WHERE type = 'TOOL_CALL';
CREATE UNIQUE INDEX calls_by_id ON events ((data ->> 'id'), thread_id) WHERE type = 'TOOL_CALL';
CREATE UNIQUE INDEX events_by_call ON events ((data ->> 'toolCallId'), thread_id, type, (CASE type
    WHEN 'TOOL_APPROVAL_VOTE' THEN coalesce(data ->> 'round', '0') || ' ' || principal
    WHEN 'TOOL_APPROVAL_ADVICE' THEN data ->> 'advisor'
    WHEN 'CALL_FLAGGED' THEN principal
    WHEN 'TOOL_EXECUTION_RENEWED' THEN data ->> 'leaseExpiresAt'
    ELSE coalesce(data ->> 'claim', data ->> 'round', '') END))
    WHERE data ->> 'toolCallId' IS NOT NULL;
CREATE INDEX requests_by_call ON events ((data ->> 'toolCallId'), thread_id) WHERE type = 'TOOL_APPROVAL_REQUEST';
-- Whether an event is a setting. The condition on the type comes first, because the other one parses the content.
CREATE FUNCTION is_setting(type text, data text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN type NOT IN ('TOOL_CALL', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT', 'USER_SYSTEM_PROMPT',
        'LOCAL_SYSTEM_MESSAGE', 'COMPACTION') AND data ->> 'toolCallId' IS NULL;
CREATE INDEX settings_by_thread ON events (thread_id, type, seq) WHERE is_setting(type, data);
CREATE VIEW setting_events AS
SELECT seq, thread_id, type, timestamp, principal, data, hash FROM events WHERE is_setting(type, data);
CREATE UNIQUE INDEX once_per_thread ON events (thread_id, type, coalesce(data ->> 'grant', ''),
    coalesce(data ->> 'use', CASE type WHEN 'GRANT_PROLONGED' THEN seq::text ELSE '' END))
    WHERE type = 'THREAD_CLOSED' OR type = 'THREAD_ARCHIVED' OR type = 'GRANT_REVOKED' OR type = 'GRANT_ENDED' OR type = 'GRANT_USED'
        OR type = 'GRANT_PROLONGED';
CREATE UNIQUE INDEX once_per_log ON events (coalesce(data ->> 'id', data ->> 'tool'), type,
    (CASE type WHEN 'DEFINITION_SEEN' THEN '' ELSE coalesce(data ->> 'address', data ->> 'definitionHash', '') END))
    WHERE thread_id = '';
CREATE INDEX advice_by_advisor ON events ((data ->> 'advisor'), seq)
    WHERE type = 'TOOL_APPROVAL_ADVICE' AND (data ->> 'mode') <> 'shadow';
CREATE INDEX messages_by_thread ON events (thread_id, seq, (data ->> 'position'), (data ->> 'contentHash'))
    WHERE type = 'USER_MESSAGE' OR type = 'AGENT_MESSAGE' OR type = 'SYSTEM_PROMPT'
        OR type = 'USER_SYSTEM_PROMPT' OR type = 'LOCAL_SYSTEM_MESSAGE' OR type = 'COMPACTION';
CREATE INDEX lasting_decisions_by_thread ON events (thread_id, seq)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'decision' = 'allow_session'
        OR data ->> 'decision' = 'deny' AND data ->> 'scope' IS NOT NULL);
CREATE INDEX grants_by_end ON events ((data ->> 'expiresAt'))
    WHERE (type = 'TOOL_APPROVAL_RESPONSE' OR type = 'GRANT_PROLONGED') AND data ->> 'expiresAt' IS NOT NULL;
CREATE INDEX recent_decisions_by_thread ON events (thread_id, (data ->> 'argumentsHash'), timestamp)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'source' = 'approver' OR data ->> 'scope' = 'once');

-- As the trigger of a statement, the function leaves the changes that replace_data makes to the trigger of the rows. As that,
-- it accepts a row that loses its content as a CALL_ERASED event of its call or a THREAD_ARCHIVED event of its thread says.
CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_LEVEL = 'STATEMENT' AND TG_OP = 'UPDATE' AND current_setting('countersign.replaces_data', true) = 'on' THEN
        RETURN NULL;
    ELSIF TG_LEVEL = 'ROW' AND TG_OP = 'UPDATE' AND removes_content(OLD, NEW) THEN
        RETURN NEW;
    END IF;
    PERFORM refuse(CASE TG_OP WHEN 'UPDATE' THEN 'events are never changed' ELSE 'events are never deleted' END);
END $$;

CREATE FUNCTION content_members(type text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY['arguments', 'impact', 'description', 'effects', 'suggestedScopes', 'comment', 'changes', 'content']
        || CASE type WHEN 'TOOL_APPROVAL_ADVICE' THEN ARRAY['labels', 'reason'] END;

CREATE FUNCTION removes_content(old_row events, new_row events) RETURNS boolean
    LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT (to_jsonb(new_row) - 'data') = (to_jsonb(old_row) - 'data') AND NOT document(old_row.data) ? 'erased' AND EXISTS (
        SELECT FROM (
            SELECT new_row.data -> 'erased' AS hashes FROM events x
            WHERE x.type = 'THREAD_ARCHIVED' AND x.thread_id = old_row.thread_id AND old_row.seq <= (x.data ->> 'through')::bigint
                AND old_row.type !~ '^(THREAD|GRANT)_' AND old_row.type <> 'CALL_ERASED'
                AND (SELECT count(*) FROM jsonb_each_text(new_row.data -> 'erased') t WHERE t.value ~ '^[0-9a-f]{64}$')
                = (SELECT count(*) FROM jsonb_object_keys(document(old_row.data)) t (key)
                    WHERE new_row.data -> 'erased' ? t.key OR t.key = ANY (content_members(old_row.type)))
            UNION ALL
            SELECT r -> 'texts' FROM events x, jsonb_array_elements(x.data -> 'rows') r
            WHERE x.type = 'CALL_ERASED' AND x.thread_id = old_row.thread_id AND r -> 'seq' = to_jsonb(old_row.seq)
                AND x.data ->> 'toolCallId' = coalesce(old_row.data ->> 'toolCallId', old_row.data ->> 'id')) e
        WHERE document(new_row.data) = document(old_row.data) - content_members(old_row.type)
            - (CASE WHEN hashes ? 'scope' THEN 'scope' ELSE 'erased' END) || jsonb_build_object('erased', hashes))
$$;

-- The statement trigger also rejects TRUNCATE and ON CONFLICT DO UPDATE, and statements that match no row. The row
-- trigger rejects the changes of a subscription, which applies them row by row.
CREATE TRIGGER rows_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER no_row_is_ever_changed BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION reject_change();

-- Puts other data in the place of the data of rows ('[[seq, data], ...]'), as far as the trigger of the rows allows it. The
-- setting makes the trigger of the statement leave the decision to it. SECURITY DEFINER: a role that may insert events
-- needs no right to UPDATE.
CREATE FUNCTION replace_data(rows text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM set_config('countersign.replaces_data', 'on', true);
    UPDATE events e SET data = r.value ->> 1
    FROM jsonb_array_elements(rows::jsonb) r WHERE e.seq = (r.value ->> 0)::bigint;
    PERFORM set_config('countersign.replaces_data', 'off', true);
END $$;
REVOKE UPDATE, DELETE, TRUNCATE ON events FROM PUBLIC;

-- SQLite has one writer at a time. Here each INSERT takes a lock that lasts until the end of the transaction, so that
-- rows become visible in the order of their numbers: a reader that has seen n never sees n - 1 later. The key of the
-- lock is "CSGN" and the table.
CREATE FUNCTION lock_for_writing() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(x'4353474e'::int, TG_RELID::int);
    RETURN NULL;
END $$;

-- Under REPEATABLE READ, a transaction may not see the rows that others have written. It then uses a number that exists
-- already, and the primary key rejects it. On PostgreSQL, ON CONFLICT cannot replace a row, so the unique indexes are enough
-- to reject a second event of a type.
CREATE FUNCTION keep_structure() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE tip bigint := coalesce((SELECT e.seq FROM events e ORDER BY e.seq DESC LIMIT 1), 0); complaint text;
BEGIN
    NEW.seq := coalesce(NEW.seq, tip + 1);
    IF NEW.seq < 1 OR NEW.seq = tip + 1 AND NEW.hash IS NOT NULL THEN
        RETURN NEW;
    END IF;
    complaint := CASE
        WHEN NEW.seq <= tip THEN 'this seq is taken, and events are never changed'
        WHEN NEW.seq > tip + 1 THEN 'leave seq out; it is the next number'
        WHEN NEW.type ~ '^(TOOL_[AER]|CALL_)' AND NOT EXISTS (SELECT FROM events e
            WHERE e.type = 'TOOL_CALL' AND e.data ->> 'id' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
        THEN 'the thread has no such call'
        WHEN NEW.type = 'TOOL_CALL' AND EXISTS (
            SELECT FROM events e WHERE e.type = 'THREAD_CLOSED' AND e.thread_id = NEW.thread_id)
        THEN 'the thread is closed' END;
    PERFORM refuse(complaint);
    RETURN NEW;
END $$;

CREATE TRIGGER writers_queue_up BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION lock_for_writing();
CREATE TRIGGER rows_keep_the_structure BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION keep_structure();

-- ALWAYS: the triggers fire even if session_replication_role disables others.
ALTER TABLE events ENABLE ALWAYS TRIGGER rows_are_never_changed, ENABLE ALWAYS TRIGGER no_row_is_ever_changed,
    ENABLE ALWAYS TRIGGER writers_queue_up, ENABLE ALWAYS TRIGGER rows_keep_the_structure;

-- The other tables are not part of the log. migrations/sqlite says what they hold.
CREATE TABLE probe (id integer PRIMARY KEY CHECK (id = 1), written_at text COLLATE "C" NOT NULL);
CREATE TABLE proposer_presence (
    thread_id text COLLATE "C", tool_call_id text COLLATE "C", seen_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (thread_id, tool_call_id));
CREATE TABLE leases (
    task text COLLATE "C" PRIMARY KEY, holder text COLLATE "C" NOT NULL, held_until text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL);
CREATE TABLE layout (
    id integer PRIMARY KEY CHECK (id = 1), oldest bigint NOT NULL,
    oldest_reader bigint NOT NULL CHECK (oldest_reader <= oldest));
INSERT INTO layout (id, oldest, oldest_reader) VALUES (1, 3, 3);
CREATE TABLE sign_in_secret (
    id integer PRIMARY KEY CHECK (id = 1), secret text COLLATE "C" NOT NULL CHECK (length(secret) = 64));
-- Each of the two has 122 random bits.
INSERT INTO sign_in_secret (id, secret)
VALUES (1, encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'));
