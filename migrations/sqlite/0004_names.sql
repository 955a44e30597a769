-- A name belongs to one person in every spelling. SQLite folds only ASCII, so this accepts what it can compare, if a person
-- proposed the call: a proposer in ASCII, and a decider without the letters that `decide_by_hand` accepts and that may fold to
-- ASCII (ß, and those after Latin-1).
CREATE TRIGGER decide_as_another_person INSTEAD OF INSERT ON decisions
WHEN NEW.principal GLOB '*,*' OR EXISTS (
    SELECT 1 FROM events c
    WHERE c.type = 'TOOL_CALL' AND c.data ->> 'id' = NEW.tool_call_id AND c.thread_id = NEW.thread_id
        AND c.principal GLOB 'user:*' AND c.principal <> NEW.principal
        AND (
            lower(c.principal) = lower(NEW.principal) OR c.principal GLOB '*[^ -~]*'
            OR NEW.principal GLOB '*[' || char(223, 256, 45, 591) || ']*'))
BEGIN
    SELECT RAISE(ROLLBACK, 'countersign: by hand, a principal has no comma, and is not another spelling of the person who proposed the call');
END;
