-- The log: one append-only table, its indexes, and the triggers that keep its structure. The rules of an
-- approval are not here. They are in the crate `approvals`, and `countersign verify` replays the log through them.
-- 0x4353474e is "CSGN": it marks the file as a log of Countersign.
PRAGMA application_id = 0x4353474e;

CREATE TABLE events (
    seq       INTEGER PRIMARY KEY CHECK (seq > 0),
    -- Empty for the events of the log as a whole: policies, tokens, webhooks and definitions.
    thread_id TEXT NOT NULL,
    type      TEXT NOT NULL CHECK (
        type GLOB '[A-Z]*' AND type NOT GLOB '*[^A-Z0-9_]*' AND length(type) <= 64),
    timestamp TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (
        timestamp GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].[0-9][0-9][0-9]Z'),
    principal TEXT NOT NULL CHECK (principal GLOB 'user:?*' OR principal GLOB 'agent:?*'
        OR principal GLOB 'policy:?*' OR principal GLOB 'advisor:?*' OR principal GLOB 'system:?*'),
    data      TEXT NOT NULL CHECK (json_valid(data) AND json_type(data) = 'object'),
    -- The link of the hash chain, in 64 lower-case hexadecimal digits. A decision made with SQL leaves it empty. The
    -- next row that Countersign writes seals that row, because its own link covers it.
    hash      TEXT CHECK (hash IS NULL OR length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
    -- A type of a later version may be of both kinds, unless its name says that it is about a call or a thread.
    CHECK (thread_id = '' OR type NOT IN (
        'POLICY_SET', 'TOKEN_CREATED', 'TOKEN_USED', 'TOKEN_REVOKED', 'APPROVER_KEY_ADDED', 'APPROVER_KEY_REMOVED',
        'WEBHOOK_ADDED', 'WEBHOOK_REMOVED', 'WEBHOOK_DELIVERED', 'WEBHOOK_PARKED', 'WEBHOOK_RETRIED', 'DEFINITION_SEEN',
        'DEFINITION_CHANGED', 'DEFINITION_ACCEPTED', 'ADVISOR_REPORTED', 'ADVISOR_MODE_SET')),
    CHECK (thread_id <> '' OR type NOT GLOB 'TOOL_*' AND type NOT GLOB 'CALL_*' AND type NOT GLOB 'THREAD_*' AND type NOT IN (
        'GRANT_REVOKED', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT', 'USER_SYSTEM_PROMPT', 'LOCAL_SYSTEM_MESSAGE',
        'COMPACTION')),
    CHECK (type <> 'TOOL_CALL' OR coalesce(data ->> 'id', '') <> '')
) STRICT;

-- A thread's events in order.
CREATE INDEX events_by_thread ON events (thread_id);

-- The events of types that programs of this layout do not know. They allow nothing about the calls and threads that these
-- concern. A later migration that adds a type leaves this index and this view as they are, for these programs. SQLite
-- compares each new row with these names. With NOT IN, each statement would first build a name table.
CREATE INDEX events_after_layout_4_by_thread ON events (thread_id) WHERE
    type <> 'TOOL_CALL' AND type <> 'TOOL_APPROVAL_REQUEST' AND type <> 'TOOL_APPROVAL_VOTE'
    AND type <> 'TOOL_APPROVAL_REMINDER' AND type <> 'TOOL_APPROVAL_ESCALATED'
    AND type <> 'TOOL_APPROVAL_ADVICE' AND type <> 'TOOL_APPROVAL_RESPONSE' AND type <> 'TOOL_EXECUTION_STARTED'
    AND type <> 'TOOL_EXECUTION_RENEWED' AND type <> 'TOOL_EXECUTION_RELEASED'
    AND type <> 'TOOL_EXECUTION_TAKEN_OVER' AND type <> 'TOOL_EXECUTION_MISMATCH' AND type <> 'TOOL_RESULT'
    AND type <> 'CALL_FLAGGED' AND type <> 'CALL_ERASED' AND type <> 'POLICY_SET' AND type <> 'TOOL_POLICY_SET'
    AND type <> 'GRANT_REVOKED' AND type <> 'THREAD_MODE_SET' AND type <> 'THREAD_CLOSED'
    AND type <> 'THREAD_ARCHIVED' AND type <> 'TOKEN_CREATED' AND type <> 'TOKEN_USED'
    AND type <> 'TOKEN_REVOKED' AND type <> 'APPROVER_KEY_ADDED' AND type <> 'APPROVER_KEY_REMOVED'
    AND type <> 'WEBHOOK_ADDED' AND type <> 'WEBHOOK_REMOVED' AND type <> 'WEBHOOK_DELIVERED'
    AND type <> 'WEBHOOK_PARKED' AND type <> 'WEBHOOK_RETRIED' AND type <> 'DEFINITION_SEEN'
    AND type <> 'DEFINITION_CHANGED' AND type <> 'DEFINITION_ACCEPTED' AND type <> 'ADVISOR_REPORTED'
    AND type <> 'ADVISOR_MODE_SET' AND type <> 'USER_MESSAGE' AND type <> 'AGENT_MESSAGE'
    AND type <> 'SYSTEM_PROMPT' AND type <> 'USER_SYSTEM_PROMPT' AND type <> 'LOCAL_SYSTEM_MESSAGE'
    AND type <> 'COMPACTION';

CREATE VIEW events_after_layout_4 AS
SELECT seq, thread_id, type, timestamp, principal, data, hash FROM events WHERE
    type <> 'TOOL_CALL' AND type <> 'TOOL_APPROVAL_REQUEST' AND type <> 'TOOL_APPROVAL_VOTE'
    AND type <> 'TOOL_APPROVAL_REMINDER' AND type <> 'TOOL_APPROVAL_ESCALATED'
    AND type <> 'TOOL_APPROVAL_ADVICE' AND type <> 'TOOL_APPROVAL_RESPONSE' AND type <> 'TOOL_EXECUTION_STARTED'
    AND type <> 'TOOL_EXECUTION_RENEWED' AND type <> 'TOOL_EXECUTION_RELEASED'
    AND type <> 'TOOL_EXECUTION_TAKEN_OVER' AND type <> 'TOOL_EXECUTION_MISMATCH' AND type <> 'TOOL_RESULT'
    AND type <> 'CALL_FLAGGED' AND type <> 'CALL_ERASED' AND type <> 'POLICY_SET' AND type <> 'TOOL_POLICY_SET'
    AND type <> 'GRANT_REVOKED' AND type <> 'THREAD_MODE_SET' AND type <> 'THREAD_CLOSED'
    AND type <> 'THREAD_ARCHIVED' AND type <> 'TOKEN_CREATED' AND type <> 'TOKEN_USED'
    AND type <> 'TOKEN_REVOKED' AND type <> 'APPROVER_KEY_ADDED' AND type <> 'APPROVER_KEY_REMOVED'
    AND type <> 'WEBHOOK_ADDED' AND type <> 'WEBHOOK_REMOVED' AND type <> 'WEBHOOK_DELIVERED'
    AND type <> 'WEBHOOK_PARKED' AND type <> 'WEBHOOK_RETRIED' AND type <> 'DEFINITION_SEEN'
    AND type <> 'DEFINITION_CHANGED' AND type <> 'DEFINITION_ACCEPTED' AND type <> 'ADVISOR_REPORTED'
    AND type <> 'ADVISOR_MODE_SET' AND type <> 'USER_MESSAGE' AND type <> 'AGENT_MESSAGE'
    AND type <> 'SYSTEM_PROMPT' AND type <> 'USER_SYSTEM_PROMPT' AND type <> 'LOCAL_SYSTEM_MESSAGE'
    AND type <> 'COMPACTION';

-- The policies in order. The last one is in force.
CREATE INDEX policies ON events (seq) WHERE type = 'POLICY_SET';

-- A thread's calls in order, for lists and counts of them, with the hash of their arguments, so that an earlier call of the
-- same content is found without reading the others.
CREATE INDEX calls_by_thread ON events (thread_id, seq, data ->> 'argumentsHash') WHERE type = 'TOOL_CALL';

-- A call has at most one event of each kind, and these indexes find it. A vote counts once per approver and round; an
-- advisor gives one advice, and a person flags the call once; a release and a takeover happen once per claim, and each renewal ends the lease later.
CREATE UNIQUE INDEX calls_by_id ON events (data ->> 'id', thread_id) WHERE type = 'TOOL_CALL';

CREATE UNIQUE INDEX requests_by_call ON events (data ->> 'toolCallId', thread_id)
    WHERE type = 'TOOL_APPROVAL_REQUEST';

CREATE UNIQUE INDEX votes_by_call ON events (
    data ->> 'toolCallId', thread_id, coalesce(data ->> 'round', 0), principal)
    WHERE type = 'TOOL_APPROVAL_VOTE';

CREATE UNIQUE INDEX reminders_by_call ON events (data ->> 'toolCallId', thread_id)
    WHERE type = 'TOOL_APPROVAL_REMINDER';

CREATE UNIQUE INDEX escalations_by_call ON events (data ->> 'toolCallId', thread_id)
    WHERE type = 'TOOL_APPROVAL_ESCALATED';

CREATE UNIQUE INDEX advice_by_call ON events (data ->> 'toolCallId', thread_id, data ->> 'advisor')
    WHERE type = 'TOOL_APPROVAL_ADVICE';

CREATE UNIQUE INDEX responses_by_call ON events (data ->> 'toolCallId', thread_id)
    WHERE type = 'TOOL_APPROVAL_RESPONSE';

CREATE UNIQUE INDEX claims_by_call ON events (data ->> 'toolCallId', thread_id)
    WHERE type = 'TOOL_EXECUTION_STARTED';

CREATE UNIQUE INDEX renewals_by_call ON events (data ->> 'toolCallId', thread_id, data ->> 'leaseExpiresAt')
    WHERE type = 'TOOL_EXECUTION_RENEWED';

CREATE UNIQUE INDEX releases_by_call ON events (data ->> 'toolCallId', thread_id, data ->> 'claim')
    WHERE type = 'TOOL_EXECUTION_RELEASED';

CREATE UNIQUE INDEX takeovers_by_call ON events (data ->> 'toolCallId', thread_id, data ->> 'claim')
    WHERE type = 'TOOL_EXECUTION_TAKEN_OVER';

CREATE UNIQUE INDEX mismatches_by_call ON events (data ->> 'toolCallId', thread_id)
    WHERE type = 'TOOL_EXECUTION_MISMATCH';

CREATE UNIQUE INDEX results_by_call ON events (data ->> 'toolCallId', thread_id)
    WHERE type = 'TOOL_RESULT';

CREATE UNIQUE INDEX flags_by_call ON events (data ->> 'toolCallId', thread_id, principal)
    WHERE type = 'CALL_FLAGGED';

CREATE UNIQUE INDEX erasures_by_call ON events (data ->> 'toolCallId', thread_id)
    WHERE type = 'CALL_ERASED';

-- A thread closes once and is archived once, and a grant is revoked once.
CREATE UNIQUE INDEX closings_by_thread ON events (thread_id) WHERE type = 'THREAD_CLOSED';

CREATE UNIQUE INDEX archive_of_thread ON events (thread_id) WHERE type = 'THREAD_ARCHIVED';

CREATE UNIQUE INDEX revocations_by_thread ON events (thread_id, data ->> 'grant') WHERE type = 'GRANT_REVOKED';

-- A token is created once and revoked once, and its first use from each address is recorded once.
CREATE UNIQUE INDEX token_events ON events (type, data ->> 'id', coalesce(data ->> 'address', ''))
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
CREATE UNIQUE INDEX one_definition ON events (data ->> 'tool') WHERE type = 'DEFINITION_SEEN';
CREATE UNIQUE INDEX one_change_of_definition ON events (data ->> 'tool', data ->> 'definitionHash')
    WHERE type = 'DEFINITION_CHANGED';
CREATE UNIQUE INDEX one_acceptance ON events (data ->> 'tool', data ->> 'definitionHash')
    WHERE type = 'DEFINITION_ACCEPTED';

-- The events about definitions in order.
CREATE INDEX definitions ON events (seq)
    WHERE type = 'DEFINITION_SEEN' OR type = 'DEFINITION_CHANGED' OR type = 'DEFINITION_ACCEPTED';

-- The advice of each advisor in order, without that of the mode 'shadow', which no person saw.
CREATE INDEX advice_by_advisor ON events (data ->> 'advisor', seq)
    WHERE type = 'TOOL_APPROVAL_ADVICE' AND data ->> 'mode' <> 'shadow';

-- The reports on advisors and their modes, in order.
CREATE INDEX advisors ON events (seq)
    WHERE type = 'ADVISOR_REPORTED' OR type = 'ADVISOR_MODE_SET';

-- A thread's messages in order, with their place in its conversation and their hash, so that no content is read.
CREATE INDEX messages_by_thread ON events (thread_id, seq, data ->> 'position', data ->> 'contentHash')
    WHERE type = 'USER_MESSAGE' OR type = 'AGENT_MESSAGE' OR type = 'SYSTEM_PROMPT'
        OR type = 'USER_SYSTEM_PROMPT' OR type = 'LOCAL_SYSTEM_MESSAGE' OR type = 'COMPACTION';

-- A thread's mode and its policies for single tools.
CREATE INDEX settings_by_thread ON events (thread_id, type)
    WHERE type = 'THREAD_MODE_SET' OR type = 'TOOL_POLICY_SET';

-- A thread's decisions that answer later calls until they are revoked: grants and remembered denials.
CREATE INDEX lasting_decisions_by_thread ON events (thread_id)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'decision' = 'allow_session'
        OR data ->> 'decision' = 'deny' AND data ->> 'scope' IS NOT NULL);

