-- The views for people with a SQL shell: events by call, one row per call, per open request, per grant, per decision of
-- a person, per advice and per unknown outcome, and a way to decide.

-- The events about calls, each with the id of its call. SQLite moves a condition on tool_call_id and thread_id into both
-- branches, where the indexes calls_by_id and events_by_call answer it.
CREATE VIEW call_events AS
SELECT seq, thread_id, data ->> 'id' AS tool_call_id, type, timestamp, principal, data, hash FROM events WHERE type = 'TOOL_CALL'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash FROM events
WHERE data ->> 'toolCallId' IS NOT NULL;

-- One row per call. `arguments` are those that ran or may run: as an approver changed them, or as they were proposed. If
-- an earlier decision answered the call, `granted_by` is the person who made it, `grant_seq` its seq, and `grant_scope`
-- its scope: 'once' if it was for one call. It is the `decision_seq` of the call on which that person decided. If a mode, a
-- thread policy or a rule answered, `granted_by` is the person who set it, and the other two are empty.
-- If the person decided in the place of another one, `on_behalf_of` is that one.
-- `verdict` is that of the policy, `proof` the kind of proof that the approver gave, and `votes` lists all votes.
CREATE VIEW calls AS
SELECT c.seq, c.thread_id, c.data ->> 'id' AS tool_call_id, c.data ->> 'name' AS tool,
    coalesce(r.data -> 'arguments', v.data -> 'arguments', c.data -> 'arguments') AS arguments,
    c.data -> 'arguments' AS proposed_arguments, coalesce(r.data -> 'arguments', v.data -> 'arguments') IS NOT NULL AS changed,
    c.principal AS proposed_by, c.timestamp AS proposed_at, q.timestamp AS requested_at, r.data ->> 'decision' AS decision,
    r.data ->> 'source' AS source, r.principal AS decided_by, r.timestamp AS decided_at, r.seq AS decision_seq,
    r.data ->> 'comment' AS comment,
    coalesce(r.data ->> 'scope', CASE r.data ->> 'decision' WHEN 'allow_session' THEN 'tool' END) AS scope,
    coalesce(g.principal, r.data -> 'setBy' ->> 'principal', r.data -> 'policyChange' ->> 'principal') AS granted_by, g.seq AS grant_seq, coalesce(g.data ->> 'scope', CASE g.data ->> 'decision'
        WHEN 'allow_session' THEN 'tool' WHEN 'allow_once' THEN 'once' WHEN 'deny' THEN 'once' END) AS grant_scope,
    s.data ->> 'executor' AS executor, s.timestamp AS started_at, t.data ->> 'status' AS status, t.data -> 'content' AS content,
    t.timestamp AS ended_at, CASE WHEN q.seq IS NOT NULL OR r.data ->> 'source' IN ('grant', 'mode') THEN 'ask'
        WHEN r.data ->> 'source' = 'policy' AND r.data ->> 'decision' = 'deny' THEN 'block'
        WHEN r.data ->> 'source' = 'policy' THEN 'allow' END AS verdict,
    coalesce(q.data ->> 'rule', r.data ->> 'rule') AS rule, q.data ->> 'reason' AS reason,
    r.data -> 'proof' ->> 'kind' AS proof, s.principal AS started_by, (
        SELECT group_concat(o.principal || ' ' || (o.data ->> 'decision'), ', ') FROM events o
        WHERE o.type = 'TOOL_APPROVAL_VOTE' AND o.data ->> 'toolCallId' = c.data ->> 'id' AND o.thread_id = c.thread_id) AS votes,
    round((julianday(r.timestamp) - julianday(c.timestamp)) * 86400, 3) AS decision_seconds,
    round((julianday(t.timestamp) - julianday(s.timestamp)) * 86400, 3) AS run_seconds,
    x.principal AS erased_by, x.timestamp AS erased_at, z.data ->> 'file' AS archived_in, z.timestamp AS archived_at,
    c.data -> 'place' AS place, r.data ->> 'onBehalfOf' AS on_behalf_of
FROM events c
LEFT JOIN events q ON q.type = 'TOOL_APPROVAL_REQUEST' AND q.data ->> 'toolCallId' = c.data ->> 'id' AND q.thread_id = c.thread_id
LEFT JOIN events r ON r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = c.data ->> 'id' AND r.thread_id = c.thread_id
-- The last vote that changed the arguments. It counts until the response, which repeats its arguments. + 0 keeps the
-- database from reading the thread in the order of its events instead of using the index of votes.
LEFT JOIN events v ON r.seq IS NULL AND v.seq = (
    SELECT e.seq FROM events e WHERE e.type = 'TOOL_APPROVAL_VOTE' AND e.data ->> 'toolCallId' = c.data ->> 'id'
        AND e.thread_id = c.thread_id AND e.data -> 'arguments' IS NOT NULL ORDER BY e.seq + 0 DESC LIMIT 1)
