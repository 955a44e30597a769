-- What deciding needs: reminders and escalations, calls that are released and taken over, rounds of votes, and
-- decisions that answer for later calls. A program that does not know the new types cannot read such a log, so this
-- step leaves older ones out.

-- The words of the table itself are changed where they stand. That is safe for a CHECK that only admits more and for
-- a column that is computed when it is read and changes in no row that there is; to copy the table would take as
-- long as the log is long. What stands on the column is taken away before, and made again after.
DROP TRIGGER rows_follow_the_rules;
DROP TRIGGER a_row_takes_its_place;
DROP TRIGGER rows_by_hand_are_well_formed;
DROP INDEX one_of_each;

PRAGMA writable_schema = ON;

UPDATE sqlite_schema
SET sql = replace(replace(sql,
    '''TOOL_EXECUTION_STARTED'', ''TOOL_RESULT'', ',
    '''TOOL_EXECUTION_STARTED'', ''TOOL_RESULT'', ''TOOL_APPROVAL_REMINDER'', ''TOOL_APPROVAL_ESCALATED'',
        ''TOOL_EXECUTION_RELEASED'', ''TOOL_EXECUTION_TAKEN_OVER'', '),
    'OR type = ''TOOL_EXECUTION_STARTED'' OR type = ''TOOL_RESULT'' THEN',
    'OR type = ''TOOL_EXECUTION_STARTED'' OR type = ''TOOL_RESULT''
                OR type = ''TOOL_APPROVAL_REMINDER'' OR type = ''TOOL_APPROVAL_ESCALATED''
                OR type = ''TOOL_EXECUTION_RELEASED'' OR type = ''TOOL_EXECUTION_TAKEN_OVER'' THEN')
WHERE type = 'table' AND name = 'events';

-- Reads the schema anew, here and now; other connections see by its number that it has changed.
PRAGMA writable_schema = RESET;

-- A call has at most one of each type of event; but an approver votes once in each round, and each claim is
-- released once and taken over once. The same index finds a call's events, as before.
CREATE UNIQUE INDEX one_of_each ON events (
    thread_id, tool_call_id, type, (CASE type
        WHEN 'TOOL_APPROVAL_VOTE' THEN coalesce(data ->> 'round', 0) || ' ' || principal
        WHEN 'TOOL_EXECUTION_RELEASED' THEN data ->> 'claim'
        WHEN 'TOOL_EXECUTION_TAKEN_OVER' THEN data ->> 'claim'
        ELSE '' END))
    WHERE tool_call_id IS NOT NULL;

-- A thread's denials that are remembered until they are revoked.
CREATE INDEX denials_of_thread ON events (thread_id)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND data ->> 'decision' = 'deny' AND data ->> 'match' IS NOT NULL;

-- What people decided of late in a thread, and the approvals that have moved.
CREATE INDEX decisions_of_thread ON events (thread_id, data ->> 'argumentsHash', timestamp)
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'source' = 'approver' OR data ->> 'match' = 'once');

-- Where an approval has moved to.
CREATE INDEX moves_of_approval ON events (thread_id, data ->> 'grant')
    WHERE type = 'TOOL_APPROVAL_RESPONSE' AND data ->> 'match' = 'once';

-- The guards, with what is new in them.
CREATE TRIGGER rows_follow_the_rules BEFORE INSERT ON events BEGIN

    -- INSERT OR REPLACE deletes without asking the trigger above, so what it would replace is refused here.
    SELECT RAISE(ROLLBACK, 'countersign: this seq is taken, and events are never changed')
    WHERE EXISTS (SELECT 1 FROM events e WHERE e.seq = NEW.seq);

    -- What is said of a call must follow from what was said of it before. One look at the index
    -- one_of_each tells which events the call has; only those whose data matters are read.
    SELECT CASE
        WHEN has_same_type AND CASE NEW.type
            WHEN 'TOOL_APPROVAL_VOTE' THEN EXISTS (
                SELECT 1 FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = NEW.type
                    AND e.principal = NEW.principal
                    AND coalesce(e.data ->> 'round', 0) = coalesce(NEW.data ->> 'round', 0))
            WHEN 'TOOL_EXECUTION_RELEASED' THEN EXISTS (
                SELECT 1 FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = NEW.type
                    AND e.data ->> 'claim' = NEW.data ->> 'claim')
            WHEN 'TOOL_EXECUTION_TAKEN_OVER' THEN EXISTS (
                SELECT 1 FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id AND e.type = NEW.type
                    AND e.data ->> 'claim' = NEW.data ->> 'claim')
            ELSE 1 END
        THEN RAISE(ROLLBACK, 'countersign: the call has an event of this type already')

        -- Everything about a call comes after the call itself, in the same thread.
        WHEN call_seq IS NULL AND NEW.type <> 'TOOL_CALL' AND NEW.tool_call_id IS NOT NULL
        THEN RAISE(ROLLBACK, 'countersign: the thread has no such call')

        -- Nothing starts in a closed thread.
        WHEN (NEW.type = 'TOOL_CALL' OR NEW.type = 'TOOL_EXECUTION_STARTED'
            OR NEW.type = 'TOOL_EXECUTION_TAKEN_OVER') AND EXISTS (
            SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED')
        THEN RAISE(ROLLBACK, 'countersign: the thread is closed')

        ELSE CASE NEW.type

        WHEN 'TOOL_CALL' THEN CASE
            WHEN json_type(NEW.data, '$.arguments') IS NULL OR NEW.data ->> 'name' IS NULL
                OR length(NEW.data ->> 'argumentsHash') IS NOT 64
            THEN RAISE(ROLLBACK, 'countersign: a TOOL_CALL has id, name, arguments and argumentsHash')
        END

        -- People are asked about, and vote on, what is not decided.
        WHEN 'TOOL_APPROVAL_REQUEST' THEN CASE
            WHEN response_seq IS NOT NULL
            THEN RAISE(ROLLBACK, 'countersign: the call is decided already')
        END

        WHEN 'TOOL_APPROVAL_VOTE' THEN CASE
            WHEN response_seq IS NOT NULL
            THEN RAISE(ROLLBACK, 'countersign: the call is decided already')
            WHEN request_seq IS NULL
            THEN RAISE(ROLLBACK, 'countersign: nobody was asked about this call')
            WHEN NEW.principal NOT GLOB 'user:?*' OR NEW.principal = (
                SELECT e.principal FROM events e WHERE e.seq = call_seq)
            THEN RAISE(ROLLBACK, 'countersign: a person votes, and never the one who proposed')
            WHEN coalesce(NEW.data ->> 'decision', '') NOT IN ('allow_once', 'allow_session', 'deny')
            THEN RAISE(ROLLBACK, 'countersign: a decision is allow_once, allow_session or deny')
            WHEN NEW.data ->> 'argumentsHash' IS NOT NULL AND (
                length(NEW.data ->> 'argumentsHash') <> 64 OR NEW.data ->> 'argumentsHash' GLOB '*[^0-9a-f]*')
            THEN RAISE(ROLLBACK, 'countersign: argumentsHash has 64 lower-case hexadecimal digits')
            WHEN json_type(NEW.data, '$.round') <> 'integer' OR NEW.data ->> 'round' < 0
            THEN RAISE(ROLLBACK, 'countersign: a round is a number from 0 on')
        END

        -- The clock asks once more, or somebody else, for as long as nobody has decided.
        WHEN 'TOOL_APPROVAL_REMINDER' THEN CASE
            WHEN response_seq IS NOT NULL
            THEN RAISE(ROLLBACK, 'countersign: the call is decided already')
            WHEN request_seq IS NULL
            THEN RAISE(ROLLBACK, 'countersign: nobody was asked about this call')
            WHEN NEW.principal NOT GLOB 'system:?*'
            THEN RAISE(ROLLBACK, 'countersign: nobody but the clock reminds and escalates')
        END

        WHEN 'TOOL_APPROVAL_ESCALATED' THEN CASE
            WHEN response_seq IS NOT NULL
            THEN RAISE(ROLLBACK, 'countersign: the call is decided already')
            WHEN request_seq IS NULL
            THEN RAISE(ROLLBACK, 'countersign: nobody was asked about this call')
            WHEN NEW.principal NOT GLOB 'system:?*'
            THEN RAISE(ROLLBACK, 'countersign: nobody but the clock reminds and escalates')
            WHEN json_type(NEW.data, '$.level') IS NOT 'text' OR NEW.data ->> 'level' = ''
            THEN RAISE(ROLLBACK, 'countersign: an escalation names its level')
        END

        -- A response is about what was proposed, and a person who gives it is not the one who proposed it.
        WHEN 'TOOL_APPROVAL_RESPONSE' THEN CASE
            WHEN CASE NEW.data ->> 'decision'
                WHEN 'allow_once' THEN 0 WHEN 'allow_session' THEN 0 WHEN 'deny' THEN 0 ELSE 1 END
            THEN RAISE(ROLLBACK, 'countersign: a decision is allow_once, allow_session or deny')
            WHEN CASE NEW.data ->> 'source'
                WHEN 'approver' THEN 0 WHEN 'policy' THEN 0 WHEN 'grant' THEN 0
                WHEN 'mode' THEN 0 WHEN 'expiry' THEN 0 WHEN 'cancellation' THEN 0 ELSE 1 END
            THEN RAISE(ROLLBACK, 'countersign: a source is approver, policy, grant, mode, expiry or cancellation')
            WHEN length(NEW.data ->> 'argumentsHash') IS NOT 64
            THEN RAISE(ROLLBACK, 'countersign: argumentsHash is the SHA-256 of what may run')
            WHEN json_type(NEW.data, '$.arguments') IS NULL AND NEW.data ->> 'argumentsHash' <> (
                SELECT e.data ->> 'argumentsHash' FROM events e WHERE e.seq = call_seq)
            THEN RAISE(ROLLBACK, 'countersign: argumentsHash is not that of the proposed arguments')
            WHEN NEW.data ->> 'source' = 'approver' AND (NEW.principal NOT GLOB 'user:?*' OR NEW.principal = (
                SELECT e.principal FROM events e WHERE e.seq = call_seq))
            THEN RAISE(ROLLBACK, 'countersign: a person decides, and never the one who proposed')

            -- Where it takes several, they have voted by now, in the last round: a change of the arguments
            -- begins a round, and what was said before it counts no more.
            WHEN NEW.data ->> 'source' = 'approver' AND EXISTS (
                SELECT 1 FROM events q
                WHERE q.seq = request_seq
                    AND (q.data ->> 'quorum' > 1 OR NEW.data ->> 'decision' = 'deny' AND q.data ->> 'denials' > 1)
                    AND CASE NEW.data ->> 'decision'
                        WHEN 'deny' THEN coalesce(q.data ->> 'denials', 1)
                        ELSE q.data ->> 'quorum' END > (
                        SELECT count(DISTINCT v.principal) FROM events v
                        WHERE v.thread_id = NEW.thread_id AND v.tool_call_id = NEW.tool_call_id
                            AND v.type = 'TOOL_APPROVAL_VOTE'
                            AND CASE NEW.data ->> 'decision'
                                WHEN 'deny' THEN v.data ->> 'decision' = 'deny'
                                ELSE v.data ->> 'decision' IN ('allow_once', 'allow_session') END
                            AND coalesce(v.data ->> 'round', 0) = (
                                SELECT max(coalesce(r.data ->> 'round', 0)) FROM events r
                                WHERE r.thread_id = NEW.thread_id AND r.tool_call_id = NEW.tool_call_id
                                    AND r.type = 'TOOL_APPROVAL_VOTE')))
            THEN RAISE(ROLLBACK, 'countersign: this decision takes the votes of more people')

            -- What was decided beforehand was decided by a person of this thread, about this tool, and in the
            -- same sense, and was not taken back. An approval of one call answers for another only where it
            -- moves there.
            WHEN NEW.data ->> 'source' = 'grant' AND NOT EXISTS (
                SELECT 1 FROM events g
                WHERE g.seq = NEW.data ->> 'grant' AND json_type(NEW.data, '$.grant') = 'integer'
                    AND g.thread_id = NEW.thread_id AND g.type = 'TOOL_APPROVAL_RESPONSE'
                    AND g.data ->> 'source' = 'approver'
                    AND CASE
                        WHEN NEW.data ->> 'match' = 'once'
                        THEN NEW.data ->> 'decision' = 'allow_once' AND g.data ->> 'decision' = 'allow_once'
                        WHEN NEW.data ->> 'decision' = 'deny' THEN g.data ->> 'decision' = 'deny'
                        ELSE g.data ->> 'decision' = 'allow_session' END
                    AND (SELECT c.data ->> 'name' FROM events c WHERE c.seq = call_seq) = (
                        SELECT c.data ->> 'name' FROM events c
                        WHERE c.thread_id = g.thread_id AND c.tool_call_id = g.tool_call_id AND c.type = 'TOOL_CALL'))
            THEN RAISE(ROLLBACK, 'countersign: nobody decided that beforehand in this thread')
            WHEN NEW.data ->> 'source' = 'grant' AND EXISTS (
                SELECT 1 FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.type = 'GRANT_REVOKED'
                    AND e.data ->> 'grant' = NEW.data ->> 'grant')
            THEN RAISE(ROLLBACK, 'countersign: the grant is revoked already')

            -- An approval that nobody used moves to one identical call, once its own call is over, and from
            -- there to another only if that one was not started either.
            WHEN NEW.data ->> 'source' = 'grant' AND NEW.data ->> 'match' = 'once' AND (
                EXISTS (
                    SELECT 1 FROM events g
                    WHERE g.seq = NEW.data ->> 'grant' AND (
                        g.data ->> 'argumentsHash' <> NEW.data ->> 'argumentsHash'
                        OR NOT EXISTS (
                            SELECT 1 FROM events t
                            WHERE t.thread_id = g.thread_id AND t.tool_call_id = g.tool_call_id
                                AND t.type = 'TOOL_RESULT')
                        OR EXISTS (
                            SELECT 1 FROM events s
                            WHERE s.thread_id = g.thread_id AND s.tool_call_id = g.tool_call_id
                                AND s.type = 'TOOL_EXECUTION_STARTED')))
                OR EXISTS (
                    SELECT 1 FROM events m
                    WHERE m.thread_id = NEW.thread_id AND m.type = 'TOOL_APPROVAL_RESPONSE'
                        AND m.data ->> 'match' = 'once' AND m.data ->> 'grant' = NEW.data ->> 'grant'
                        AND (NOT EXISTS (
                            SELECT 1 FROM events t
                            WHERE t.thread_id = m.thread_id AND t.tool_call_id = m.tool_call_id
                                AND t.type = 'TOOL_RESULT')
                        OR EXISTS (
                            SELECT 1 FROM events s
                            WHERE s.thread_id = m.thread_id AND s.tool_call_id = m.tool_call_id
                                AND s.type = 'TOOL_EXECUTION_STARTED'))))
            THEN RAISE(ROLLBACK, 'countersign: that approval is used, or of another call')
        END

        -- A claim needs an approval of just these arguments.
        WHEN 'TOOL_EXECUTION_STARTED' THEN CASE
            WHEN NOT EXISTS (
                SELECT 1 FROM events e
                WHERE e.seq = response_seq AND e.data ->> 'decision' IN ('allow_once', 'allow_session')
                    AND e.data ->> 'argumentsHash' = NEW.data ->> 'argumentsHash')
            THEN RAISE(ROLLBACK, 'countersign: nobody allowed this call with these arguments')
            WHEN has_result
            THEN RAISE(ROLLBACK, 'countersign: the call has ended already')
            WHEN coalesce(NEW.data ->> 'executor', '') = ''
            THEN RAISE(ROLLBACK, 'countersign: a claim names its executor')
        END

        -- A call whose executor was lost is let go by a person, and taken over by another executor. Both name
        -- the last claim, so each happens once for it.
        WHEN 'TOOL_EXECUTION_RELEASED' THEN CASE
            WHEN json_type(NEW.data, '$.claim') IS NOT 'integer' OR NEW.data ->> 'claim' IS NOT claim_seq
            THEN RAISE(ROLLBACK, 'countersign: that is not the last claim of this call')
            WHEN has_result
            THEN RAISE(ROLLBACK, 'countersign: the call has ended already')
            WHEN NEW.principal NOT GLOB 'user:?*'
            THEN RAISE(ROLLBACK, 'countersign: only a person releases a call')
        END

        WHEN 'TOOL_EXECUTION_TAKEN_OVER' THEN CASE
            WHEN json_type(NEW.data, '$.claim') IS NOT 'integer' OR NEW.data ->> 'claim' IS NOT claim_seq
            THEN RAISE(ROLLBACK, 'countersign: that is not the last claim of this call')
            WHEN has_result
            THEN RAISE(ROLLBACK, 'countersign: the call has ended already')
            WHEN NOT EXISTS (
                SELECT 1 FROM events e
                WHERE e.seq = response_seq AND e.data ->> 'decision' IN ('allow_once', 'allow_session')
                    AND e.data ->> 'argumentsHash' = NEW.data ->> 'argumentsHash')
            THEN RAISE(ROLLBACK, 'countersign: nobody allowed this call with these arguments')
            WHEN coalesce(NEW.data ->> 'executor', '') = ''
            THEN RAISE(ROLLBACK, 'countersign: a claim names its executor')
        END

        -- A result says how the call ended, and each way of ending has what must come before it.
        WHEN 'TOOL_RESULT' THEN CASE
            WHEN json_type(NEW.data, '$.content') IS NULL
            THEN RAISE(ROLLBACK, 'countersign: a result has its content')
            WHEN NOT CASE NEW.data ->> 'status'
                WHEN 'success' THEN has_started
                WHEN 'error' THEN has_started
                WHEN 'denied' THEN EXISTS (
                    SELECT 1 FROM events e WHERE e.seq = response_seq AND e.data ->> 'decision' = 'deny')
                WHEN 'expired' THEN EXISTS (
                    SELECT 1 FROM events e WHERE e.seq = response_seq AND e.data ->> 'decision' = 'deny'
                        AND e.data ->> 'source' = 'expiry')
                WHEN 'cancelled' THEN has_started OR EXISTS (
                    SELECT 1 FROM events e WHERE e.seq = response_seq AND (
                        e.data ->> 'source' = 'cancellation' OR e.data ->> 'decision' <> 'deny'))
                ELSE 0
            END
            THEN RAISE(ROLLBACK, 'countersign: this result does not follow from what came before')
        END
        END
    END
    FROM (
        SELECT
            max(e.seq) FILTER (WHERE e.type = 'TOOL_CALL') AS call_seq,
            max(e.seq) FILTER (WHERE e.type = 'TOOL_APPROVAL_RESPONSE') AS response_seq,
            max(e.seq) FILTER (WHERE e.type = 'TOOL_APPROVAL_REQUEST') AS request_seq,
            max(e.seq) FILTER (
                WHERE e.type = 'TOOL_EXECUTION_STARTED' OR e.type = 'TOOL_EXECUTION_TAKEN_OVER') AS claim_seq,
            count(*) FILTER (WHERE e.type = 'TOOL_EXECUTION_STARTED') AS has_started,
            count(*) FILTER (WHERE e.type = 'TOOL_RESULT') AS has_result,
            count(*) FILTER (WHERE e.type = NEW.type) AS has_same_type
        FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id)
    WHERE NEW.type GLOB 'TOOL_*';

    -- A thread closes once.
    SELECT RAISE(ROLLBACK, 'countersign: the thread is closed')
    WHERE NEW.type = 'THREAD_CLOSED' AND EXISTS (
        SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED');

    -- What is revoked is a grant of this thread or a denial that is remembered in it, and it is revoked once.
    SELECT CASE
        WHEN NOT EXISTS (
            SELECT 1 FROM events e
            WHERE e.seq = NEW.data ->> 'grant' AND json_type(NEW.data, '$.grant') = 'integer' AND e.thread_id = NEW.thread_id
                AND e.type = 'TOOL_APPROVAL_RESPONSE'
                AND e.data ->> 'source' = 'approver' AND (e.data ->> 'decision' = 'allow_session'
                    OR e.data ->> 'decision' = 'deny' AND e.data ->> 'match' IS NOT NULL))
        THEN RAISE(ROLLBACK, 'countersign: that seq gave no grant in this thread')
        WHEN EXISTS (
            SELECT 1 FROM events e
            WHERE e.thread_id = NEW.thread_id AND e.type = 'GRANT_REVOKED'
                AND e.data ->> 'grant' = NEW.data ->> 'grant')
        THEN RAISE(ROLLBACK, 'countersign: the grant is revoked already')
    END
    WHERE NEW.type = 'GRANT_REVOKED';
END;

-- A request is due when it lapses, and before that when people are to be reminded and when it goes to a higher
-- level, each for as long as that has not happened.
DROP INDEX open_requests_by_expiry;

ALTER TABLE open_requests RENAME COLUMN expires_at TO due_at;

CREATE INDEX open_requests_by_due ON open_requests (due_at) WHERE due_at IS NOT NULL;

CREATE TRIGGER a_row_takes_its_place AFTER INSERT ON events BEGIN

    -- Numbers have no gaps, so that a reader who has seen n knows that n + 1 comes next.
    SELECT RAISE(ROLLBACK, 'countersign: leave seq out; it is the next number')
    WHERE NEW.seq - 1 <> coalesce((SELECT seq FROM events WHERE seq <> NEW.seq ORDER BY seq DESC LIMIT 1), 0);

    INSERT INTO open_requests (seq, thread_id, tool_call_id, due_at)
    SELECT NEW.seq, NEW.thread_id, NEW.tool_call_id, (
        SELECT min(at) FROM (
            SELECT NEW.data ->> 'expiresAt' AS at
            UNION ALL SELECT NEW.data ->> 'remindAt'
            UNION ALL SELECT NEW.data ->> 'escalateAt'))
    WHERE NEW.type = 'TOOL_APPROVAL_REQUEST';

    UPDATE open_requests
    SET due_at = (
        SELECT min(at) FROM (
            SELECT q.data ->> 'expiresAt' AS at FROM events q WHERE q.seq = open_requests.seq
            UNION ALL
            SELECT q.data ->> 'remindAt' FROM events q
            WHERE q.seq = open_requests.seq AND NOT EXISTS (
                SELECT 1 FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                    AND e.type = 'TOOL_APPROVAL_REMINDER')
            UNION ALL
            SELECT q.data ->> 'escalateAt' FROM events q
            WHERE q.seq = open_requests.seq AND NOT EXISTS (
                SELECT 1 FROM events e
                WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
                    AND e.type = 'TOOL_APPROVAL_ESCALATED')))
    WHERE (NEW.type = 'TOOL_APPROVAL_REMINDER' OR NEW.type = 'TOOL_APPROVAL_ESCALATED') AND seq = (
        SELECT e.seq FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
            AND e.type = 'TOOL_APPROVAL_REQUEST');

    DELETE FROM open_requests
    WHERE NEW.type = 'TOOL_APPROVAL_RESPONSE' AND seq = (
        SELECT e.seq FROM events e
        WHERE e.thread_id = NEW.thread_id AND e.tool_call_id = NEW.tool_call_id
            AND e.type = 'TOOL_APPROVAL_REQUEST');

    -- Nobody is left waiting in a closed thread.
    SELECT RAISE(ROLLBACK, 'countersign: calls of this thread still wait for a decision')
    WHERE NEW.type = 'THREAD_CLOSED' AND EXISTS (SELECT 1 FROM open_requests o WHERE o.thread_id = NEW.thread_id);
END;

CREATE TRIGGER rows_by_hand_are_well_formed BEFORE INSERT ON events WHEN NEW.hash IS NULL BEGIN

    SELECT CASE
        WHEN NEW.thread_id = '.' OR NEW.thread_id = '..' OR length(CAST(NEW.thread_id AS BLOB)) > 512 OR instr(CAST(NEW.thread_id AS BLOB), x'00')
                OR NEW.thread_id GLOB '*[' || char(1, 45, 31, 127, 45, 159) || ']*'
        THEN RAISE(ROLLBACK, 'countersign: a thread is named by 1 to 512 bytes without control characters')
        WHEN length(CAST(NEW.principal AS BLOB)) > 512 OR instr(CAST(NEW.principal AS BLOB), x'00')
                OR NEW.principal GLOB '*[' || char(1, 45, 31, 127, 45, 159) || ']*'
        THEN RAISE(ROLLBACK, 'countersign: a principal has at most 512 bytes and no control characters')
        WHEN strftime('%Y-%m-%dT%H:%M:%fZ', NEW.timestamp) IS NOT NEW.timestamp
        THEN RAISE(ROLLBACK, 'countersign: leave timestamp out; it is now, in UTC and milliseconds')
        WHEN instr(CAST(NEW.data AS BLOB), x'00')
        THEN RAISE(ROLLBACK, 'countersign: data holds a NUL')
        WHEN json_type(NEW.data) = 'object'
            AND (SELECT count(*) <> count(DISTINCT key) FROM json_each(NEW.data))
        THEN RAISE(ROLLBACK, 'countersign: data has a key twice')
        WHEN NEW.tool_call_id IS NOT NULL AND NEW.type <> 'TOOL_CALL'
            AND coalesce(json_type(NEW.data, '$.toolCallId'), 'text') <> 'text'
        THEN RAISE(ROLLBACK, 'countersign: toolCallId is a string')
    END;

    SELECT CASE NEW.type

        WHEN 'TOOL_CALL' THEN CASE
            WHEN coalesce(json_type(NEW.data, '$.id'), 'text') <> 'text'
                OR coalesce(json_type(NEW.data, '$.name'), 'text') <> 'text'
                OR NEW.data ->> 'name' = '' OR NEW.tool_call_id = '.' OR NEW.tool_call_id = '..'
                OR length(CAST(NEW.tool_call_id AS BLOB)) > 512 OR instr(CAST(NEW.tool_call_id AS BLOB), x'00')
                OR NEW.tool_call_id GLOB '*[' || char(1, 45, 31, 127, 45, 159) || ']*'
                OR length(CAST((NEW.data ->> 'name') AS BLOB)) > 512 OR instr(CAST((NEW.data ->> 'name') AS BLOB), x'00')
                OR (NEW.data ->> 'name') GLOB '*[' || char(1, 45, 31, 127, 45, 159) || ']*'
            THEN RAISE(ROLLBACK, 'countersign: id and name have 1 to 512 bytes without control characters')
            WHEN NEW.data ->> 'argumentsHash' GLOB '*[^0-9a-f]*'
            THEN RAISE(ROLLBACK, 'countersign: argumentsHash has 64 lower-case hexadecimal digits')
            WHEN coalesce(json_type(NEW.data, '$.description'), 'text') <> 'text'
            THEN RAISE(ROLLBACK, 'countersign: a description is a string')
        END

        WHEN 'TOOL_APPROVAL_REQUEST' THEN CASE
            WHEN json_type(NEW.data, '$.reason') IS NOT 'text' OR json_type(NEW.data, '$.options') IS NOT 'array'
                OR length(NEW.data ->> 'policy') IS NOT 64 OR NEW.data ->> 'policy' GLOB '*[^0-9a-f]*'
            THEN RAISE(ROLLBACK, 'countersign: a request has reason, options and the policy''s hash')
            WHEN NEW.data ->> 'expiresAt' IS NOT NULL
                AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.data ->> 'expiresAt') IS NOT NEW.data ->> 'expiresAt'
            THEN RAISE(ROLLBACK, 'countersign: expiresAt looks like 2026-01-31T12:00:00.000Z')
            WHEN EXISTS (
                SELECT 1 FROM json_each(NEW.data)
                WHERE key IN ('quorum', 'denials', 'level', 'defaultLevel', 'approvers',
                    'remindAt', 'escalateAt', 'escalateTo'))
            THEN RAISE(ROLLBACK, 'countersign: by hand, a request is for one person, and asks once')
        END

        WHEN 'TOOL_APPROVAL_VOTE'
        THEN RAISE(ROLLBACK, 'countersign: by hand, nobody votes: decide with countersign')

        WHEN 'TOOL_APPROVAL_REMINDER'
        THEN RAISE(ROLLBACK, 'countersign: by hand, nobody reminds or escalates')

        WHEN 'TOOL_APPROVAL_ESCALATED'
        THEN RAISE(ROLLBACK, 'countersign: by hand, nobody reminds or escalates')

        WHEN 'TOOL_EXECUTION_RELEASED'
        THEN RAISE(ROLLBACK, 'countersign: by hand, no call changes its executor: use countersign')

        WHEN 'TOOL_EXECUTION_TAKEN_OVER'
        THEN RAISE(ROLLBACK, 'countersign: by hand, no call changes its executor: use countersign')

        -- Policies, grants and clocks do not type: by hand, people decide.
        WHEN 'TOOL_APPROVAL_RESPONSE' THEN CASE
            WHEN NEW.data ->> 'source' <> 'approver'
            THEN RAISE(ROLLBACK, 'countersign: by hand, only a person decides')
            WHEN json_type(NEW.data, '$.arguments') IS NOT NULL
            THEN RAISE(ROLLBACK, 'countersign: arguments cannot be changed by hand')
            WHEN coalesce(json_type(NEW.data, '$.comment'), 'text') <> 'text'
            THEN RAISE(ROLLBACK, 'countersign: a comment is a string')
            WHEN json_type(NEW.data, '$.match') IS NOT NULL
            THEN RAISE(ROLLBACK, 'countersign: by hand, a decision has no match: decide with countersign')
            -- Who may decide, and what that takes beyond one person, only a process of ours can tell.
            WHEN EXISTS (
                SELECT 1 FROM events q
                WHERE q.thread_id = NEW.thread_id AND q.tool_call_id = NEW.tool_call_id
                    AND (q.type = 'TOOL_APPROVAL_ESCALATED' OR q.type = 'TOOL_APPROVAL_REQUEST' AND (
                        q.data ->> 'quorum' > 1 OR q.data ->> 'denials' > 1 OR q.data ->> 'level' IS NOT NULL
                        OR coalesce(q.data -> 'approvers', '[]') <> '[]')))
            THEN RAISE(ROLLBACK, 'countersign: this call takes more than any one person: decide with countersign')
            WHEN EXISTS (
                SELECT 1 FROM events q
                WHERE q.thread_id = NEW.thread_id AND q.tool_call_id = NEW.tool_call_id
                    AND q.type = 'TOOL_APPROVAL_REQUEST'
                    AND q.data ->> 'expiresAt' <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
            THEN RAISE(ROLLBACK, 'countersign: the time to decide is over')
        END

        WHEN 'TOOL_EXECUTION_STARTED' THEN CASE
            WHEN coalesce(json_type(NEW.data, '$.executor'), 'text') <> 'text'
            THEN RAISE(ROLLBACK, 'countersign: a claim names its executor')
            WHEN NEW.data ->> 'leaseExpiresAt' IS NOT NULL
                AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.data ->> 'leaseExpiresAt') IS NOT NEW.data ->> 'leaseExpiresAt'
            THEN RAISE(ROLLBACK, 'countersign: leaseExpiresAt looks like 2026-01-31T12:00:00.000Z')
        END
    END;
END;

UPDATE layout SET oldest = 7;
