-- What deciding needs: reminders and escalations, calls that are released and taken over, rounds of votes, and
-- decisions that answer for later calls. A program that does not know the new types cannot read such a log, so this
-- step leaves older ones out.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE events DROP CONSTRAINT events_type_check;

ALTER TABLE events ADD CONSTRAINT events_type_check CHECK (type IN (
    'TOOL_CALL', 'TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_VOTE', 'TOOL_APPROVAL_RESPONSE',
    'TOOL_EXECUTION_STARTED', 'TOOL_RESULT', 'TOOL_APPROVAL_REMINDER', 'TOOL_APPROVAL_ESCALATED',
    'TOOL_EXECUTION_RELEASED', 'TOOL_EXECUTION_TAKEN_OVER', 'TOOL_POLICY_SET', 'GRANT_REVOKED',
    'THREAD_MODE_SET', 'THREAD_CLOSED', 'USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_PROMPT',
    'USER_SYSTEM_PROMPT', 'LOCAL_SYSTEM_MESSAGE', 'COMPACTION'));

-- Before version 17 PostgreSQL cannot change how a stored column comes about, so it is made anew, which writes the
-- whole table once. The CHECK and the index that stand on it go with it. The view looks elsewhere meanwhile: were it
-- dropped, those who have been granted it would lose it, and the view and the trigger that stand on it would go too.
CREATE OR REPLACE VIEW calls AS
SELECT
    c.seq, c.thread_id, c.type AS tool_call_id, c.data ->> 'name' AS tool, c.data -> 'arguments' AS arguments,
    c.principal AS proposed_by, c.timestamp AS proposed_at, q.timestamp AS requested_at,
    r.data ->> 'decision' AS decision, r.data ->> 'source' AS source, r.principal AS decided_by,
    r.timestamp AS decided_at, r.data ->> 'comment' AS comment,
    s.data ->> 'executor' AS executor, s.timestamp AS started_at,
    t.data ->> 'status' AS status, t.data -> 'content' AS content, t.timestamp AS ended_at
FROM events c
LEFT JOIN events q ON q.thread_id = c.thread_id AND q.type = 'TOOL_APPROVAL_REQUEST'
LEFT JOIN events r ON r.thread_id = c.thread_id AND r.type = 'TOOL_APPROVAL_RESPONSE'
LEFT JOIN events s ON s.thread_id = c.thread_id AND s.type = 'TOOL_EXECUTION_STARTED'
LEFT JOIN events t ON t.thread_id = c.thread_id AND t.type = 'TOOL_RESULT'
WHERE false;

ALTER TABLE events DROP COLUMN tool_call_id;

ALTER TABLE events
    ADD COLUMN tool_call_id text COLLATE "C" GENERATED ALWAYS AS (
        CASE
            WHEN type = 'TOOL_CALL' THEN data ->> 'id'
            WHEN type IN ('TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_VOTE', 'TOOL_APPROVAL_RESPONSE',
                'TOOL_EXECUTION_STARTED', 'TOOL_RESULT', 'TOOL_APPROVAL_REMINDER', 'TOOL_APPROVAL_ESCALATED',
                'TOOL_EXECUTION_RELEASED', 'TOOL_EXECUTION_TAKEN_OVER') THEN data ->> 'toolCallId'
        END) STORED,
    ADD CONSTRAINT events_check
        CHECK (coalesce(tool_call_id, '') <> '' OR type NOT LIKE 'TOOL\_%' OR type = 'TOOL_POLICY_SET');

CREATE OR REPLACE VIEW calls AS
SELECT
    c.seq, c.thread_id, c.tool_call_id, c.data ->> 'name' AS tool, c.data -> 'arguments' AS arguments,
    c.principal AS proposed_by, c.timestamp AS proposed_at, q.timestamp AS requested_at,
    r.data ->> 'decision' AS decision, r.data ->> 'source' AS source, r.principal AS decided_by,
    r.timestamp AS decided_at, r.data ->> 'comment' AS comment,
    s.data ->> 'executor' AS executor, s.timestamp AS started_at,
    t.data ->> 'status' AS status, t.data -> 'content' AS content, t.timestamp AS ended_at