-- A thread's recent decisions by people, and the approvals that moved to another call.
CREATE INDEX recent_decisions_by_thread ON events (thread_id, data ->> 'argumentsHash', timestamp)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'source' = 'approver' OR data ->> 'scope' = 'once');

-- Each refusal rolls back the whole transaction (RAISE(ROLLBACK, …)), so that no other row of the transaction is kept.
-- The only change is to remove the texts of a row that a CALL_ERASED event of its call names, or that a THREAD_ARCHIVED
-- event of its thread covers: the members of `data` that hold texts go, their hashes come as the last member, and
-- everything else stays. The hash chain covers these hashes and each byte that stays, so `countersign verify` finds any
-- other change.
CREATE TRIGGER rows_are_never_changed BEFORE UPDATE ON events
WHEN NOT (NEW.seq IS OLD.seq AND NEW.thread_id IS OLD.thread_id AND NEW.type IS OLD.type
    AND NEW.timestamp IS OLD.timestamp AND NEW.principal IS OLD.principal AND NEW.hash IS OLD.hash
    AND json_valid(NEW.data) AND OLD.data -> 'erased' IS NULL AND (EXISTS (
        SELECT 1 FROM events x WHERE x.type = 'THREAD_ARCHIVED' AND x.thread_id = OLD.thread_id
            AND (OLD.type GLOB 'TOOL_*' OR OLD.type IN ('CALL_FLAGGED', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT', 'USER_SYSTEM_PROMPT',
                'LOCAL_SYSTEM_MESSAGE', 'COMPACTION'))
            AND OLD.seq <= x.data ->> 'through'
            AND json(NEW.data) = json_set(json_remove(OLD.data, '$.arguments', '$.impact', '$.description',
                '$.suggestedScopes', '$.comment', '$.changes', '$.content',
                CASE OLD.type WHEN 'TOOL_APPROVAL_ADVICE' THEN '$.labels' ELSE '$.erased' END,
                CASE OLD.type WHEN 'TOOL_APPROVAL_ADVICE' THEN '$.reason' ELSE '$.erased' END,
                CASE WHEN NEW.data -> 'erased' -> 'scope' IS NULL THEN '$.erased' ELSE '$.scope' END),
                '$.erased', NEW.data -> 'erased')
            AND (SELECT count(*) FROM json_each(NEW.data, '$.erased') t
                WHERE length(t.value) = 64 AND t.value NOT GLOB '*[^0-9a-f]*')
                = (SELECT count(*) FROM json_each(OLD.data) t WHERE NEW.data -> 'erased' ->> t.key IS NOT NULL
                    OR t.key IN ('arguments', 'impact', 'description', 'suggestedScopes', 'comment', 'changes', 'content')
                    OR OLD.type = 'TOOL_APPROVAL_ADVICE' AND t.key IN ('labels', 'reason'))
    ) OR EXISTS (
        SELECT 1 FROM events x, json_each(x.data, '$.rows') r
        WHERE x.type = 'CALL_ERASED' AND x.thread_id = OLD.thread_id
            AND x.data ->> 'toolCallId' = coalesce(OLD.data ->> 'toolCallId', OLD.data ->> 'id')
            AND r.value ->> 'seq' = OLD.seq
            AND json(NEW.data) = json_set(json_remove(OLD.data, '$.arguments', '$.impact', '$.description',
                '$.suggestedScopes', '$.comment', '$.changes', '$.content',
                CASE OLD.type WHEN 'TOOL_APPROVAL_ADVICE' THEN '$.labels' ELSE '$.erased' END,
                CASE OLD.type WHEN 'TOOL_APPROVAL_ADVICE' THEN '$.reason' ELSE '$.erased' END,
                CASE WHEN r.value -> 'texts' -> 'scope' IS NULL THEN '$.erased' ELSE '$.scope' END),
                '$.erased', r.value -> 'texts')))) BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: events are never changed');
