-- A thread's own settings: found without reading the thread, and guarded like everything else.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Each ends in seq, as SQLite's do by themselves: the last one is the one that holds.
CREATE INDEX modes_of_thread ON events (thread_id, seq)
    WHERE type = 'THREAD_MODE_SET';

CREATE INDEX policies_of_thread ON events (thread_id, seq)
    WHERE type = 'TOOL_POLICY_SET';

-- They answer what is asked, so only people set them, in words that are known, while the thread is open.
CREATE FUNCTION settings_follow_the_rules() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    said jsonb := document(NEW.data);
    complaint text := CASE
        WHEN NEW.principal NOT LIKE 'user:_%'
        THEN 'countersign: only people set a mode or a policy'
        WHEN EXISTS (SELECT FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED')
        THEN 'countersign: the thread is closed'
        WHEN NEW.type = 'THREAD_MODE_SET'
            AND coalesce(said ->> 'mode', '') NOT IN ('interactive', 'approve_all', 'auto_deny')
        THEN 'countersign: a mode is interactive, approve_all or auto_deny'
        WHEN NEW.type = 'TOOL_POLICY_SET'
            AND coalesce(said ->> 'policy', '') NOT IN ('allow', 'require-approval', 'deny', 'default')
        THEN 'countersign: a policy is allow, require-approval, deny or default'
        WHEN NEW.type = 'TOOL_POLICY_SET' AND (
            jsonb_typeof(said -> 'tool') IS DISTINCT FROM 'string' OR said ->> 'tool' = ''
            OR NOT is_name(said ->> 'tool'))
        THEN 'countersign: tool has 1 to 512 bytes without control characters'
    END;
BEGIN
    IF complaint IS NOT NULL THEN
        RAISE EXCEPTION '%', complaint USING ERRCODE = 'CS001';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER settings_follow_the_rules BEFORE INSERT ON events
    FOR EACH ROW WHEN (NEW.type IN ('THREAD_MODE_SET', 'TOOL_POLICY_SET'))
    EXECUTE FUNCTION settings_follow_the_rules();

ALTER TABLE events ENABLE ALWAYS TRIGGER settings_follow_the_rules;

-- Where a process that is asked whether it is ready writes that it is. It says nothing about any call.
CREATE TABLE probe (
    id         integer PRIMARY KEY CHECK (id = 1),
    written_at text COLLATE "C" NOT NULL
);