FROM events c
LEFT JOIN events q ON q.thread_id = c.thread_id AND q.tool_call_id = c.tool_call_id AND q.type = 'TOOL_APPROVAL_REQUEST'
LEFT JOIN events r ON r.thread_id = c.thread_id AND r.tool_call_id = c.tool_call_id AND r.type = 'TOOL_APPROVAL_RESPONSE'
LEFT JOIN events s ON s.thread_id = c.thread_id AND s.tool_call_id = c.tool_call_id AND s.type = 'TOOL_EXECUTION_STARTED'
LEFT JOIN events t ON t.thread_id = c.thread_id AND t.tool_call_id = c.tool_call_id AND t.type = 'TOOL_RESULT'
WHERE c.type = 'TOOL_CALL';

-- A call has at most one of each type of event; but an approver votes once in each round, and each claim is
-- released once and taken over once. The same index finds a call's events, as before.
CREATE UNIQUE INDEX one_of_each ON events (
    thread_id, tool_call_id, type, (CASE type
        WHEN 'TOOL_APPROVAL_VOTE' THEN coalesce(data ->> 'round', '0') || ' ' || principal
        WHEN 'TOOL_EXECUTION_RELEASED' THEN data ->> 'claim'
        WHEN 'TOOL_EXECUTION_TAKEN_OVER' THEN data ->> 'claim'
        ELSE '' END))
    WHERE tool_call_id IS NOT NULL;

-- A thread's denials that are remembered until they are revoked.
CREATE INDEX denials_of_thread ON events (thread_id)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND data ->> 'decision' = 'deny' AND data ->> 'match' IS NOT NULL;

-- What people decided of late in a thread, and the approvals that have moved.
CREATE INDEX decisions_of_thread ON events (thread_id, (data ->> 'argumentsHash'), timestamp)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'source' = 'approver' OR data ->> 'match' = 'once');

-- Where an approval has moved to.
CREATE INDEX moves_of_approval ON events (thread_id, (data ->> 'grant'))
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND data ->> 'match' = 'once';

-- The guards, with what is new in them.
CREATE OR REPLACE FUNCTION rows_follow_the_rules() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    said jsonb := document(NEW.data);
    call_id text := CASE
        WHEN NEW.type = 'TOOL_CALL' THEN said ->> 'id'
        WHEN NEW.type LIKE 'TOOL\_%' AND NEW.type <> 'TOOL_POLICY_SET' THEN said ->> 'toolCallId' END;
    -- The event of the call whose data decides on this one.
    earlier_type text := CASE NEW.type
        WHEN 'TOOL_APPROVAL_RESPONSE' THEN 'TOOL_CALL'
        WHEN 'TOOL_EXECUTION_STARTED' THEN 'TOOL_APPROVAL_RESPONSE'
        WHEN 'TOOL_EXECUTION_TAKEN_OVER' THEN 'TOOL_APPROVAL_RESPONSE'
        WHEN 'TOOL_RESULT' THEN CASE
            WHEN said ->> 'status' NOT IN ('success', 'error') THEN 'TOOL_APPROVAL_RESPONSE' END
    END;
    earlier_data text;
    earlier jsonb;
    -- The event that this one names by its number. Only json keeps how a number is spelled, and jsonb would take
    -- 5e0 for the integer that it is not.
    key text := CASE
        WHEN NEW.type = 'GRANT_REVOKED' OR NEW.type = 'TOOL_APPROVAL_RESPONSE' THEN 'grant'
        WHEN NEW.type IN ('TOOL_EXECUTION_RELEASED', 'TOOL_EXECUTION_TAKEN_OVER') THEN 'claim' END;
    named bigint := CASE
        WHEN jsonb_typeof(said -> key) = 'number' AND readable(NEW.data)::json ->> key ~ '^[1-9][0-9]{0,17}$'
        THEN (said ->> key)::numeric::bigint END;
    asked_data text;
    asked jsonb;
    last_claim bigint;
    tip bigint;
    proposer text;
    is_closed boolean;
    types text[];
    complaint text;
