-- What always holds, held by the database too: whoever writes, by whatever means.
--
-- A guard raises an error of SQLSTATE CS001, which tells it from all other trouble. An error ends the whole
-- transaction, or goes back to the savepoint that somebody has set, so that nothing of what led to a forbidden
-- row stays.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE FUNCTION rows_stay() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION '%', CASE TG_OP
        WHEN 'UPDATE' THEN 'countersign: events are never changed'
        ELSE 'countersign: events are never deleted' END USING ERRCODE = 'CS001';
END $$;

-- By the statement, which also refuses ON CONFLICT DO UPDATE and TRUNCATE, whatever they would meet, and by
-- the row, because a subscription applies the changes of another database row by row.
CREATE TRIGGER rows_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION rows_stay();

CREATE TRIGGER each_row_stays BEFORE UPDATE OR DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION rows_stay();

ALTER TABLE events ENABLE ALWAYS TRIGGER rows_stay;
ALTER TABLE events ENABLE ALWAYS TRIGGER each_row_stays;

-- Whoever is granted more by mistake stands before the triggers; nobody is granted it by default.
REVOKE UPDATE, DELETE, TRUNCATE ON events FROM PUBLIC;

-- One look at the log serves all rules, and the JSON is read once: both cost more here than the rules do. A
-- generated column is still empty in a BEFORE trigger, so the call is read from the JSON as well. A function that
-- is not declared STABLE sees what the statement that calls it has inserted so far, and what others committed
-- before it got the lock.
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
        WHEN 'TOOL_RESULT' THEN CASE
            WHEN said ->> 'status' NOT IN ('success', 'error') THEN 'TOOL_APPROVAL_RESPONSE' END
    END;
    earlier_data text;
    earlier jsonb;
    tip bigint;
    proposer text;
    is_closed boolean;
    types text[];
    complaint text;
BEGIN
    SELECT
        (SELECT l.seq FROM events l ORDER BY l.seq DESC LIMIT 1),
        CASE WHEN NEW.type IN ('TOOL_CALL', 'TOOL_EXECUTION_STARTED', 'THREAD_CLOSED') THEN EXISTS (
            SELECT FROM events c WHERE c.thread_id = NEW.thread_id AND c.type = 'THREAD_CLOSED') END,
        max(e.principal) FILTER (WHERE e.type = 'TOOL_CALL'),
        max(e.data) FILTER (WHERE e.type = earlier_type),
        coalesce(array_agg(e.type) FILTER (
            WHERE e.type <> 'TOOL_APPROVAL_VOTE' OR e.principal = NEW.principal), '{}')
    INTO tip, is_closed, proposer, earlier_data, types
    FROM events e
    WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = call_id;

    tip := coalesce(tip, 0);
    NEW.seq := coalesce(NEW.seq, tip + 1);
    earlier := document(earlier_data);

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

    -- What is revoked is a grant of this thread, and it is revoked once. Only json keeps how a number is spelled,
    -- and jsonb would take 5e0 for the integer that it is not.
    IF NEW.type = 'GRANT_REVOKED' AND complaint IS NULL THEN
        complaint := CASE
            WHEN NOT coalesce(readable(NEW.data)::json ->> 'grant' ~ '^[1-9][0-9]{0,17}$'
                AND jsonb_typeof(said -> 'grant') = 'number', false)
                OR NOT EXISTS (
                SELECT FROM events e
                WHERE e.seq = (said ->> 'grant')::numeric::bigint AND e.thread_id = NEW.thread_id
                    AND e.type = 'TOOL_APPROVAL_RESPONSE'
                    AND e.data ->> 'decision' = 'allow_session' AND e.data ->> 'source' = 'approver')
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
