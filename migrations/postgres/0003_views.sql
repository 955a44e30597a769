-- The views for people with a SQL shell: events by call, one row per call, per open request, per grant, per decision of
-- a person, per advice and per unknown outcome, and a way to decide.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The events about calls, each with the id of its call. PostgreSQL moves a condition on tool_call_id and thread_id into both
-- branches, where the indexes calls_by_id and events_by_call answer it.
CREATE VIEW call_events AS
SELECT seq, thread_id, data ->> 'id' AS tool_call_id, type, timestamp, principal, data, hash FROM events WHERE type = 'TOOL_CALL'
UNION ALL
SELECT seq, thread_id, data ->> 'toolCallId', type, timestamp, principal, data, hash FROM events
WHERE data ->> 'toolCallId' IS NOT NULL;

-- One row per call. `arguments` are those that ran or may run: as an approver changed them, or as they were proposed. If
-- an earlier decision answered the call, `granted_by` is the person who made it, `grant_seq` its seq, and `grant_scope`
-- its scope: 'once' if it was for one call. It is the `decision_seq` of the call on which that person decided.
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
        SELECT string_agg(o.principal || ' ' || (o.data ->> 'decision'), ', ' ORDER BY o.seq) FROM events o
        WHERE o.type = 'TOOL_APPROVAL_VOTE' AND o.data ->> 'toolCallId' = c.data ->> 'id' AND o.thread_id = c.thread_id) AS votes,
    round(extract(epoch FROM r.timestamp::timestamptz - c.timestamp::timestamptz), 3) AS decision_seconds,
    round(extract(epoch FROM t.timestamp::timestamptz - s.timestamp::timestamptz), 3) AS run_seconds,
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
    AND g.seq = CASE WHEN r.data ->> 'grant' ~ '^[0-9]{1,18}$' THEN (r.data ->> 'grant')::bigint END
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
        SELECT string_agg(o.principal || ' ' || (o.data ->> 'decision'), ', ' ORDER BY o.seq) FROM events o
        WHERE o.type = 'TOOL_APPROVAL_VOTE' AND o.data ->> 'toolCallId' = c.data ->> 'id' AND o.thread_id = c.thread_id) AS votes,
    q.data ->> 'expiresAt' AS expires_at, c.data -> 'place' AS place
FROM open_requests w
JOIN events q ON q.seq = w.seq
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
    coalesce(p.data, r.data) ->> 'expiresAt' AS expires_at, coalesce(p.data, r.data) ->> 'uses' AS uses, (SELECT max((u.data ->> 'use')::integer) FROM events u
        WHERE u.type = 'GRANT_USED' AND u.thread_id = r.thread_id AND coalesce(u.data ->> 'grant', '') = r.seq::text) AS used,
    CASE WHEN v.seq < coalesce(d.seq, v.seq + 1) AND v.seq < coalesce(x.seq, v.seq + 1) THEN v.timestamp
        WHEN x.seq < coalesce(d.seq, x.seq + 1) THEN x.timestamp ELSE d.timestamp END AS ended_at,
    CASE WHEN v.seq < coalesce(d.seq, v.seq + 1) AND v.seq < coalesce(x.seq, v.seq + 1) THEN v.principal
        WHEN x.seq < coalesce(d.seq, x.seq + 1) THEN x.principal ELSE d.principal END AS ended_by,
    CASE WHEN v.seq < coalesce(d.seq, v.seq + 1) AND v.seq < coalesce(x.seq, v.seq + 1) THEN 'revoked'
        WHEN x.seq < coalesce(d.seq, x.seq + 1) THEN CASE x.data ->> 'limit' WHEN 'time' THEN 'expired' ELSE 'used up' END
        WHEN d.seq IS NOT NULL THEN 'thread closed' END AS ended_because
FROM events r
JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = r.data ->> 'toolCallId' AND c.thread_id = r.thread_id
LEFT JOIN events v ON v.type = 'GRANT_REVOKED' AND v.thread_id = r.thread_id AND coalesce(v.data ->> 'grant', '') = r.seq::text
LEFT JOIN events x ON x.type = 'GRANT_ENDED' AND x.thread_id = r.thread_id AND coalesce(x.data ->> 'grant', '') = r.seq::text
LEFT JOIN events d ON d.type = 'THREAD_CLOSED' AND d.thread_id = r.thread_id
-- + 0 keeps the database from reading the thread in the order of its events.
LEFT JOIN events p ON p.seq = (
    SELECT max(e.seq + 0) FROM events e
    WHERE e.type = 'GRANT_PROLONGED' AND e.thread_id = r.thread_id AND coalesce(e.data ->> 'grant', '') = r.seq::text)
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
JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = e.data ->> 'toolCallId' AND c.thread_id = e.thread_id
WHERE e.type = 'TOOL_APPROVAL_VOTE' OR e.type = 'TOOL_APPROVAL_RESPONSE' AND e.data ->> 'source' = 'approver';