BEGIN
    SELECT
        (SELECT l.seq FROM events l ORDER BY l.seq DESC LIMIT 1),
        CASE WHEN NEW.type IN (
            'TOOL_CALL', 'TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_TAKEN_OVER', 'THREAD_CLOSED') THEN EXISTS (
            SELECT FROM events c WHERE c.thread_id = NEW.thread_id AND c.type = 'THREAD_CLOSED') END,
        max(e.principal) FILTER (WHERE e.type = 'TOOL_CALL'),
        max(e.data) FILTER (WHERE e.type = earlier_type),
        max(e.data) FILTER (WHERE e.type = 'TOOL_APPROVAL_REQUEST' AND NEW.type = 'TOOL_APPROVAL_RESPONSE'),
        max(e.seq) FILTER (WHERE e.type IN ('TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_TAKEN_OVER')),
        coalesce(array_agg(e.type) FILTER (WHERE CASE e.type
            WHEN 'TOOL_APPROVAL_VOTE' THEN e.principal = NEW.principal
                AND coalesce(e.data ->> 'round', '0') = coalesce(said ->> 'round', '0')
            WHEN 'TOOL_EXECUTION_RELEASED' THEN e.data ->> 'claim' = said ->> 'claim'
            WHEN 'TOOL_EXECUTION_TAKEN_OVER' THEN e.data ->> 'claim' = said ->> 'claim'
            ELSE true END), '{}')
    INTO tip, is_closed, proposer, earlier_data, asked_data, last_claim, types
    FROM events e
    WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = call_id;

    tip := coalesce(tip, 0);
    NEW.seq := coalesce(NEW.seq, tip + 1);
    earlier := document(earlier_data);
    asked := document(asked_data);

    complaint := CASE
        WHEN NEW.seq BETWEEN 1 AND tip
        THEN 'countersign: this seq is taken, and events are never changed'

        -- Numbers have no gaps, so that a reader who has seen n knows that n + 1 comes next.
        WHEN NEW.seq > tip + 1
        THEN 'countersign: leave seq out; it is the next number'

        -- What is said of a call must follow from what was said of it before.
        WHEN NEW.type = ANY (types)
        THEN 'countersign: the call has an event of this type already'

        -- Everything about a call comes after the call itself, in the same thread.
        WHEN proposer IS NULL AND NEW.type <> 'TOOL_CALL' AND call_id IS NOT NULL
        THEN 'countersign: the thread has no such call'

        -- Nothing starts in a closed thread, and a thread closes once.
        WHEN is_closed
        THEN 'countersign: the thread is closed'

        ELSE CASE NEW.type

        WHEN 'TOOL_CALL' THEN CASE
            WHEN said -> 'arguments' IS NULL OR said ->> 'name' IS NULL
                OR length(said ->> 'argumentsHash') IS DISTINCT FROM 64
            THEN 'countersign: a TOOL_CALL has id, name, arguments and argumentsHash'
        END

        -- People are asked about, and vote on, what is not decided.
        WHEN 'TOOL_APPROVAL_REQUEST' THEN CASE
            WHEN 'TOOL_APPROVAL_RESPONSE' = ANY (types)
            THEN 'countersign: the call is decided already'
        END

        WHEN 'TOOL_APPROVAL_VOTE' THEN CASE
            WHEN 'TOOL_APPROVAL_RESPONSE' = ANY (types)
            THEN 'countersign: the call is decided already'
            WHEN 'TOOL_APPROVAL_REQUEST' <> ALL (types)
            THEN 'countersign: nobody was asked about this call'
            WHEN NEW.principal NOT LIKE 'user:_%' OR NEW.principal = proposer
            THEN 'countersign: a person votes, and never the one who proposed'
            WHEN coalesce(said ->> 'decision', '') NOT IN ('allow_once', 'allow_session', 'deny')
            THEN 'countersign: a decision is allow_once, allow_session or deny'
            WHEN length(said ->> 'argumentsHash') <> 64 OR said ->> 'argumentsHash' ~ '[^0-9a-f]'
            THEN 'countersign: argumentsHash has 64 lower-case hexadecimal digits'
            WHEN jsonb_typeof(said -> 'round') <> 'number'
                OR readable(NEW.data)::json ->> 'round' !~ '^(0|[1-9][0-9]{0,9})$'
            THEN 'countersign: a round is a number from 0 on'
        END

        -- The clock asks once more, or somebody else, for as long as nobody has decided.
        WHEN 'TOOL_APPROVAL_REMINDER' THEN CASE
            WHEN 'TOOL_APPROVAL_RESPONSE' = ANY (types)
            THEN 'countersign: the call is decided already'
            WHEN 'TOOL_APPROVAL_REQUEST' <> ALL (types)
            THEN 'countersign: nobody was asked about this call'
            WHEN NEW.principal NOT LIKE 'system:_%'
            THEN 'countersign: nobody but the clock reminds and escalates'
        END

        WHEN 'TOOL_APPROVAL_ESCALATED' THEN CASE
            WHEN 'TOOL_APPROVAL_RESPONSE' = ANY (types)
            THEN 'countersign: the call is decided already'
            WHEN 'TOOL_APPROVAL_REQUEST' <> ALL (types)
            THEN 'countersign: nobody was asked about this call'
            WHEN NEW.principal NOT LIKE 'system:_%'
            THEN 'countersign: nobody but the clock reminds and escalates'
            WHEN jsonb_typeof(said -> 'level') IS DISTINCT FROM 'string' OR said ->> 'level' = ''
            THEN 'countersign: an escalation names its level'
        END

        -- A response is about what was proposed, and a person who gives it is not the one who proposed it.
        WHEN 'TOOL_APPROVAL_RESPONSE' THEN CASE
            WHEN coalesce(said ->> 'decision', '') NOT IN ('allow_once', 'allow_session', 'deny')
            THEN 'countersign: a decision is allow_once, allow_session or deny'
            WHEN coalesce(said ->> 'source', '')
                NOT IN ('approver', 'policy', 'grant', 'mode', 'expiry', 'cancellation')
            THEN 'countersign: a source is approver, policy, grant, mode, expiry or cancellation'
            WHEN length(said ->> 'argumentsHash') IS DISTINCT FROM 64
            THEN 'countersign: argumentsHash is the SHA-256 of what may run'
            WHEN said -> 'arguments' IS NULL AND said ->> 'argumentsHash' <> earlier ->> 'argumentsHash'
            THEN 'countersign: argumentsHash is not that of the proposed arguments'
            WHEN said ->> 'source' = 'approver'
                AND (NEW.principal NOT LIKE 'user:_%' OR NEW.principal = proposer)
            THEN 'countersign: a person decides, and never the one who proposed'

            -- Where it takes several, they have voted by now, in the last round: a change of the arguments
            -- begins a round, and what was said before it counts no more.
            WHEN said ->> 'source' = 'approver'
                AND (asked -> 'quorum' > '1' OR said ->> 'decision' = 'deny' AND asked -> 'denials' > '1')
                AND CASE said ->> 'decision'
                    WHEN 'deny' THEN coalesce(asked ->> 'denials', '1')
                    ELSE asked ->> 'quorum' END::numeric > (
                    SELECT count(DISTINCT v.principal) FROM events v
                    WHERE v.thread_id = NEW.thread_id AND v.tool_call_id = call_id
                        AND v.type = 'TOOL_APPROVAL_VOTE'
                        AND CASE said ->> 'decision'
                            WHEN 'deny' THEN v.data ->> 'decision' = 'deny'
                            ELSE v.data ->> 'decision' IN ('allow_once', 'allow_session') END
                        AND coalesce(v.data -> 'round', '0') = (
                            SELECT coalesce(r.data -> 'round', '0') AS round FROM events r
                            WHERE r.thread_id = NEW.thread_id AND r.tool_call_id = call_id
                                AND r.type = 'TOOL_APPROVAL_VOTE'
                            ORDER BY round DESC LIMIT 1))
            THEN 'countersign: this decision takes the votes of more people'
        END

        -- A claim needs an approval of just these arguments.
        WHEN 'TOOL_EXECUTION_STARTED' THEN CASE
            WHEN NOT coalesce(earlier ->> 'decision' IN ('allow_once', 'allow_session')
                AND earlier ->> 'argumentsHash' = said ->> 'argumentsHash', false)
            THEN 'countersign: nobody allowed this call with these arguments'
            WHEN 'TOOL_RESULT' = ANY (types)
            THEN 'countersign: the call has ended already'
            WHEN coalesce(said ->> 'executor', '') = ''
            THEN 'countersign: a claim names its executor'
        END

        -- A call whose executor was lost is let go by a person, and taken over by another executor. Both name
        -- the last claim, so each happens once for it.
        WHEN 'TOOL_EXECUTION_RELEASED' THEN CASE
            WHEN named IS NULL OR named IS DISTINCT FROM last_claim
            THEN 'countersign: that is not the last claim of this call'
            WHEN 'TOOL_RESULT' = ANY (types)
            THEN 'countersign: the call has ended already'
            WHEN NEW.principal NOT LIKE 'user:_%'
            THEN 'countersign: only a person releases a call'
        END

        WHEN 'TOOL_EXECUTION_TAKEN_OVER' THEN CASE
            WHEN named IS NULL OR named IS DISTINCT FROM last_claim
            THEN 'countersign: that is not the last claim of this call'
            WHEN 'TOOL_RESULT' = ANY (types)
            THEN 'countersign: the call has ended already'
            WHEN NOT coalesce(earlier ->> 'decision' IN ('allow_once', 'allow_session')
                AND earlier ->> 'argumentsHash' = said ->> 'argumentsHash', false)
            THEN 'countersign: nobody allowed this call with these arguments'
            WHEN coalesce(said ->> 'executor', '') = ''
            THEN 'countersign: a claim names its executor'
        END

        -- A result says how the call ended, and each way of ending has what must come before it.
        WHEN 'TOOL_RESULT' THEN CASE
            WHEN said -> 'content' IS NULL
            THEN 'countersign: a result has its content'
            WHEN NOT coalesce(CASE said ->> 'status'
                WHEN 'success' THEN 'TOOL_EXECUTION_STARTED' = ANY (types)
                WHEN 'error' THEN 'TOOL_EXECUTION_STARTED' = ANY (types)
                WHEN 'denied' THEN earlier ->> 'decision' = 'deny'
                WHEN 'expired' THEN earlier ->> 'decision' = 'deny' AND earlier ->> 'source' = 'expiry'
                WHEN 'cancelled' THEN 'TOOL_EXECUTION_STARTED' = ANY (types)
                    OR earlier ->> 'source' = 'cancellation' OR earlier ->> 'decision' <> 'deny'
            END, false)
            THEN 'countersign: this result does not follow from what came before'
        END
        END
    END;

    -- What was decided beforehand was decided by a person of this thread, about this tool, and in the same sense, and
    -- was not taken back. An approval of one call answers for another only where it moves there.
    IF NEW.type = 'TOOL_APPROVAL_RESPONSE' AND said ->> 'source' = 'grant' AND complaint IS NULL THEN
        complaint := CASE
            WHEN NOT EXISTS (
                SELECT FROM events g
                WHERE g.seq = named AND g.thread_id = NEW.thread_id AND g.type = 'TOOL_APPROVAL_RESPONSE'
                    AND g.data ->> 'source' = 'approver'
                    AND CASE
                        WHEN said ->> 'match' = 'once'
                        THEN said ->> 'decision' = 'allow_once' AND g.data ->> 'decision' = 'allow_once'
                        WHEN said ->> 'decision' = 'deny' THEN g.data ->> 'decision' = 'deny'
                        ELSE g.data ->> 'decision' = 'allow_session' END
                    AND earlier ->> 'name' = (
                        SELECT c.data ->> 'name' FROM events c
                        WHERE c.thread_id = g.thread_id AND c.tool_call_id = g.tool_call_id AND c.type = 'TOOL_CALL'))
            THEN 'countersign: nobody decided that beforehand in this thread'
            WHEN EXISTS (
                SELECT FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.type = 'GRANT_REVOKED'
                    AND e.data ->> 'grant' = said ->> 'grant')
            THEN 'countersign: the grant is revoked already'

            -- An approval that nobody used moves to one identical call, once its own call is over, and from there
            -- to another only if that one was not started either.
            WHEN said ->> 'match' = 'once' AND (
                EXISTS (
                    SELECT FROM events g
                    WHERE g.seq = named AND (
                        g.data ->> 'argumentsHash' <> said ->> 'argumentsHash'
                        OR NOT EXISTS (
                            SELECT FROM events t
                            WHERE t.thread_id = g.thread_id AND t.tool_call_id = g.tool_call_id
                                AND t.type = 'TOOL_RESULT')
                        OR EXISTS (
                            SELECT FROM events s
                            WHERE s.thread_id = g.thread_id AND s.tool_call_id = g.tool_call_id
                                AND s.type = 'TOOL_EXECUTION_STARTED')))
                OR EXISTS (
                    SELECT FROM events m
                    WHERE m.thread_id = NEW.thread_id AND m.type = 'TOOL_APPROVAL_RESPONSE'
                        AND m.data ->> 'match' = 'once' AND m.data ->> 'grant' = said ->> 'grant'
                        AND (NOT EXISTS (
                            SELECT FROM events t
                            WHERE t.thread_id = m.thread_id AND t.tool_call_id = m.tool_call_id
                                AND t.type = 'TOOL_RESULT')
                        OR EXISTS (
                            SELECT FROM events s
                            WHERE s.thread_id = m.thread_id AND s.tool_call_id = m.tool_call_id
                                AND s.type = 'TOOL_EXECUTION_STARTED'))))
            THEN 'countersign: that approval is used, or of another call'
        END;
    END IF;

    -- What is revoked is a grant of this thread or a denial that is remembered in it, and it is revoked once.
    IF NEW.type = 'GRANT_REVOKED' AND complaint IS NULL THEN
        complaint := CASE
            WHEN NOT EXISTS (
                SELECT FROM events e
                WHERE e.seq = named AND e.thread_id = NEW.thread_id AND e.type = 'TOOL_APPROVAL_RESPONSE'
                    AND e.data ->> 'source' = 'approver' AND (e.data ->> 'decision' = 'allow_session'
                        OR e.data ->> 'decision' = 'deny' AND e.data ->> 'match' IS NOT NULL))
            THEN 'countersign: that seq gave no grant in this thread'
            WHEN EXISTS (
                SELECT FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.type = 'GRANT_REVOKED'
                    AND e.data ->> 'grant' = said ->> 'grant')
            THEN 'countersign: the grant is revoked already'
        END;
    END IF;

    IF complaint IS NOT NULL THEN
        RAISE EXCEPTION '%', complaint USING ERRCODE = 'CS001';
    END IF;
    RETURN NEW;
