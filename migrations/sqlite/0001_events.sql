-- The log. One table, append-only; everything else in this file guards it or finds things in it.
-- 0x4353474e is "CSGN": a file that carries it is ours.
PRAGMA application_id = 0x4353474e;

CREATE TABLE events (
    seq       INTEGER PRIMARY KEY CHECK (seq > 0),
    thread_id TEXT NOT NULL CHECK (thread_id <> ''),
    type      TEXT NOT NULL CHECK (type IN (
        'TOOL_CALL', 'TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_VOTE', 'TOOL_APPROVAL_RESPONSE',
        'TOOL_EXECUTION_STARTED', 'TOOL_RESULT', 'TOOL_POLICY_SET', 'GRANT_REVOKED',
        'THREAD_MODE_SET', 'THREAD_CLOSED', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT',
        'USER_SYSTEM_PROMPT', 'LOCAL_SYSTEM_MESSAGE', 'COMPACTION')),
    timestamp TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (
        timestamp GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].[0-9][0-9][0-9]Z'),
    principal TEXT NOT NULL CHECK (principal GLOB 'user:?*' OR principal GLOB 'agent:?*'
        OR principal GLOB 'policy:?*' OR principal GLOB 'system:?*'),
    data      TEXT NOT NULL CHECK (json_valid(data) AND json_type(data) = 'object'),
    -- The chain's link in 64 lower-case hexadecimal digits. Rows inserted by hand leave it empty; the
    -- next row that a process of ours writes seals them, because its own link is over theirs.
    hash      TEXT CHECK (hash IS NULL OR length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
    -- OR, not IN: for a list of three and more SQLite builds a table, and searches it for each row.
    tool_call_id TEXT GENERATED ALWAYS AS (
        CASE
            WHEN type = 'TOOL_CALL' THEN data ->> 'id'
            WHEN type = 'TOOL_APPROVAL_REQUEST' OR type = 'TOOL_APPROVAL_VOTE' OR type = 'TOOL_APPROVAL_RESPONSE'
                OR type = 'TOOL_EXECUTION_STARTED' OR type = 'TOOL_RESULT' THEN data ->> 'toolCallId'
        END) VIRTUAL,
    CHECK (coalesce(tool_call_id, '') <> '' OR type NOT GLOB 'TOOL_*' OR type = 'TOOL_POLICY_SET')
) STRICT;

-- A thread's events in order.
CREATE INDEX events_of_thread ON events (thread_id);

-- A call has at most one of each type of event, and an approver votes once on it. The same index finds
-- a call's events: "IS NOT NULL" is a condition that SQLite sees to follow from any comparison, which it
-- does not see of a list of types.
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
CREATE UNIQUE INDEX one_revocation ON events (thread_id, data ->> 'grant')
    WHERE type = 'GRANT_REVOKED';
