-- A thread's own settings: found without reading the thread, and guarded like everything else.
CREATE INDEX modes_of_thread ON events (thread_id)
    WHERE type = 'THREAD_MODE_SET';

CREATE INDEX policies_of_thread ON events (thread_id)
    WHERE type = 'TOOL_POLICY_SET';

-- They answer what is asked, so only people set them, in words that are known, while the thread is open.
CREATE TRIGGER settings_follow_the_rules BEFORE INSERT ON events
WHEN NEW.type = 'THREAD_MODE_SET' OR NEW.type = 'TOOL_POLICY_SET' BEGIN
    SELECT CASE
        WHEN NEW.principal NOT GLOB 'user:?*'
        THEN RAISE(ROLLBACK, 'countersign: only people set a mode or a policy')
        WHEN EXISTS (SELECT 1 FROM events e WHERE e.thread_id = NEW.thread_id AND e.type = 'THREAD_CLOSED')
        THEN RAISE(ROLLBACK, 'countersign: the thread is closed')
        WHEN NEW.type = 'THREAD_MODE_SET'
            AND coalesce(NEW.data ->> 'mode', '') NOT IN ('interactive', 'approve_all', 'auto_deny')
        THEN RAISE(ROLLBACK, 'countersign: a mode is interactive, approve_all or auto_deny')
        WHEN NEW.type = 'TOOL_POLICY_SET'
            AND coalesce(NEW.data ->> 'policy', '') NOT IN ('allow', 'require-approval', 'deny', 'default')
        THEN RAISE(ROLLBACK, 'countersign: a policy is allow, require-approval, deny or default')
        WHEN NEW.type = 'TOOL_POLICY_SET' AND (
            json_type(NEW.data, '$.tool') IS NOT 'text' OR NEW.data ->> 'tool' = ''
            OR length(CAST((NEW.data ->> 'tool') AS BLOB)) > 512 OR instr(CAST((NEW.data ->> 'tool') AS BLOB), x'00')
            OR (NEW.data ->> 'tool') GLOB '*[' || char(1, 45, 31, 127, 45, 159) || ']*')
        THEN RAISE(ROLLBACK, 'countersign: tool has 1 to 512 bytes without control characters')
    END;
END;

-- Where a process that is asked whether it is ready writes that it is. It says nothing about any call.
CREATE TABLE probe (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    written_at TEXT NOT NULL
) STRICT;