END $$;

-- A request is due when it lapses, and before that when people are to be reminded and when it goes to a higher
-- level, each for as long as that has not happened.
DROP INDEX open_requests_by_expiry;

ALTER TABLE open_requests RENAME COLUMN expires_at TO due_at;

CREATE INDEX open_requests_by_due ON open_requests (due_at) WHERE due_at IS NOT NULL;

CREATE OR REPLACE FUNCTION a_row_takes_its_place() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    CASE NEW.type
    WHEN 'TOOL_APPROVAL_REQUEST' THEN
        INSERT INTO open_requests (seq, thread_id, tool_call_id, due_at)
        VALUES (NEW.seq, NEW.thread_id, NEW.tool_call_id, least(
            NEW.data ->> 'expiresAt', NEW.data ->> 'remindAt', NEW.data ->> 'escalateAt'));

    WHEN 'TOOL_APPROVAL_REMINDER', 'TOOL_APPROVAL_ESCALATED' THEN
        UPDATE open_requests o
        SET due_at = least(
            q.data ->> 'expiresAt',
            CASE WHEN NOT EXISTS (
                SELECT FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                    AND e.type = 'TOOL_APPROVAL_REMINDER') THEN q.data ->> 'remindAt' END,
            CASE WHEN NOT EXISTS (
                SELECT FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                    AND e.type = 'TOOL_APPROVAL_ESCALATED') THEN q.data ->> 'escalateAt' END)
        FROM events q
        WHERE q.thread_id = NEW.thread_id AND q.tool_call_id = NEW.tool_call_id
            AND q.type = 'TOOL_APPROVAL_REQUEST' AND o.seq = q.seq;

    WHEN 'TOOL_APPROVAL_RESPONSE' THEN
        DELETE FROM open_requests
        WHERE seq = (
            SELECT e.seq FROM events e
            WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                AND e.type = 'TOOL_APPROVAL_REQUEST');

    -- Nobody is left waiting in a closed thread.
    WHEN 'THREAD_CLOSED' THEN
        IF EXISTS (SELECT FROM open_requests o WHERE o.thread_id = NEW.thread_id) THEN
            RAISE EXCEPTION 'countersign: calls of this thread still wait for a decision' USING ERRCODE = 'CS001';
        END IF;
    END CASE;
    RETURN NULL;