-- || '' keeps the database from searching the responses of the thread instead of using the seq.
LEFT JOIN events g ON g.type || '' = 'TOOL_APPROVAL_RESPONSE' AND g.thread_id || '' = r.thread_id
    AND g.seq = r.data ->> 'grant'
LEFT JOIN events s ON s.type = 'TOOL_EXECUTION_STARTED' AND s.data ->> 'toolCallId' = c.data ->> 'id' AND s.thread_id = c.thread_id
LEFT JOIN events t ON t.type = 'TOOL_RESULT' AND t.data ->> 'toolCallId' = c.data ->> 'id' AND t.thread_id = c.thread_id
LEFT JOIN events x ON x.type = 'CALL_ERASED' AND x.data ->> 'toolCallId' = c.data ->> 'id' AND x.thread_id = c.thread_id
LEFT JOIN events z ON z.type = 'THREAD_ARCHIVED' AND z.thread_id = c.thread_id
WHERE c.type = 'TOOL_CALL';

-- One row per request without an answer. `seq` is that of the request.
CREATE VIEW pending_calls AS
SELECT q.seq, q.thread_id, c.data ->> 'id' AS tool_call_id, c.data ->> 'name' AS tool,
    c.data -> 'arguments' AS proposed_arguments, c.principal AS proposed_by, q.timestamp AS requested_at,
    q.data ->> 'rule' AS rule, q.data ->> 'reason' AS reason, coalesce(x.data ->> 'level', q.data ->> 'level') AS level,
    coalesce(q.data ->> 'quorum', '1') AS quorum, q.data -> 'approvers' AS approvers, (
        SELECT group_concat(o.principal || ' ' || (o.data ->> 'decision'), ', ') FROM events o
        WHERE o.type = 'TOOL_APPROVAL_VOTE' AND o.data ->> 'toolCallId' = c.data ->> 'id' AND o.thread_id = c.thread_id) AS votes,
    q.data ->> 'expiresAt' AS expires_at, c.data -> 'place' AS place
FROM open_requests w
CROSS JOIN events q ON q.seq = w.seq
JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = q.data ->> 'toolCallId' AND c.thread_id = q.thread_id
LEFT JOIN events x ON x.type = 'TOOL_APPROVAL_ESCALATED' AND x.data ->> 'toolCallId' = c.data ->> 'id' AND x.thread_id = c.thread_id;

-- One row per decision that also answers later calls: grants, and denials for the session. `agents` is `any`, or the
-- agent whose calls it answers. `expires_at` and `uses` are its limits, and `used` is the number of calls that it has answered, if
-- that is limited. `ended_at` is empty while it is active; only the first of several ends counts.
CREATE VIEW grants AS
SELECT r.seq AS grant_seq, r.thread_id, r.data ->> 'toolCallId' AS tool_call_id, c.data ->> 'name' AS tool,
    CASE r.data ->> 'decision' WHEN 'deny' THEN 'deny' ELSE 'allow' END AS answer,
    coalesce(r.data ->> 'scope', CASE WHEN r.data -> 'erased' ->> 'scope' IS NOT NULL THEN 'erased' END, 'tool') AS scope,
    CASE WHEN r.data ->> 'decision' = 'deny' OR r.data ->> 'agents' = 'any' THEN 'any' ELSE c.principal END AS agents,
    r.principal AS given_by, r.timestamp AS given_at, r.data ->> 'comment' AS comment,
    coalesce(p.data, r.data) ->> 'expiresAt' AS expires_at, coalesce(p.data, r.data) ->> 'uses' AS uses, (SELECT max(u.data ->> 'use') FROM events u
        WHERE u.type = 'GRANT_USED' AND u.thread_id = r.thread_id AND coalesce(u.data ->> 'grant', '') = r.seq + 0) AS used,
    CASE WHEN v.seq < coalesce(d.seq, v.seq + 1) AND v.seq < coalesce(x.seq, v.seq + 1) THEN v.timestamp
        WHEN x.seq < coalesce(d.seq, x.seq + 1) THEN x.timestamp ELSE d.timestamp END AS ended_at,
    CASE WHEN v.seq < coalesce(d.seq, v.seq + 1) AND v.seq < coalesce(x.seq, v.seq + 1) THEN v.principal
        WHEN x.seq < coalesce(d.seq, x.seq + 1) THEN x.principal ELSE d.principal END AS ended_by,
    CASE WHEN v.seq < coalesce(d.seq, v.seq + 1) AND v.seq < coalesce(x.seq, v.seq + 1) THEN 'revoked'
        WHEN x.seq < coalesce(d.seq, x.seq + 1) THEN CASE x.data ->> 'limit' WHEN 'time' THEN 'expired' ELSE 'used up' END
        WHEN d.seq IS NOT NULL THEN 'thread closed' END AS ended_because
