-- A name belongs to one person in every spelling. As on SQLite, this accepts what it can compare, if a person proposed the
-- call: a proposer in ASCII, and a decider without the letters that `decide_by_hand` accepts and that may fold to ASCII (ß, and
-- those after Latin-1). Triggers fire in the order of their names, so this one fires before `decide_by_hand`.
CREATE FUNCTION check_spelling() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.principal LIKE '%,%' OR EXISTS (
        SELECT FROM events c
        WHERE c.type = 'TOOL_CALL' AND c.data ->> 'id' = NEW.tool_call_id AND c.thread_id = NEW.thread_id
            AND c.principal LIKE 'user:%' AND c.principal <> NEW.principal
            AND (
                lower(c.principal) = lower(NEW.principal) OR c.principal ~ '[^ -~]'
                OR NEW.principal ~ '[\u00df\u0100-\u024f]')) THEN
        RAISE EXCEPTION 'countersign: by hand, a principal has no comma, and is not another spelling of the person who proposed the call'
            USING ERRCODE = 'CS001';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER check_spelling INSTEAD OF INSERT ON decisions
    FOR EACH ROW EXECUTE FUNCTION check_spelling();
