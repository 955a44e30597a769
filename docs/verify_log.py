#!/usr/bin/env python3
"""Checks the hash chain of a log of Countersign in an SQLite file, without Countersign.

    python3 verify_log.py FILE [TIP ...]

Each TIP was noted earlier, as SEQ:HASH or as a signed checkpoint file, whose signature is not checked: the log
must still contain that event with that link. The log is opened read-only. Needs Python 3.8 and SQLite 3.37 or later.

Exit codes: 0 the log holds, 1 it does not, 2 the arguments are invalid or the log cannot be read to its end.
"""
import hashlib, json, os, pathlib, re, sqlite3, sys

COLUMNS = ("thread_id", "type", "timestamp", "principal", "data")
SELECT = f"SELECT seq, {', '.join(COLUMNS)}, hash FROM events ORDER BY seq"
TEXTS = ("arguments", "impact", "description", "effects", "suggestedScopes", "comment", "changes", "content")
WITH_TEXTS = ("TOOL_", "CALL_FLAGGED", "USER_", "AGENT_", "SYSTEM_", "LOCAL_", "COMPACTION")  # prefixes of their types
sha256 = lambda text: hashlib.sha256(text.encode()).hexdigest()
dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
Mismatch = type("Mismatch", (Exception,), {})  # The first event that does not hold, and the reason.

def split(text):
    """The members of a JSON object in their order, each value as its JSON text."""
    read, at, members = json.JSONDecoder(parse_int=str).raw_decode, text.index("{") + 1, []
    while text[at := re.compile(r"[\s,]*").match(text, at).end()] != "}":
        name, at = read(text, at)
        at = read(text, start := re.compile(r"\s*:\s*").match(text, at).end())[1]
        members.append((name, text[start:at]))
    return members

def digest(kind, data):
    """The hash that a link covers: of the data with hashes instead of content, so that content can be erased."""
    members = split(data) if kind.startswith(WITH_TEXTS) else []
    names = TEXTS + ("labels", "reason") * (kind == "TOOL_APPROVAL_ADVICE")
    texts = {n: sha256(v) for n, v in members if n in names or n == "scope" and v[0] == "{"}
    if texts and "erased" not in dict(members):
        kept = [f"{dump(n)}:{v}" for n, v in members if n not in texts]
        data = "{" + ",".join([*kept, f'"erased":{dump(dict(sorted(texts.items())))}']) + "}"
    return sha256(data)

def check_rows(rows, noted):
    """Checks rows of (seq, *COLUMNS, hash). Returns the last seq, its link, and the number of unsealed rows."""
    seq, link, unsealed, erased = 0, "0" * 64, 0, {}
    for found, *fields, stored in rows:
        if found != seq + 1:
            raise Mismatch(f"event {seq + 1} is missing: the next event in the log is {found}")
        seq, (thread, kind, *_, data) = found, fields
        for name in (name for name, value in zip(COLUMNS, fields) if not isinstance(value, str)):
            raise Mismatch(f"event {seq}: {name} is not text")
        names = [name for name, _ in split(data)] if kind.startswith(WITH_TEXTS) else []
        if len(set(names)) < len(names): raise Mismatch(f"event {seq}: its data has a member twice: one was inserted")
        link = sha256(dump([link, seq, *fields[:4], digest(kind, data)]))
        if not stored and kind not in ("TOOL_APPROVAL_RESPONSE", "TOOL_RESULT"):  # The next hash seals decisions by SQL.
            raise Mismatch(f"event {seq} has no hash, and is not a decision: it was inserted, or its hash removed")
        if stored and stored != link:
            rows = f"one of the events {seq - unsealed} to {seq}" if unsealed else "it"
            raise Mismatch(f"event {seq}: its hash is {stored}, but its row and the link before give {link}: "
                           f"{rows} was changed, inserted or moved, or the hash before was replaced")
        unsealed = 0 if stored else unsealed + 1
        if "erased" in names:
            erased.setdefault(thread, set()).add(seq)
        if kind in ("CALL_ERASED", "THREAD_ARCHIVED") and thread in erased:
            named, through = {row["seq"] for row in json.loads(data).get("rows", [])}, json.loads(data).get("through", 0)
            erased[thread] = {row for row in erased[thread] - named if row > through}
        if noted.get(seq, {link}) != {link}:
            raise Mismatch(f"event {seq}: its link is {link}, but {' and '.join(noted[seq])} was noted: the log was "
                           "replaced, or changed at or before this event")
    if any(erased.values()):
        raise Mismatch(f"event {min(set().union(*erased.values()))}: its content is erased, and no later event says so")
    if noted and max(noted) > seq:
        raise Mismatch(f"event {seq + 1} is missing, but event {max(noted)} was noted: the end of the log was removed")
    return seq, link, unsealed

def open_log(path):
    """Opens the file read-only. In a folder without the right to write, no process may write it meanwhile."""
    is_still = not os.access(os.path.dirname(path) or ".", os.W_OK) and not os.path.exists(path + "-wal")
    log = sqlite3.connect(f"{pathlib.Path(path).resolve().as_uri()}?mode=ro{'&immutable=1' * is_still}", uri=True)
    log.text_factory = lambda text: text.decode(errors="replace")
    return log

def read_tip(text):
    """Reads SEQ:HASH, or a signed checkpoint file. Returns None if it is neither."""
    if os.path.isfile(text):
        return re.search(r'"seq":([0-9]+),"hash":"([0-9a-f]{64})"', pathlib.Path(text).read_text(errors="replace"))
    return re.fullmatch(r"([1-9][0-9]*):([0-9a-f]{64})", text)

def main(arguments):
    tips = [read_tip(tip) for tip in arguments[1:]]
    if not arguments or not all(tips): return print(__doc__, file=sys.stderr) or 2
    noted = {int(tip[1]): {same[2] for same in tips if same[1] == tip[1]} for tip in tips}
    try:
        seq, link, unsealed = check_rows(open_log(arguments[0]).execute(SELECT), noted)
    except sqlite3.Error as error:
        return print(f"{arguments[0]} cannot be read to its end: {error}", file=sys.stderr) or 2
    except Mismatch as mismatch:
        return print(f"The log does not hold: {mismatch}") or 1
    print(f"{seq} events, and the hash chain is intact.\ntip {seq}:{link}")
    if unsealed: print(f"The last {unsealed} events have no hash yet. The next event that Countersign writes seals them.")

sys.exit(main(sys.argv[1:]))