FROM events r
JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = r.data ->> 'toolCallId' AND c.thread_id = r.thread_id
LEFT JOIN events v ON v.type = 'GRANT_REVOKED' AND v.thread_id = r.thread_id AND coalesce(v.data ->> 'grant', '') = r.seq + 0
LEFT JOIN events x ON x.type = 'GRANT_ENDED' AND x.thread_id = r.thread_id AND coalesce(x.data ->> 'grant', '') = r.seq + 0
LEFT JOIN events d ON d.type = 'THREAD_CLOSED' AND d.thread_id = r.thread_id
-- + 0 keeps the database from reading the thread in the order of its events.
LEFT JOIN events p ON p.seq = (
    SELECT max(e.seq + 0) FROM events e
    WHERE e.type = 'GRANT_PROLONGED' AND e.thread_id = r.thread_id AND coalesce(e.data ->> 'grant', '') = r.seq + 0)
WHERE r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'source' = 'approver' AND (r.data ->> 'decision' = 'allow_session'
    OR r.data ->> 'decision' = 'deny' AND (r.data ->> 'scope' IS NOT NULL OR r.data -> 'erased' ->> 'scope' IS NOT NULL));

-- One row per decision and per vote of a person, perhaps in the place of another one (`on_behalf_of`). If the response of a call follows from a vote, both are listed.
CREATE VIEW person_decisions AS
SELECT e.seq, e.timestamp AS decided_at, e.principal AS person,
    CASE e.type WHEN 'TOOL_APPROVAL_VOTE' THEN 'vote' ELSE 'decision' END AS act, e.thread_id, c.data ->> 'id' AS tool_call_id,
    c.data ->> 'name' AS tool, coalesce(e.data -> 'arguments', c.data -> 'arguments') AS arguments,
    e.data -> 'arguments' IS NOT NULL AS changed, e.data ->> 'decision' AS decision, e.data ->> 'scope' AS scope,
    e.data ->> 'level' AS level, e.data ->> 'comment' AS comment, e.data -> 'proof' ->> 'kind' AS proof,
    e.data ->> 'onBehalfOf' AS on_behalf_of
FROM events e
-- CROSS keeps the database from reading all events of a thread for each of its calls: it finds the call of each decision.
CROSS JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = e.data ->> 'toolCallId' AND c.thread_id = e.thread_id
WHERE e.type = 'TOOL_APPROVAL_VOTE' OR e.type = 'TOOL_APPROVAL_RESPONSE' AND e.data ->> 'source' = 'approver';

-- One row per advice. `decision`, `source` and `decided_by` say what became of the call, `flagged_by` who complained of it.
CREATE VIEW advice AS
SELECT e.seq, e.timestamp AS advised_at, e.data ->> 'advisor' AS advisor, e.data ->> 'mode' AS mode,
    e.data ->> 'configuration' AS configuration, e.thread_id, c.data ->> 'id' AS tool_call_id, c.data ->> 'name' AS tool,
    q.data ->> 'rule' AS rule, e.data ->> 'advice' AS advice, e.data ->> 'reason' AS reason,
    e.data ->> 'confidence' AS confidence, e.data -> 'labels' AS labels, e.data ->> 'failure' AS failure,
    e.data ->> 'elapsedMillis' AS elapsed_millis, r.data ->> 'decision' AS decision, r.data ->> 'source' AS source,
    r.principal AS decided_by, (SELECT group_concat(f.principal, ', ') FROM events f
        WHERE f.type = 'CALL_FLAGGED' AND f.data ->> 'toolCallId' = c.data ->> 'id' AND f.thread_id = c.thread_id) AS flagged_by
FROM events e
JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = e.data ->> 'toolCallId' AND c.thread_id = e.thread_id
LEFT JOIN events q ON q.type = 'TOOL_APPROVAL_REQUEST' AND q.data ->> 'toolCallId' = c.data ->> 'id' AND q.thread_id = c.thread_id
LEFT JOIN events r ON r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = c.data ->> 'id' AND r.thread_id = c.thread_id
WHERE e.type = 'TOOL_APPROVAL_ADVICE';