END $$;

DROP TRIGGER a_row_takes_its_place ON events;

CREATE TRIGGER a_row_takes_its_place AFTER INSERT ON events
    FOR EACH ROW WHEN (NEW.type IN ('TOOL_APPROVAL_REQUEST', 'TOOL_APPROVAL_REMINDER', 'TOOL_APPROVAL_ESCALATED',
        'TOOL_APPROVAL_RESPONSE', 'THREAD_CLOSED'))
    EXECUTE FUNCTION a_row_takes_its_place();

ALTER TABLE events ENABLE ALWAYS TRIGGER a_row_takes_its_place;

CREATE OR REPLACE FUNCTION rows_by_hand_are_well_formed() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    said jsonb := document(NEW.data);
    call_id text := CASE
        WHEN NEW.type = 'TOOL_CALL' THEN said ->> 'id'
        WHEN NEW.type LIKE 'TOOL\_%' AND NEW.type <> 'TOOL_POLICY_SET' THEN said ->> 'toolCallId' END;
    complaint text := CASE
        WHEN NEW.thread_id IN ('.', '..') OR NOT is_name(NEW.thread_id)
        THEN 'countersign: a thread is named by 1 to 512 bytes without control characters'
        WHEN NOT is_name(NEW.principal)
        THEN 'countersign: a principal has at most 512 bytes and no control characters'
        WHEN NOT is_moment(NEW.timestamp)
        THEN 'countersign: leave timestamp out; it is now, in UTC and milliseconds'
        -- jsonb keeps the last of two keys alike, and json both.
        WHEN jsonb_typeof(said) = 'object' AND (
            SELECT count(*) <> count(DISTINCT key) FROM json_object_keys(readable(NEW.data)::json) key)
        THEN 'countersign: data has a key twice'
        WHEN call_id IS NOT NULL AND NEW.type <> 'TOOL_CALL' AND jsonb_typeof(said -> 'toolCallId') <> 'string'
        THEN 'countersign: toolCallId is a string'

        ELSE CASE NEW.type

        WHEN 'TOOL_CALL' THEN CASE
            WHEN jsonb_typeof(said -> 'id') <> 'string' OR jsonb_typeof(said -> 'name') <> 'string'
                OR said ->> 'name' = '' OR call_id IN ('.', '..')
                OR NOT is_name(call_id) OR NOT is_name(said ->> 'name')
            THEN 'countersign: id and name have 1 to 512 bytes without control characters'
            WHEN said ->> 'argumentsHash' ~ '[^0-9a-f]'
            THEN 'countersign: argumentsHash has 64 lower-case hexadecimal digits'
            WHEN jsonb_typeof(said -> 'description') <> 'string'
            THEN 'countersign: a description is a string'
        END

        WHEN 'TOOL_APPROVAL_REQUEST' THEN CASE
            WHEN jsonb_typeof(said -> 'reason') IS DISTINCT FROM 'string'
                OR jsonb_typeof(said -> 'options') IS DISTINCT FROM 'array'
                OR NOT coalesce(said ->> 'policy' ~ '^[0-9a-f]{64}$', false)
            THEN 'countersign: a request has reason, options and the policy''s hash'
            WHEN NOT is_moment(said ->> 'expiresAt')
            THEN 'countersign: expiresAt looks like 2026-01-31T12:00:00.000Z'
            WHEN said ?| ARRAY['quorum', 'denials', 'level', 'defaultLevel', 'approvers',
                'remindAt', 'escalateAt', 'escalateTo']
            THEN 'countersign: by hand, a request is for one person, and asks once'
        END

        WHEN 'TOOL_APPROVAL_VOTE'
        THEN 'countersign: by hand, nobody votes: decide with countersign'

        WHEN 'TOOL_APPROVAL_REMINDER'
        THEN 'countersign: by hand, nobody reminds or escalates'

        WHEN 'TOOL_APPROVAL_ESCALATED'
        THEN 'countersign: by hand, nobody reminds or escalates'

        WHEN 'TOOL_EXECUTION_RELEASED'
        THEN 'countersign: by hand, no call changes its executor: use countersign'

        WHEN 'TOOL_EXECUTION_TAKEN_OVER'
        THEN 'countersign: by hand, no call changes its executor: use countersign'

        -- Policies, grants and clocks do not type: by hand, people decide.
        WHEN 'TOOL_APPROVAL_RESPONSE' THEN CASE
            WHEN said ->> 'source' <> 'approver'
            THEN 'countersign: by hand, only a person decides'
            WHEN said -> 'arguments' IS NOT NULL
            THEN 'countersign: arguments cannot be changed by hand'
            WHEN jsonb_typeof(said -> 'comment') <> 'string'
            THEN 'countersign: a comment is a string'
            WHEN said -> 'match' IS NOT NULL
            THEN 'countersign: by hand, a decision has no match: decide with countersign'
            -- Who may decide, and what that takes beyond one person, only a process of ours can tell.
            WHEN EXISTS (
                SELECT FROM events q
                WHERE q.thread_id = NEW.thread_id AND q.tool_call_id = call_id
                    AND (q.type = 'TOOL_APPROVAL_ESCALATED' OR q.type = 'TOOL_APPROVAL_REQUEST' AND (
                        q.data -> 'quorum' > '1' OR q.data -> 'denials' > '1' OR q.data ->> 'level' IS NOT NULL
                        OR coalesce(q.data -> 'approvers', '[]') <> '[]')))
            THEN 'countersign: this call takes more than any one person: decide with countersign'
            WHEN EXISTS (
                SELECT FROM events q
                WHERE q.thread_id = NEW.thread_id AND q.tool_call_id = call_id
                    AND q.type = 'TOOL_APPROVAL_REQUEST'
                    AND q.data ->> 'expiresAt' <= to_char(
                        clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
            THEN 'countersign: the time to decide is over'
        END

        WHEN 'TOOL_EXECUTION_STARTED' THEN CASE
            WHEN jsonb_typeof(said -> 'executor') <> 'string'
            THEN 'countersign: a claim names its executor'
            WHEN NOT is_moment(said ->> 'leaseExpiresAt')
            THEN 'countersign: leaseExpiresAt looks like 2026-01-31T12:00:00.000Z'
        END
        END
    END;
BEGIN
    IF complaint IS NOT NULL THEN
        RAISE EXCEPTION '%', complaint USING ERRCODE = 'CS001';
    END IF;
    RETURN NEW;
END $$;

UPDATE layout SET oldest = 7;
