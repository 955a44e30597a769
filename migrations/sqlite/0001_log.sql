-- The log: one append-only table, its indexes, and the triggers that keep its structure. A row with a hash comes from a
-- Countersign program, whose rules have admitted it, and `countersign verify` proves it. A row without a hash is written by
-- hand, so only such rows are checked here. docs/queries.md names the reads that each index serves.
-- 0x4353474e is "CSGN": it marks the file as a log of Countersign.
PRAGMA application_id = 0x4353474e;

CREATE TABLE events (
    seq       INTEGER PRIMARY KEY CHECK (seq > 0),
    -- Empty for the events of the log as a whole: policies, tokens, webhooks and definitions.
    thread_id TEXT NOT NULL,
    type      TEXT NOT NULL,
    timestamp TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    principal TEXT NOT NULL,
    data      TEXT NOT NULL,
    -- The link of the hash chain, in 64 lower-case hexadecimal digits. A decision made with SQL leaves it empty. The
    -- next row that Countersign writes seals that row, because its own link covers it.
    hash      TEXT CHECK (length(hash) = 64),
    CHECK (hash IS NOT NULL OR thread_id <> ''
        AND type GLOB '[A-Z]*' AND type NOT GLOB '*[^A-Z0-9_]*' AND length(type) <= 64
        AND timestamp GLOB
            '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].[0-9][0-9][0-9]Z'
        AND (principal GLOB 'user:?*' OR principal GLOB 'agent:?*' OR principal GLOB 'policy:?*'
            OR principal GLOB 'advisor:?*' OR principal GLOB 'system:?*')
        AND json_valid(data) AND json_type(data) = 'object'
        AND (type <> 'TOOL_CALL' OR coalesce(data ->> 'id', '') <> ''))
) STRICT;

-- A thread's events in order.
CREATE INDEX events_by_thread ON events (thread_id);
-- A thread's calls in order, for lists and counts of them, with the hash of their arguments, so that an earlier call of the
-- same content is found without reading the others.
CREATE INDEX calls_by_thread ON events (thread_id, seq, data ->> 'argumentsHash') WHERE type = 'TOOL_CALL';
CREATE UNIQUE INDEX calls_by_id ON events (data ->> 'id', thread_id) WHERE type = 'TOOL_CALL';
-- The events about a call: one of each type. An approver votes once per round, an advisor gives one advice, a person flags the
-- call once, and each renewal ends the lease later. Events of any other type may repeat if they have another `claim` or `round`,
-- as releases and takeovers do.
CREATE UNIQUE INDEX events_by_call ON events (data ->> 'toolCallId', thread_id, type, CASE type
    WHEN 'TOOL_APPROVAL_VOTE' THEN coalesce(data ->> 'round', 0) || ' ' || principal
    WHEN 'TOOL_APPROVAL_ADVICE' THEN data ->> 'advisor'
    WHEN 'CALL_FLAGGED' THEN principal
    WHEN 'TOOL_EXECUTION_RENEWED' THEN data ->> 'leaseExpiresAt'
    ELSE coalesce(data ->> 'claim', data ->> 'round', '') END)
    WHERE data ->> 'toolCallId' IS NOT NULL;
-- The requests of all calls, for queries that list the pending ones.
CREATE INDEX requests_by_call ON events (data ->> 'toolCallId', thread_id) WHERE type = 'TOOL_APPROVAL_REQUEST';
-- The settings of threads and of the log: all events that are neither about a call nor messages. An event about a thread whose type
-- only a newer version knows is among them, and allows nothing in that thread.
CREATE INDEX settings_by_thread ON events (thread_id, type, seq)
    WHERE data ->> 'toolCallId' IS NULL AND type <> 'TOOL_CALL' AND type <> 'USER_MESSAGE' AND type <> 'AGENT_MESSAGE'
    AND type <> 'SYSTEM_PROMPT' AND type <> 'USER_SYSTEM_PROMPT' AND type <> 'LOCAL_SYSTEM_MESSAGE' AND type <> 'COMPACTION';
CREATE VIEW setting_events AS
SELECT seq, thread_id, type, timestamp, principal, data, hash FROM events
WHERE data ->> 'toolCallId' IS NULL AND type <> 'TOOL_CALL' AND type <> 'USER_MESSAGE' AND type <> 'AGENT_MESSAGE'
    AND type <> 'SYSTEM_PROMPT' AND type <> 'USER_SYSTEM_PROMPT' AND type <> 'LOCAL_SYSTEM_MESSAGE' AND type <> 'COMPACTION';