END;

CREATE TRIGGER rows_are_never_deleted BEFORE DELETE ON events BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: events are never deleted');
END;

-- INSERT OR REPLACE deletes the row that it conflicts with and does not fire the DELETE trigger. Therefore this trigger
-- refuses each row that conflicts with another one, which the unique indexes refuse for a plain INSERT.
CREATE TRIGGER rows_keep_the_structure BEFORE INSERT ON events BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: this seq is taken, and events are never changed')
    WHERE EXISTS (SELECT 1 FROM events e WHERE e.seq = NEW.seq);

    SELECT RAISE(ROLLBACK, 'countersign: the thread has no such call')
    WHERE (NEW.type GLOB 'TOOL_[AER]*' OR NEW.type IN ('CALL_FLAGGED', 'CALL_ERASED')) AND NOT EXISTS (
        SELECT 1 FROM events e
        WHERE e.type = 'TOOL_CALL' AND e.data ->> 'id' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id);

    SELECT RAISE(ROLLBACK, 'countersign: the thread is closed')
    WHERE (NEW.type = 'TOOL_CALL' OR NEW.type = 'THREAD_CLOSED') AND EXISTS (
        SELECT 1 FROM events e WHERE e.type = 'THREAD_CLOSED' AND e.thread_id = NEW.thread_id);

    SELECT RAISE(ROLLBACK, 'countersign: only a closed thread is archived, and once')
    WHERE NEW.type = 'THREAD_ARCHIVED' AND (EXISTS (
        SELECT 1 FROM events e WHERE e.type = 'THREAD_ARCHIVED' AND e.thread_id = NEW.thread_id)
        OR NOT EXISTS (SELECT 1 FROM events e WHERE e.type = 'THREAD_CLOSED' AND e.thread_id = NEW.thread_id));

    SELECT RAISE(ROLLBACK, 'countersign: the grant is revoked already')
    WHERE NEW.type = 'GRANT_REVOKED' AND EXISTS (
        SELECT 1 FROM events e
        WHERE e.type = 'GRANT_REVOKED' AND e.thread_id = NEW.thread_id AND e.data ->> 'grant' = NEW.data ->> 'grant');

    SELECT RAISE(ROLLBACK, 'countersign: the token has this event already')
    WHERE NEW.type IN ('TOKEN_CREATED', 'TOKEN_USED', 'TOKEN_REVOKED', 'APPROVER_KEY_ADDED', 'APPROVER_KEY_REMOVED') AND EXISTS (
        SELECT 1 FROM events e
        WHERE e.type = NEW.type AND (e.type = 'TOKEN_CREATED' OR e.type = 'TOKEN_USED' OR e.type = 'TOKEN_REVOKED'
        OR e.type = 'APPROVER_KEY_ADDED' OR e.type = 'APPROVER_KEY_REMOVED')
            AND e.data ->> 'id' = NEW.data ->> 'id'
            AND coalesce(e.data ->> 'address', '') = coalesce(NEW.data ->> 'address', ''));

    SELECT RAISE(ROLLBACK, 'countersign: the call has an event of this type already')
    WHERE CASE NEW.type
        WHEN 'TOOL_CALL' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_CALL'
                AND e.data ->> 'id' = NEW.data ->> 'id' AND e.thread_id = NEW.thread_id)
        WHEN 'TOOL_APPROVAL_REQUEST' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_APPROVAL_REQUEST'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
        WHEN 'TOOL_APPROVAL_VOTE' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_APPROVAL_VOTE'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id
                AND coalesce(e.data ->> 'round', 0) = coalesce(NEW.data ->> 'round', 0)
                AND e.principal = NEW.principal)
        WHEN 'TOOL_APPROVAL_REMINDER' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_APPROVAL_REMINDER'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
        WHEN 'TOOL_APPROVAL_ESCALATED' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_APPROVAL_ESCALATED'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
        WHEN 'TOOL_APPROVAL_ADVICE' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_APPROVAL_ADVICE'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id
                AND e.data ->> 'advisor' = NEW.data ->> 'advisor')
        WHEN 'TOOL_APPROVAL_RESPONSE' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_APPROVAL_RESPONSE'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
        WHEN 'TOOL_EXECUTION_STARTED' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_EXECUTION_STARTED'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
        WHEN 'TOOL_EXECUTION_RENEWED' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_EXECUTION_RENEWED'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id
                AND e.data ->> 'leaseExpiresAt' = NEW.data ->> 'leaseExpiresAt')
        WHEN 'TOOL_EXECUTION_RELEASED' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_EXECUTION_RELEASED'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id
                AND e.data ->> 'claim' = NEW.data ->> 'claim')
        WHEN 'TOOL_EXECUTION_TAKEN_OVER' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_EXECUTION_TAKEN_OVER'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id
                AND e.data ->> 'claim' = NEW.data ->> 'claim')
        WHEN 'TOOL_EXECUTION_MISMATCH' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_EXECUTION_MISMATCH'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
        WHEN 'TOOL_RESULT' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'TOOL_RESULT'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
        WHEN 'CALL_FLAGGED' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'CALL_FLAGGED'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id
                AND e.principal = NEW.principal)
        WHEN 'CALL_ERASED' THEN EXISTS (
            SELECT 1 FROM events e WHERE e.type = 'CALL_ERASED'
                AND e.data ->> 'toolCallId' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id)
    END;