-- One row per advice. `decision`, `source` and `decided_by` say what became of the call, `flagged_by` who complained of it.
CREATE VIEW advice AS
SELECT e.seq, e.timestamp AS advised_at, e.data ->> 'advisor' AS advisor, e.data ->> 'mode' AS mode,
    e.data ->> 'configuration' AS configuration, e.thread_id, c.data ->> 'id' AS tool_call_id, c.data ->> 'name' AS tool,
    q.data ->> 'rule' AS rule, e.data ->> 'advice' AS advice, e.data ->> 'reason' AS reason,
    e.data ->> 'confidence' AS confidence, e.data -> 'labels' AS labels, e.data ->> 'failure' AS failure,
    e.data ->> 'elapsedMillis' AS elapsed_millis, r.data ->> 'decision' AS decision, r.data ->> 'source' AS source,
    r.principal AS decided_by, (SELECT string_agg(f.principal, ', ' ORDER BY f.seq) FROM events f
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
    -- Calls with a result are left out first, so that few leases are read.
    SELECT e.thread_id, e.data ->> 'toolCallId' AS tool_call_id, max(e.data ->> 'leaseExpiresAt') AS lease_expired_at,
        max(CASE WHEN e.type <> 'TOOL_EXECUTION_RENEWED' THEN e.seq END) AS claim_seq
    FROM events e WHERE e.type IN ('TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_RENEWED', 'TOOL_EXECUTION_TAKEN_OVER')
        AND e.data ->> 'toolCallId' IS NOT NULL AND NOT EXISTS (
            SELECT FROM events t WHERE t.type = 'TOOL_RESULT' AND t.data ->> 'toolCallId' = e.data ->> 'toolCallId'
                AND t.thread_id = e.thread_id)
    GROUP BY e.thread_id, e.data ->> 'toolCallId') s
JOIN events k ON k.seq = s.claim_seq
JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = s.tool_call_id AND c.thread_id = s.thread_id
LEFT JOIN LATERAL (
    SELECT l.principal, l.timestamp FROM events l WHERE l.type = 'TOOL_EXECUTION_RELEASED' AND l.data ->> 'toolCallId' = s.tool_call_id
        AND l.thread_id = s.thread_id AND l.data ->> 'claim' = s.claim_seq::text) f ON true
WHERE s.lease_expired_at <= to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

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
    c.principal AS proposed_by, f ->> 'kind' AS kind, f ->> 'access' AS access, f ->> 'target' AS target,
    coalesce(f ->> 'certain', 'true') = 'true' AS certain
FROM events c, jsonb_array_elements(c.data -> 'effects') f
WHERE c.type = 'TOOL_CALL';

-- An INSERT into this view decides a call:
-- INSERT INTO decisions VALUES ('thread', 'call', 'allow_once', 'user:ada', 'why');
CREATE VIEW decisions AS
SELECT thread_id, data ->> 'toolCallId' AS tool_call_id, data ->> 'decision' AS decision, principal, data ->> 'comment' AS comment
FROM events WHERE type = 'TOOL_APPROVAL_RESPONSE';

-- Rejects a row without a hash. The trigger of `decisions` writes such rows, at a trigger depth of 1.
CREATE FUNCTION reject_row_without_hash() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN PERFORM refuse('with SQL, decide through the view decisions and write nothing else'); END $$;
CREATE TRIGGER rows_without_a_hash_are_decisions BEFORE INSERT ON events
    FOR EACH ROW WHEN (NEW.hash IS NULL AND pg_trigger_depth() = 0) EXECUTE FUNCTION reject_row_without_hash();

