#!/usr/bin/env python3
"""Checks the hash chain of a log of Countersign in an SQLite file, without Countersign.

    python3 verify_log.py FILE [TIP ...]

Each TIP was noted earlier, as SEQ:HASH or as the file of a signed checkpoint, whose signature is not checked: the log
must still contain that event with that link. The log is opened read-only. Needs Python 3.8 and SQLite 3.37 or later.

Exit codes: 0 the log holds, 1 it does not, 2 the arguments are invalid or the log cannot be read to its end.
"""

import hashlib, json, os, pathlib, re, sqlite3, sys

COLUMNS = ("thread_id", "type", "timestamp", "principal", "data")
# A decision that was made with SQL has no hash of its own. The next event with a hash seals it.
TYPES_WITHOUT_HASH = ("TOOL_APPROVAL_RESPONSE", "TOOL_RESULT")


class Mismatch(Exception):
    """The first event that does not hold, and the reason."""


def compute_link(previous, seq, fields):
    """The link of a row: the SHA-256 of a JSON array without blanks, in UTF-8."""
    text = json.dumps([previous, seq, *fields], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def check_rows(rows, noted):
    """Checks rows of (seq, *COLUMNS, hash). Returns the last seq, its link, and the number of unsealed rows."""
    seq, link, unsealed = 0, "0" * 64, 0
    for found, *fields, stored in rows:
        if found != seq + 1:
            raise Mismatch(f"event {seq + 1} is missing: the next event in the log is {found}")
        seq = found
        for name, value in zip(COLUMNS, fields):
            if not isinstance(value, str):
                raise Mismatch(f"event {seq}: {name} is not text")
        link = compute_link(link, seq, fields)
        if not stored:
            if fields[1] not in TYPES_WITHOUT_HASH:
                raise Mismatch(f"event {seq} has no hash, and is not a decision: it was inserted, or its hash removed")
            unsealed += 1
        elif stored == link:
            unsealed = 0
        elif unsealed:
            first = seq - unsealed
            raise Mismatch(f"event {first}: it has no hash, and the hash of event {seq} does not seal it: "
                           f"one of the events {first} to {seq} was changed, inserted or moved")
        else:
            raise Mismatch(f"event {seq}: its hash is {stored}, but its row and the link before give {link}: "
                           "it was changed, inserted or moved, or the hash before it was replaced")
        if noted.get(seq, {link}) != {link}:
            raise Mismatch(f"event {seq}: its link is {link}, but {' and '.join(noted[seq])} was noted: "
                           "the log was replaced, or changed at or before this event")
    if noted and max(noted) > seq:
        raise Mismatch(f"event {seq + 1} is missing: the log ends at event {seq}, "
                       f"but event {max(noted)} was noted: the log was replaced, or its end was removed")
    return seq, link, unsealed


def open_log(path):
    """Opens the file read-only. In a folder without the right to write, no process may write it meanwhile."""
    is_in_use = os.access(os.path.dirname(path) or ".", os.W_OK) or os.path.exists(path + "-wal")
    options = "mode=ro" if is_in_use else "mode=ro&immutable=1"
    log = sqlite3.connect(f"{pathlib.Path(path).resolve().as_uri()}?{options}", uri=True)
    log.text_factory = lambda text: text.decode(errors="replace")
    return log


def read_tip(text):
    """Reads SEQ:HASH, or the file of a signed checkpoint. Returns None if it is neither."""
    if os.path.isfile(text):
        return re.search(r'"seq":([0-9]+),"hash":"([0-9a-f]{64})"', pathlib.Path(text).read_text(errors="replace"))
    return re.fullmatch(r"([1-9][0-9]*):([0-9a-f]{64})", text)


def main(arguments):
    tips = [read_tip(tip) for tip in arguments[1:]]
    if not arguments or not all(tips):
        print(__doc__, file=sys.stderr)
        return 2
    noted = {int(tip[1]): {same[2] for same in tips if same[1] == tip[1]} for tip in tips}
    try:
        rows = open_log(arguments[0]).execute(f"SELECT seq, {', '.join(COLUMNS)}, hash FROM events ORDER BY seq")
        seq, link, unsealed = check_rows(rows, noted)
    except sqlite3.Error as error:
        print(f"{arguments[0]} cannot be read to its end: {error}", file=sys.stderr)
        return 2
    except Mismatch as mismatch:
        print(f"The log does not hold: {mismatch}")
        return 1
    print(f"{seq} events, and the hash chain is intact.\ntip {seq}:{link}")
    if unsealed:
        print(f"The last {unsealed} events have no hash yet. The next event that Countersign writes seals them.")
    return 0


sys.exit(main(sys.argv[1:]))