-- One row per call that an executor claimed and whose lease lapsed without a result: whether it ran is unknown.
-- `executor` and `claim_seq` are those of the last claim. `released_by` has let another executor take it over.
CREATE VIEW unknown_outcomes AS
SELECT c.thread_id, c.data ->> 'id' AS tool_call_id, c.data ->> 'name' AS tool, c.principal AS proposed_by,
    k.data ->> 'executor' AS executor, k.timestamp AS started_at, s.claim_seq, s.lease_expired_at,
    f.principal AS released_by, f.timestamp AS released_at
FROM (
    SELECT thread_id, data ->> 'toolCallId' AS tool_call_id, max(data ->> 'leaseExpiresAt') AS lease_expired_at,
        max(CASE WHEN type <> 'TOOL_EXECUTION_RENEWED' THEN seq END) AS claim_seq
    FROM events WHERE type IN ('TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_RENEWED', 'TOOL_EXECUTION_TAKEN_OVER')
        AND data ->> 'toolCallId' IS NOT NULL GROUP BY thread_id, data ->> 'toolCallId') s
JOIN events k ON k.seq = s.claim_seq
JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = s.tool_call_id AND c.thread_id = s.thread_id
LEFT JOIN events f ON f.type = 'TOOL_EXECUTION_RELEASED' AND f.data ->> 'toolCallId' = s.tool_call_id
    AND f.thread_id = s.thread_id AND f.data ->> 'claim' = s.claim_seq
WHERE s.lease_expired_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AND NOT EXISTS (
    SELECT 1 FROM events t WHERE t.type = 'TOOL_RESULT' AND t.data ->> 'toolCallId' = s.tool_call_id AND t.thread_id = s.thread_id);

-- One row per call that ran other arguments than were approved or, without `executor_claimed`, without an approval.
CREATE VIEW mismatches AS
SELECT m.seq, m.thread_id, c.data ->> 'id' AS tool_call_id, c.data ->> 'name' AS tool, c.data -> 'place' AS place,
    coalesce(r.data -> 'arguments', c.data -> 'arguments') AS approved_arguments, m.data -> 'arguments' AS ran_arguments,
    s.seq IS NOT NULL AS executor_claimed, m.principal AS reported_by, m.timestamp AS reported_at
FROM events m
JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = m.data ->> 'toolCallId' AND c.thread_id = m.thread_id
LEFT JOIN events r ON r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = c.data ->> 'id' AND r.thread_id = c.thread_id
LEFT JOIN events s ON s.type = 'TOOL_EXECUTION_STARTED' AND s.data ->> 'toolCallId' = c.data ->> 'id' AND s.thread_id = c.thread_id
WHERE m.type = 'TOOL_EXECUTION_MISMATCH';

-- One row per recorded effect of a call: what it does to a file, a host or another thing, as its masked arguments showed it when
-- it was proposed. Calls that earlier versions recorded, and erased ones, have none.
CREATE VIEW effects AS
SELECT c.seq, c.thread_id, c.data ->> 'id' AS tool_call_id, c.data ->> 'name' AS tool, c.timestamp AS proposed_at,
    c.principal AS proposed_by, f.value ->> 'kind' AS kind, f.value ->> 'access' AS access, f.value ->> 'target' AS target,
    coalesce(f.value ->> 'certain', 1) = 1 AS certain
FROM events c, json_each(c.data, '$.effects') f
WHERE c.type = 'TOOL_CALL';

-- An INSERT into this view decides a call:
-- INSERT INTO decisions VALUES ('thread', 'call', 'allow_once', 'user:ada', 'why');
CREATE VIEW decisions AS
SELECT thread_id, data ->> 'toolCallId' AS tool_call_id, data ->> 'decision' AS decision, principal, data ->> 'comment' AS comment
FROM events WHERE type = 'TOOL_APPROVAL_RESPONSE';

