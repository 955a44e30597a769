-- The log: one append-only table, its indexes, and the triggers that keep its structure. It is the table of
-- migrations/sqlite, and the comments here explain only what differs. The rules of an approval are not here.

-- Each function finds its tables in the schema that the log was created in, independent of the caller's search path.
-- The temporary schema comes last, so that no temporary table can take the place of a table of the log.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- JSON, thread names and principals are UTF-8. Other encodings cannot hold all of them.
DO $$ BEGIN
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION 'countersign: the encoding of the database must be UTF8' USING ERRCODE = 'CS001';
    END IF;
END $$;

-- The JSON of `data`. The column itself is text and keeps every byte, because the hash chain covers those bytes, and
-- jsonb reorders keys, respells numbers and rejects \u0000, which the output of commands may hold. This function reads
-- \u0000 as U+FFFD. It first respells an escaped backslash, so that each remaining \u0000 is an escape, and the JSON
-- stays valid. The bodies are expressions, not strings, so that the planner inlines them, and so that they mean the
-- same while a dump is restored, which happens with an empty search path.
CREATE FUNCTION readable(data text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(replace(data, '\\', '\u005c'), '\u0000', '\ufffd');

CREATE FUNCTION document(data text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN readable(data)::jsonb;

-- With these operators `data ->> 'name'` means the same as on SQLite, and one query text serves both.
CREATE FUNCTION text_of(data text, key text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN document(data) ->> key;

CREATE FUNCTION json_of(data text, key text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN document(data) -> key;

CREATE OPERATOR ->> (FUNCTION = text_of, LEFTARG = text, RIGHTARG = text);

CREATE OPERATOR -> (FUNCTION = json_of, LEFTARG = text, RIGHTARG = text);

-- Text compares by its bytes, as in SQLite, in a database of any language: times sort as text.
CREATE TABLE events (
    seq       bigint PRIMARY KEY CHECK (seq > 0),
    thread_id text COLLATE "C" NOT NULL,
    type      text COLLATE "C" NOT NULL CHECK (type ~ '^[A-Z][A-Z0-9_]*$' AND length(type) <= 64),
    timestamp text COLLATE "C" NOT NULL
        DEFAULT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') CHECK (
        timestamp ~ '^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}Z$'),
    principal text COLLATE "C" NOT NULL CHECK (principal LIKE 'user:_%' OR principal LIKE 'agent:_%'
        OR principal LIKE 'policy:_%' OR principal LIKE 'advisor:_%' OR principal LIKE 'system:_%'),
    data      text COLLATE "C" NOT NULL CHECK (jsonb_typeof(document(data)) = 'object'),
    -- The length is a check of its own: a pattern that counts to 64 takes six times as long.
    hash      text COLLATE "C" CHECK (hash ~ '^[0-9a-f]*$' AND length(hash) = 64),
    -- A type of a later version may be of both kinds, unless its name says that it is about a call or a thread.
    CHECK (thread_id = '' OR type NOT IN (
        'POLICY_SET', 'TOKEN_CREATED', 'TOKEN_USED', 'TOKEN_REVOKED', 'APPROVER_KEY_ADDED', 'APPROVER_KEY_REMOVED',
        'WEBHOOK_ADDED', 'WEBHOOK_REMOVED', 'WEBHOOK_DELIVERED', 'WEBHOOK_PARKED', 'WEBHOOK_RETRIED', 'DEFINITION_SEEN',
        'DEFINITION_CHANGED', 'DEFINITION_ACCEPTED', 'ADVISOR_REPORTED', 'ADVISOR_MODE_SET')),
    CHECK (thread_id <> '' OR type !~ '^(TOOL|CALL|THREAD)_' AND type NOT IN (
        'GRANT_REVOKED', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT', 'USER_SYSTEM_PROMPT', 'LOCAL_SYSTEM_MESSAGE',
        'COMPACTION')),
    CHECK (type <> 'TOOL_CALL' OR coalesce(data ->> 'id', '') <> '')
);

-- The equivalent of the application id in the header of an SQLite file.
COMMENT ON TABLE events IS 'The log of Countersign (CSGN). Rows are never changed and never deleted.';

-- A thread's events in order.
CREATE INDEX events_by_thread ON events (thread_id, seq);

-- PostgreSQL keeps statistics about common values. For a common thread it would scan the whole log, although all events
-- of that thread may be at the other end. Without statistics it uses the index for each thread.
ALTER TABLE events ALTER COLUMN thread_id SET STATISTICS 0;

-- The events of types that programs of this layout do not know. They allow nothing about the calls and threads that these
-- concern. A later migration that adds a type leaves this index and this view as they are, for these programs.
CREATE INDEX events_after_layout_4_by_thread ON events (thread_id) WHERE type NOT IN (
    'TOOL_CALL', 'TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_VOTE', 'TOOL_APPROVAL_REMINDER', 'TOOL_APPROVAL_ESCALATED',
    'TOOL_APPROVAL_ADVICE', 'TOOL_APPROVAL_RESPONSE', 'TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_RENEWED',
    'TOOL_EXECUTION_RELEASED', 'TOOL_EXECUTION_TAKEN_OVER', 'TOOL_EXECUTION_MISMATCH', 'TOOL_RESULT',
    'CALL_FLAGGED', 'CALL_ERASED', 'POLICY_SET', 'TOOL_POLICY_SET', 'GRANT_REVOKED', 'THREAD_MODE_SET',
    'THREAD_CLOSED', 'THREAD_ARCHIVED', 'TOKEN_CREATED', 'TOKEN_USED', 'TOKEN_REVOKED', 'APPROVER_KEY_ADDED',
    'APPROVER_KEY_REMOVED', 'WEBHOOK_ADDED', 'WEBHOOK_REMOVED', 'WEBHOOK_DELIVERED', 'WEBHOOK_PARKED',
    'WEBHOOK_RETRIED', 'DEFINITION_SEEN', 'DEFINITION_CHANGED', 'DEFINITION_ACCEPTED', 'ADVISOR_REPORTED',
    'ADVISOR_MODE_SET', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT', 'USER_SYSTEM_PROMPT',
    'LOCAL_SYSTEM_MESSAGE', 'COMPACTION');

CREATE VIEW events_after_layout_4 AS
SELECT seq, thread_id, type, timestamp, principal, data, hash FROM events WHERE type NOT IN (
    'TOOL_CALL', 'TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_VOTE', 'TOOL_APPROVAL_REMINDER', 'TOOL_APPROVAL_ESCALATED',
    'TOOL_APPROVAL_ADVICE', 'TOOL_APPROVAL_RESPONSE', 'TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_RENEWED',
    'TOOL_EXECUTION_RELEASED', 'TOOL_EXECUTION_TAKEN_OVER', 'TOOL_EXECUTION_MISMATCH', 'TOOL_RESULT',
    'CALL_FLAGGED', 'CALL_ERASED', 'POLICY_SET', 'TOOL_POLICY_SET', 'GRANT_REVOKED', 'THREAD_MODE_SET',
    'THREAD_CLOSED', 'THREAD_ARCHIVED', 'TOKEN_CREATED', 'TOKEN_USED', 'TOKEN_REVOKED', 'APPROVER_KEY_ADDED',
    'APPROVER_KEY_REMOVED', 'WEBHOOK_ADDED', 'WEBHOOK_REMOVED', 'WEBHOOK_DELIVERED', 'WEBHOOK_PARKED',
    'WEBHOOK_RETRIED', 'DEFINITION_SEEN', 'DEFINITION_CHANGED', 'DEFINITION_ACCEPTED', 'ADVISOR_REPORTED',
    'ADVISOR_MODE_SET', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT', 'USER_SYSTEM_PROMPT',
    'LOCAL_SYSTEM_MESSAGE', 'COMPACTION');

-- The policies in order. The last one is in force.
CREATE INDEX policies ON events (seq) WHERE type = 'POLICY_SET';

-- A thread's calls in order, for lists and counts of them.
CREATE INDEX calls_by_thread ON events (thread_id, seq, (data ->> 'argumentsHash')) WHERE type = 'TOOL_CALL';

-- A call has at most one event of each kind, and these indexes find it. A vote counts once per approver and round; an
-- advisor gives one advice, and a person flags the call once; a release and a takeover happen once per claim, and each renewal ends the lease later.
CREATE UNIQUE INDEX calls_by_id ON events ((data ->> 'id'), thread_id) WHERE type = 'TOOL_CALL';

CREATE UNIQUE INDEX requests_by_call ON events ((data ->> 'toolCallId'), thread_id)
    WHERE type = 'TOOL_APPROVAL_REQUEST';

CREATE UNIQUE INDEX votes_by_call ON events (
    (data ->> 'toolCallId'), thread_id, coalesce(data ->> 'round', '0'), principal)
    WHERE type = 'TOOL_APPROVAL_VOTE';

CREATE UNIQUE INDEX reminders_by_call ON events ((data ->> 'toolCallId'), thread_id)
    WHERE type = 'TOOL_APPROVAL_REMINDER';

CREATE UNIQUE INDEX escalations_by_call ON events ((data ->> 'toolCallId'), thread_id)
    WHERE type = 'TOOL_APPROVAL_ESCALATED';

CREATE UNIQUE INDEX advice_by_call ON events ((data ->> 'toolCallId'), thread_id, (data ->> 'advisor'))
    WHERE type = 'TOOL_APPROVAL_ADVICE';

CREATE UNIQUE INDEX responses_by_call ON events ((data ->> 'toolCallId'), thread_id)
    WHERE type = 'TOOL_APPROVAL_RESPONSE';

CREATE UNIQUE INDEX claims_by_call ON events ((data ->> 'toolCallId'), thread_id)
    WHERE type = 'TOOL_EXECUTION_STARTED';

CREATE UNIQUE INDEX renewals_by_call ON events ((data ->> 'toolCallId'), thread_id, (data ->> 'leaseExpiresAt'))
    WHERE type = 'TOOL_EXECUTION_RENEWED';

CREATE UNIQUE INDEX releases_by_call ON events ((data ->> 'toolCallId'), thread_id, (data ->> 'claim'))
    WHERE type = 'TOOL_EXECUTION_RELEASED';

CREATE UNIQUE INDEX takeovers_by_call ON events ((data ->> 'toolCallId'), thread_id, (data ->> 'claim'))
    WHERE type = 'TOOL_EXECUTION_TAKEN_OVER';

CREATE UNIQUE INDEX mismatches_by_call ON events ((data ->> 'toolCallId'), thread_id)
    WHERE type = 'TOOL_EXECUTION_MISMATCH';

CREATE UNIQUE INDEX results_by_call ON events ((data ->> 'toolCallId'), thread_id)
    WHERE type = 'TOOL_RESULT';

CREATE UNIQUE INDEX flags_by_call ON events ((data ->> 'toolCallId'), thread_id, principal)
    WHERE type = 'CALL_FLAGGED';

CREATE UNIQUE INDEX erasures_by_call ON events ((data ->> 'toolCallId'), thread_id)
    WHERE type = 'CALL_ERASED';

-- A thread closes once and is archived once, and a grant is revoked once.
CREATE UNIQUE INDEX closings_by_thread ON events (thread_id) WHERE type = 'THREAD_CLOSED';

CREATE UNIQUE INDEX archive_of_thread ON events (thread_id) WHERE type = 'THREAD_ARCHIVED';

CREATE UNIQUE INDEX revocations_by_thread ON events (thread_id, (data ->> 'grant')) WHERE type = 'GRANT_REVOKED';

-- A token is created once and revoked once, and its first use from each address is recorded once.
CREATE UNIQUE INDEX token_events ON events (type, (data ->> 'id'), coalesce(data ->> 'address', ''))
    WHERE type = 'TOKEN_CREATED' OR type = 'TOKEN_USED' OR type = 'TOKEN_REVOKED'
        OR type = 'APPROVER_KEY_ADDED' OR type = 'APPROVER_KEY_REMOVED';

-- The events about tokens in order.
CREATE INDEX tokens ON events (seq)
    WHERE type = 'TOKEN_CREATED' OR type = 'TOKEN_USED' OR type = 'TOKEN_REVOKED'
        OR type = 'APPROVER_KEY_ADDED' OR type = 'APPROVER_KEY_REMOVED';

-- The events about webhooks in order.
CREATE INDEX webhooks ON events (seq)
    WHERE type = 'WEBHOOK_ADDED' OR type = 'WEBHOOK_REMOVED' OR type = 'WEBHOOK_DELIVERED'
        OR type = 'WEBHOOK_PARKED' OR type = 'WEBHOOK_RETRIED';

-- The definitions of a tool: the first one, each changed one once, and each acceptance once.
CREATE UNIQUE INDEX one_definition ON events ((data ->> 'tool')) WHERE type = 'DEFINITION_SEEN';
CREATE UNIQUE INDEX one_change_of_definition ON events ((data ->> 'tool'), (data ->> 'definitionHash'))
    WHERE type = 'DEFINITION_CHANGED';
CREATE UNIQUE INDEX one_acceptance ON events ((data ->> 'tool'), (data ->> 'definitionHash'))
    WHERE type = 'DEFINITION_ACCEPTED';

-- The events about definitions in order.
CREATE INDEX definitions ON events (seq)
    WHERE type = 'DEFINITION_SEEN' OR type = 'DEFINITION_CHANGED' OR type = 'DEFINITION_ACCEPTED';

-- The advice of each advisor in order, without that of the mode 'shadow', which no person saw.
CREATE INDEX advice_by_advisor ON events ((data ->> 'advisor'), seq)
    WHERE type = 'TOOL_APPROVAL_ADVICE' AND (data ->> 'mode') <> 'shadow';

-- The reports on advisors and their modes, in order.
CREATE INDEX advisors ON events (seq)
    WHERE type = 'ADVISOR_REPORTED' OR type = 'ADVISOR_MODE_SET';

-- A thread's messages in order, with their place in its conversation and their hash, so that no content is read.
CREATE INDEX messages_by_thread ON events (thread_id, seq, (data ->> 'position'), (data ->> 'contentHash'))
    WHERE type = 'USER_MESSAGE' OR type = 'AGENT_MESSAGE' OR type = 'SYSTEM_PROMPT'
        OR type = 'USER_SYSTEM_PROMPT' OR type = 'LOCAL_SYSTEM_MESSAGE' OR type = 'COMPACTION';

-- A thread's mode and its policies for single tools.
CREATE INDEX settings_by_thread ON events (thread_id, type, seq)
    WHERE type = 'THREAD_MODE_SET' OR type = 'TOOL_POLICY_SET';

-- A thread's decisions that answer later calls until they are revoked: grants and remembered denials.
CREATE INDEX lasting_decisions_by_thread ON events (thread_id, seq)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'decision' = 'allow_session'
        OR data ->> 'decision' = 'deny' AND data ->> 'scope' IS NOT NULL);

-- A thread's recent decisions by people, and the approvals that moved to another call.
CREATE INDEX recent_decisions_by_thread ON events (thread_id, (data ->> 'argumentsHash'), timestamp)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'source' = 'approver' OR data ->> 'scope' = 'once');

-- A refusal has the SQLSTATE CS001. It ends the transaction, or the part of it after the last savepoint.
CREATE FUNCTION reject_change() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('countersign.replaces_data', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '%', CASE TG_OP
        WHEN 'UPDATE' THEN 'countersign: events are never changed'
        ELSE 'countersign: events are never deleted' END USING ERRCODE = 'CS001';
END $$;

-- Rejects each change of a row, except an UPDATE that removes its texts as a CALL_ERASED event of its call or a
-- THREAD_ARCHIVED event of its thread says.
CREATE FUNCTION reject_change_of_row() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.seq = OLD.seq AND NEW.thread_id = OLD.thread_id AND NEW.type = OLD.type
        AND NEW.timestamp = OLD.timestamp AND NEW.principal = OLD.principal
        AND NEW.hash IS NOT DISTINCT FROM OLD.hash AND NOT document(OLD.data) ? 'erased' AND (EXISTS (
            SELECT FROM events x WHERE x.type = 'THREAD_ARCHIVED' AND x.thread_id = OLD.thread_id
                AND (OLD.type ~ '^TOOL_' OR OLD.type IN ('CALL_FLAGGED', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT',
                    'USER_SYSTEM_PROMPT', 'LOCAL_SYSTEM_MESSAGE', 'COMPACTION'))
                AND OLD.seq <= (x.data ->> 'through')::bigint
                AND document(NEW.data) = document(OLD.data)
                    - ARRAY['arguments', 'impact', 'description', 'suggestedScopes', 'comment', 'changes', 'content']
                    - CASE OLD.type WHEN 'TOOL_APPROVAL_ADVICE' THEN ARRAY['labels', 'reason'] ELSE '{}' END
                    - (CASE WHEN NEW.data -> 'erased' ? 'scope' THEN 'scope' ELSE 'erased' END)
                    || jsonb_build_object('erased', NEW.data -> 'erased')
                AND (SELECT count(*) FROM jsonb_each_text(NEW.data -> 'erased') t WHERE t.value ~ '^[0-9a-f]{64}$')
                    = (SELECT count(*) FROM jsonb_object_keys(document(OLD.data)) t (key) WHERE NEW.data -> 'erased' ? t.key
                        OR t.key IN ('arguments', 'impact', 'description', 'suggestedScopes', 'comment', 'changes', 'content')
                        OR OLD.type = 'TOOL_APPROVAL_ADVICE' AND t.key IN ('labels', 'reason'))
        ) OR EXISTS (
            SELECT FROM events x, jsonb_array_elements(x.data -> 'rows') r
            WHERE x.type = 'CALL_ERASED' AND x.thread_id = OLD.thread_id
                AND x.data ->> 'toolCallId' = coalesce(OLD.data ->> 'toolCallId', OLD.data ->> 'id')
                AND r -> 'seq' = to_jsonb(OLD.seq)
                AND document(NEW.data) = document(OLD.data)
                    - ARRAY['arguments', 'impact', 'description', 'suggestedScopes', 'comment', 'changes', 'content']
                    - CASE OLD.type WHEN 'TOOL_APPROVAL_ADVICE' THEN ARRAY['labels', 'reason'] ELSE '{}' END
                    - (CASE WHEN r -> 'texts' ? 'scope' THEN 'scope' ELSE 'erased' END)
                    || jsonb_build_object('erased', r -> 'texts')))
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '%', CASE TG_OP
        WHEN 'UPDATE' THEN 'countersign: events are never changed'
        ELSE 'countersign: events are never deleted' END USING ERRCODE = 'CS001';
END $$;

-- The statement trigger also rejects TRUNCATE and ON CONFLICT DO UPDATE, and statements that match no row. The row
-- trigger rejects the changes of a subscription, which applies them row by row.
CREATE TRIGGER rows_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

CREATE TRIGGER no_row_is_ever_changed BEFORE UPDATE OR DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION reject_change_of_row();

-- Puts other data in the place of the data of rows ('[[seq, data], ...]'), as far as the trigger of the rows allows it. The
-- setting makes the trigger of the statement leave the decision to it. SECURITY DEFINER: a role that may insert events
-- needs no right to UPDATE.
CREATE FUNCTION replace_data(rows text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
CREATE FUNCTION lock_for_writing() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(x'4353474e'::int, TG_RELID::int);
    RETURN NULL;
END $$;

-- Under REPEATABLE READ, a transaction may not see the rows that others have written. It then uses a number that exists
-- already, and the primary key rejects it. On PostgreSQL, ON CONFLICT cannot replace a row, so the unique indexes are
-- enough to reject a second event of a kind.
CREATE FUNCTION keep_structure() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    tip bigint := coalesce((SELECT e.seq FROM events e ORDER BY e.seq DESC LIMIT 1), 0);
    complaint text;
BEGIN
    NEW.seq := coalesce(NEW.seq, tip + 1);
    complaint := CASE
        WHEN NEW.seq BETWEEN 1 AND tip
        THEN 'countersign: this seq is taken, and events are never changed'
        -- Numbers have no gaps, so that a reader who has seen n knows that n + 1 comes next.
        WHEN NEW.seq > tip + 1
        THEN 'countersign: leave seq out; it is the next number'
        WHEN (NEW.type ~ '^TOOL_[AER]' OR NEW.type IN ('CALL_FLAGGED', 'CALL_ERASED')) AND NOT EXISTS (
            SELECT FROM events e
            WHERE e.type = 'TOOL_CALL' AND e.data ->> 'id' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
        THEN 'countersign: the thread has no such call'
        WHEN NEW.type IN ('TOOL_CALL', 'THREAD_CLOSED') AND EXISTS (
            SELECT FROM events e WHERE e.type = 'THREAD_CLOSED' AND e.thread_id = NEW.thread_id)
        THEN 'countersign: the thread is closed'
        WHEN NEW.type = 'THREAD_ARCHIVED' AND NOT EXISTS (
            SELECT FROM events e WHERE e.type = 'THREAD_CLOSED' AND e.thread_id = NEW.thread_id)
        THEN 'countersign: only a closed thread is archived'
    END;
    IF complaint IS NOT NULL THEN
        RAISE EXCEPTION '%', complaint USING ERRCODE = 'CS001';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER writers_queue_up BEFORE INSERT ON events
    FOR EACH STATEMENT EXECUTE FUNCTION lock_for_writing();

CREATE TRIGGER rows_keep_the_structure BEFORE INSERT ON events
    FOR EACH ROW EXECUTE FUNCTION keep_structure();

-- ALWAYS: the triggers fire even if session_replication_role disables others.
ALTER TABLE events ENABLE ALWAYS TRIGGER rows_are_never_changed;
ALTER TABLE events ENABLE ALWAYS TRIGGER no_row_is_ever_changed;
ALTER TABLE events ENABLE ALWAYS TRIGGER writers_queue_up;
ALTER TABLE events ENABLE ALWAYS TRIGGER rows_keep_the_structure;

-- One row that a readiness check overwrites, to find out if the database accepts writes. It is not part of the log.
CREATE TABLE probe (
    id         integer PRIMARY KEY CHECK (id = 1),
    written_at text COLLATE "C" NOT NULL
);

-- The last time at which the proposer of a pending call waited for the decision. It is not part of the log: its rows may
-- be deleted at any time, and those of calls that were decided are.
CREATE TABLE proposer_presence (
    thread_id    text COLLATE "C" NOT NULL,
    tool_call_id text COLLATE "C" NOT NULL,
    seen_at      text COLLATE "C" NOT NULL,
    PRIMARY KEY (thread_id, tool_call_id)
);

-- The server that delivers the messages of each webhook, until when it does, and which messages it has delivered since
-- the cursor in the log. It is not part of the log: without a row, delivery continues from that cursor, and messages may
-- be sent again.
CREATE TABLE webhook_deliveries (
    webhook    bigint PRIMARY KEY,
    holder     text COLLATE "C" NOT NULL,
    held_until text COLLATE "C" NOT NULL,
    state      text COLLATE "C" NOT NULL
);

-- The secret by which each process recognises the challenges of sign-ins that another one made, in hexadecimal. It is not
-- part of the log.
CREATE TABLE sign_in_secret (
    id     integer PRIMARY KEY CHECK (id = 1),
    secret text COLLATE "C" NOT NULL CHECK (length(secret) = 64)
);

-- Each of the two has 122 random bits.
INSERT INTO sign_in_secret (id, secret)
VALUES (1, encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'));

-- Programs that know the layout `oldest` or a later one can work with this log, even after a newer program has migrated
-- it. A migration that such a program cannot work with must raise the number.
CREATE TABLE layout (
    id     integer PRIMARY KEY CHECK (id = 1),
    oldest bigint NOT NULL
);

INSERT INTO layout (id, oldest) VALUES (1, 3);