-- A thread closes once and is archived once. A grant is revoked once, ends once, and has each use once; its new limits may repeat.
CREATE UNIQUE INDEX once_per_thread ON events (thread_id, type, coalesce(data ->> 'grant', ''),
    coalesce(data ->> 'use', CASE type WHEN 'GRANT_PROLONGED' THEN seq ELSE '' END))
    WHERE type = 'THREAD_CLOSED' OR type = 'THREAD_ARCHIVED' OR type = 'GRANT_REVOKED' OR type = 'GRANT_ENDED' OR type = 'GRANT_USED'
        OR type = 'GRANT_PROLONGED';
-- A token, a key and a definition have each event once; a token may be used from several addresses, and a tool has one first
-- definition.
CREATE UNIQUE INDEX once_per_log ON events (coalesce(data ->> 'id', data ->> 'tool'), type,
    CASE type WHEN 'DEFINITION_SEEN' THEN '' ELSE coalesce(data ->> 'address', data ->> 'definitionHash', '') END)
    WHERE thread_id = '';
-- The advice of each advisor in order, without that of the mode 'shadow', which no person saw.
CREATE INDEX advice_by_advisor ON events (data ->> 'advisor', seq)
    WHERE type = 'TOOL_APPROVAL_ADVICE' AND data ->> 'mode' <> 'shadow';
-- A thread's messages in order, with their place in its conversation and their hash, so that no content is read.
CREATE INDEX messages_by_thread ON events (thread_id, seq, type, data ->> 'position', data ->> 'contentHash')
    WHERE type = 'USER_MESSAGE' OR type = 'AGENT_MESSAGE' OR type = 'SYSTEM_PROMPT'
        OR type = 'USER_SYSTEM_PROMPT' OR type = 'LOCAL_SYSTEM_MESSAGE' OR type = 'COMPACTION';
-- A thread's decisions that answer later calls until they are revoked: grants and remembered denials.
CREATE INDEX lasting_decisions_by_thread ON events (thread_id)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'decision' = 'allow_session'
        OR data ->> 'decision' = 'deny' AND data ->> 'scope' IS NOT NULL);
-- The moments at which remembered decisions end, for the process that writes their end.
CREATE INDEX grants_by_end ON events (data ->> 'expiresAt')
    WHERE (type = 'TOOL_APPROVAL_RESPONSE' OR type = 'GRANT_PROLONGED') AND data ->> 'expiresAt' IS NOT NULL;
-- A thread's recent decisions by people, and the approvals that moved to another call.
CREATE INDEX recent_decisions_by_thread ON events (thread_id, data ->> 'argumentsHash', timestamp)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'source' = 'approver' OR data ->> 'scope' = 'once');

-- The only change is to remove the content of a row that a CALL_ERASED event of its call names, or that a THREAD_ARCHIVED event of
-- its thread covers: the content members of `data` go, their hashes come as the last member, and everything else stays. The
-- hash chain covers these hashes and each byte that stays, so `countersign verify` finds any other change.
-- Each refusal rolls back the whole transaction (RAISE(ROLLBACK, …)), so that no other row of the transaction is kept.
CREATE TRIGGER rows_are_never_changed BEFORE UPDATE ON events
WHEN NOT (NEW.seq IS OLD.seq AND NEW.thread_id IS OLD.thread_id AND NEW.type IS OLD.type
    AND NEW.timestamp IS OLD.timestamp AND NEW.principal IS OLD.principal AND NEW.hash IS OLD.hash
    AND json_valid(NEW.data) AND OLD.data -> 'erased' IS NULL AND EXISTS (
        SELECT 1 FROM (
            SELECT NEW.data -> 'erased' AS hashes FROM events x
            WHERE x.type = 'THREAD_ARCHIVED' AND x.thread_id = OLD.thread_id AND OLD.seq <= x.data ->> 'through'
                AND OLD.type NOT GLOB 'THREAD_*' AND OLD.type NOT GLOB 'GRANT_*' AND OLD.type <> 'CALL_ERASED'
                AND (SELECT count(*) FROM json_each(NEW.data, '$.erased') t
                    WHERE length(t.value) = 64 AND t.value NOT GLOB '*[^0-9a-f]*')
                = (SELECT count(*) FROM json_each(OLD.data) t WHERE NEW.data -> 'erased' ->> t.key IS NOT NULL
                    OR t.key IN ('arguments', 'impact', 'description', 'effects', 'suggestedScopes', 'comment', 'changes', 'content')
                    OR OLD.type = 'TOOL_APPROVAL_ADVICE' AND t.key IN ('labels', 'reason'))
            UNION ALL
            SELECT r.value -> 'texts' FROM events x, json_each(x.data, '$.rows') r
            WHERE x.type = 'CALL_ERASED' AND x.thread_id = OLD.thread_id AND r.value ->> 'seq' = OLD.seq
                AND x.data ->> 'toolCallId' = coalesce(OLD.data ->> 'toolCallId', OLD.data ->> 'id'))
        WHERE json(NEW.data) = json_set(json_remove(OLD.data, '$.arguments', '$.impact', '$.description',
            '$.effects', '$.suggestedScopes', '$.comment', '$.changes', '$.content',
            iif(OLD.type = 'TOOL_APPROVAL_ADVICE', '$.labels', '$.erased'),
            iif(OLD.type = 'TOOL_APPROVAL_ADVICE', '$.reason', '$.erased'),
            iif(hashes -> 'scope' IS NULL, '$.erased', '$.scope')), '$.erased', json(hashes)))) BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: events are never changed');