END;

-- One row that a readiness check overwrites, to find out if the database accepts writes. It is not part of the log.
CREATE TABLE probe (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    written_at TEXT NOT NULL
) STRICT;

-- The last time at which the proposer of a pending call waited for the decision. It is not part of the log: its rows may
-- be deleted at any time, and those of calls that were decided are.
CREATE TABLE proposer_presence (
    thread_id    TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    seen_at      TEXT NOT NULL,
    PRIMARY KEY (thread_id, tool_call_id)
) STRICT, WITHOUT ROWID;

-- The server that delivers the messages of each webhook, until when it does, and which messages it has delivered since
-- the cursor in the log. It is not part of the log: without a row, delivery continues from that cursor, and messages may
-- be sent again.
CREATE TABLE webhook_deliveries (
    webhook    INTEGER PRIMARY KEY,
    holder     TEXT NOT NULL,
    held_until TEXT NOT NULL,
    state      TEXT NOT NULL
) STRICT;

-- The secret by which each process recognises the challenges of sign-ins that another one made, in hexadecimal. It is not
-- part of the log.
CREATE TABLE sign_in_secret (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    secret TEXT NOT NULL CHECK (length(secret) = 64)
) STRICT;

INSERT INTO sign_in_secret (id, secret) VALUES (1, lower(hex(randomblob(32))));

-- Programs that know the layout `oldest` or a later one can work with this log, even after a newer program has migrated
-- it. A migration that such a program cannot work with must raise the number.
CREATE TABLE layout (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    oldest INTEGER NOT NULL
) STRICT;

INSERT INTO layout (id, oldest) VALUES (1, 3);