-- Decides a request as on SQLite. json, not jsonb, writes the fields in the order in which they are named.
CREATE FUNCTION decide_by_hand() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE complaint text;
BEGIN
    -- Take the lock first, so that the checks see a decision that another transaction commits before this one.
    PERFORM pg_advisory_xact_lock(x'4353474e'::int, 'events'::regclass::oid::int);
    SELECT CASE
        WHEN c.seq IS NULL THEN 'the thread has no such call'
        WHEN r.seq IS NOT NULL THEN 'the call is decided already'
        WHEN q.seq IS NULL THEN 'this call has no request to decide'
        WHEN coalesce(NEW.principal, '') NOT LIKE 'user:_%' OR NEW.principal = c.principal
        THEN 'only a person may decide, and not the person who proposed the call'
        WHEN NEW.principal LIKE '%,%' OR c.principal LIKE 'user:%' AND (lower(c.principal) = lower(NEW.principal)
            OR c.principal ~ '[^ -~]' OR NEW.principal ~ '[\u00df\u0100-\u024f]')
        THEN 'by hand, a principal has no comma, and is not another spelling of the person who proposed the call'
        WHEN octet_length(NEW.principal) > 512 OR NEW.principal LIKE 'user: %' OR NEW.principal LIKE '% '
            OR NEW.principal ~ '[^ -~\u00c0-\u024f]'
        THEN 'by hand, a principal has at most 512 bytes of ASCII and Latin letters, and no blanks around its name'
        WHEN NOT coalesce(q.data -> 'options' ? NEW.decision, false) THEN 'the decision is not one of the options of the request'
        WHEN (q.data ->> 'quorum')::int > 1 OR (q.data ->> 'denials')::int > 1 OR q.data ->> 'level' IS NOT NULL
            OR coalesce(q.data -> 'approvers', '[]') <> '[]' OR q.data ->> 'defaultLevel' IS NOT NULL
            OR q.data ->> 'proof' IS NOT NULL AND NEW.decision <> 'deny' OR x.seq IS NOT NULL
        THEN 'this call takes more than any one person: decide with countersign'
        WHEN q.data ->> 'expiresAt' <= to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        THEN 'the time to decide is over' END INTO complaint
    FROM (VALUES (NEW.tool_call_id, NEW.thread_id)) d (id, thread)
    LEFT JOIN events c ON c.type = 'TOOL_CALL' AND c.data ->> 'id' = d.id AND c.thread_id = d.thread
    LEFT JOIN events q ON q.type = 'TOOL_APPROVAL_REQUEST' AND q.data ->> 'toolCallId' = d.id AND q.thread_id = d.thread
    LEFT JOIN events x ON x.type = 'TOOL_APPROVAL_ESCALATED' AND x.data ->> 'toolCallId' = d.id AND x.thread_id = d.thread
    LEFT JOIN events r ON r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = d.id AND r.thread_id = d.thread;
    PERFORM refuse(complaint);
    INSERT INTO events (thread_id, type, principal, data)
    SELECT thread_id, 'TOOL_APPROVAL_RESPONSE', NEW.principal, json_strip_nulls(json_build_object(
        'toolCallId', data ->> 'id', 'decision', NEW.decision, 'source', 'approver',
        'comment', NEW.comment, 'argumentsHash', data ->> 'argumentsHash'))
    FROM events WHERE type = 'TOOL_CALL' AND data ->> 'id' = NEW.tool_call_id AND thread_id = NEW.thread_id;
    IF NEW.decision = 'deny' THEN
        INSERT INTO events (thread_id, type, principal, data)
        VALUES (NEW.thread_id, 'TOOL_RESULT', NEW.principal, json_build_object(
            'toolCallId', NEW.tool_call_id, 'status', 'denied', 'content', 'Denied by ' || NEW.principal
                || coalesce(': ' || NEW.comment, ', without a comment') || ' (do not retry this call unchanged)'));
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER decide_by_hand INSTEAD OF INSERT ON decisions FOR EACH ROW EXECUTE FUNCTION decide_by_hand();

-- A decision made with SQL notifies waiting processes when its transaction commits. Countersign notifies after its own
-- commits, because a transaction that notifies during its commit delays such commits in all databases of the server.
CREATE FUNCTION notify_processes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM pg_notify('countersign_' || TG_RELID, NEW.seq::text);
    RETURN NULL;
END $$;
CREATE TRIGGER rows_without_a_hash_notify AFTER INSERT ON events
    FOR EACH ROW WHEN (NEW.hash IS NULL) EXECUTE FUNCTION notify_processes();
ALTER TABLE events ENABLE ALWAYS TRIGGER rows_without_a_hash_are_decisions, ENABLE ALWAYS TRIGGER rows_without_a_hash_notify;