END;

CREATE TRIGGER rows_are_never_deleted BEFORE DELETE ON events BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: events are never deleted');
END;

-- INSERT OR REPLACE deletes the rows that it conflicts with, and fires no DELETE trigger. In the trigger of another statement,
-- SQLite uses the conflict clause of that statement, so only then does the row of this table give way to a new one.
CREATE TABLE replaced_row (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;
INSERT INTO replaced_row (id) VALUES (1);

CREATE TRIGGER rows_are_never_replaced AFTER INSERT ON replaced_row BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: events are never replaced');
END;

-- Numbers have no gaps, so that a reader who has seen n knows that n + 1 comes next.
CREATE TRIGGER rows_keep_the_structure AFTER INSERT ON events BEGIN
    INSERT OR IGNORE INTO replaced_row (id) VALUES (1);
    SELECT RAISE(ROLLBACK, 'countersign: leave seq out; it is the next number')
    WHERE NEW.seq - 1 <> coalesce((SELECT seq FROM events WHERE seq <> NEW.seq ORDER BY seq DESC LIMIT 1), 0);
END;

CREATE TRIGGER rows_without_a_hash_keep_the_structure BEFORE INSERT ON events WHEN NEW.hash IS NULL BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: the thread has no such call')
    WHERE (NEW.type GLOB 'TOOL_[AER]*' OR NEW.type GLOB 'CALL_*') AND NOT EXISTS (
        SELECT 1 FROM events e
        WHERE e.type = 'TOOL_CALL' AND e.data ->> 'id' = NEW.data ->> 'toolCallId' AND e.thread_id = NEW.thread_id);
    SELECT RAISE(ROLLBACK, 'countersign: the thread is closed')
    WHERE NEW.type = 'TOOL_CALL' AND EXISTS (
        SELECT 1 FROM events e WHERE e.type = 'THREAD_CLOSED' AND e.thread_id = NEW.thread_id);
END;

-- One row that a readiness check overwrites, to find out if the database accepts writes. It is not part of the log.
CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), written_at TEXT NOT NULL) STRICT;

-- The last time at which the proposer of a pending call waited for the decision. It is not part of the log: its rows may
-- be deleted at any time, and those of calls that were decided are.
CREATE TABLE proposer_presence (
    thread_id    TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    seen_at      TEXT NOT NULL,
    PRIMARY KEY (thread_id, tool_call_id)
) STRICT, WITHOUT ROWID;

-- The server that does a task of which the log needs one at a time, such as the delivery of a webhook's messages, and until
-- when. `state` is the progress since the cursor in the log. It is not part of the log: without a row, the task continues from
-- that cursor, and messages may be sent again.
CREATE TABLE leases (
    task       TEXT PRIMARY KEY,
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
-- it, and those that know `oldest_reader` or a later one can read it. A migration that such a program cannot work with must raise
-- `oldest`, and one whose tables it cannot read both numbers.
CREATE TABLE layout (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    oldest        INTEGER NOT NULL,
    oldest_reader INTEGER NOT NULL CHECK (oldest_reader <= oldest)
) STRICT;
INSERT INTO layout (id, oldest, oldest_reader) VALUES (1, 3, 3);