-- Contains a row while the trigger of `decisions` writes, and is empty otherwise.
CREATE TABLE decision_in_progress (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;

CREATE TRIGGER rows_without_a_hash_are_decisions BEFORE INSERT ON events
WHEN NEW.hash IS NULL AND NOT EXISTS (SELECT 1 FROM decision_in_progress) BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: with SQL, decide through the view decisions and write nothing else');
END;

-- Decides a request that any one person may decide. Requests that need a level, a group, a quorum or a proof are decided with
-- `countersign`, which knows the levels and groups of people. A name belongs to one person in every spelling. SQLite folds only
-- ASCII, so this accepts what it can compare, if a person proposed the call: a proposer in ASCII, and a decider without the Latin
-- letters that may fold to ASCII (ß, and those after Latin-1).
CREATE TRIGGER decide_by_hand INSTEAD OF INSERT ON decisions BEGIN
    SELECT CASE
        WHEN c.seq IS NULL THEN RAISE(ROLLBACK, 'countersign: the thread has no such call')
        WHEN r.seq IS NOT NULL THEN RAISE(ROLLBACK, 'countersign: the call is decided already')
        WHEN q.seq IS NULL THEN RAISE(ROLLBACK, 'countersign: this call has no request to decide')
        WHEN NEW.principal IS NULL OR NEW.principal NOT GLOB 'user:?*' OR NEW.principal = c.principal
        THEN RAISE(ROLLBACK, 'countersign: only a person may decide, and not the person who proposed the call')
        WHEN NEW.principal GLOB '*,*' OR c.principal GLOB 'user:*' AND (lower(c.principal) = lower(NEW.principal)
            OR c.principal GLOB '*[^ -~]*' OR NEW.principal GLOB '*[' || char(223, 256, 45, 591) || ']*')
        THEN RAISE(ROLLBACK,
            'countersign: by hand, a principal has no comma, and is not another spelling of the person who proposed the call')
        WHEN length(CAST(NEW.principal AS BLOB)) > 512 OR instr(CAST(NEW.principal AS BLOB), x'00')
            OR NEW.principal GLOB 'user: *' OR NEW.principal GLOB '* '
            OR NEW.principal GLOB '*[^ -~' || char(192, 45, 591) || ']*'
        THEN RAISE(ROLLBACK,
            'countersign: by hand, a principal has at most 512 bytes of ASCII and Latin letters, and no blanks around its name')
        WHEN NEW.decision IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(q.data, '$.options') WHERE value = NEW.decision)
        THEN RAISE(ROLLBACK, 'countersign: the decision is not one of the options of the request')
        WHEN q.data ->> 'quorum' > 1 OR q.data ->> 'denials' > 1 OR q.data ->> 'level' IS NOT NULL
            OR coalesce(q.data -> 'approvers', '[]') <> '[]' OR q.data ->> 'defaultLevel' IS NOT NULL
            OR q.data ->> 'proof' IS NOT NULL AND NEW.decision <> 'deny' OR x.seq IS NOT NULL
        THEN RAISE(ROLLBACK, 'countersign: this call takes more than any one person: decide with countersign')
        WHEN q.data ->> 'expiresAt' <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        THEN RAISE(ROLLBACK, 'countersign: the time to decide is over')
    END
    FROM (SELECT NEW.tool_call_id AS id, NEW.thread_id AS thread) d
    LEFT JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = d.id AND c.thread_id = d.thread
    LEFT JOIN events q ON q.type = 'TOOL_APPROVAL_REQUEST' AND q.data ->> 'toolCallId' = d.id AND q.thread_id = d.thread
    LEFT JOIN events x ON x.type = 'TOOL_APPROVAL_ESCALATED' AND x.data ->> 'toolCallId' = d.id AND x.thread_id = d.thread
    LEFT JOIN events r ON r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = d.id AND r.thread_id = d.thread;
    INSERT INTO decision_in_progress (id) VALUES (1);
    -- json_patch drops the comment if it is NULL. CAST, because a person may enter a number as the comment.
    INSERT INTO events (thread_id, type, principal, data)
    SELECT thread_id, 'TOOL_APPROVAL_RESPONSE', NEW.principal, json_patch('{}', json_object(
        'toolCallId', data ->> 'id', 'decision', NEW.decision, 'source', 'approver',
        'comment', CAST(NEW.comment AS TEXT), 'argumentsHash', data ->> 'argumentsHash'))
    FROM events WHERE type = 'TOOL_CALL' AND data ->> 'id' = NEW.tool_call_id AND thread_id = NEW.thread_id;
    INSERT INTO events (thread_id, type, principal, data)
    SELECT NEW.thread_id, 'TOOL_RESULT', NEW.principal, json_object(
        'toolCallId', NEW.tool_call_id, 'status', 'denied', 'content',
        'Denied by ' || NEW.principal || coalesce(': ' || NEW.comment, ', without a comment')
            || ' (do not retry this call unchanged)')
    WHERE NEW.decision = 'deny';
    DELETE FROM decision_in_progress;
END;
