#!/usr/bin/env python3
"""Checks the lines of `countersign log --json --proof`, an archive, or the file of `countersign show --evidence`, without the log
and without Countersign.

    python3 verify_export.py FILE [SEQ:HASH | DIGEST ...]

Each SEQ:HASH is a tip that was noted earlier, for example in a signed checkpoint. Exported events that lead up to a noted
tip without a gap are proved to belong to its log. A DIGEST is an archive digest, as the THREAD_ARCHIVED events of the log
have it: the archive must have the same. Needs Python 3.8 or later, and nothing else.

Exit codes: 0 the lines hold, 1 they do not, 2 the arguments are invalid or the file cannot be read.
"""

import hashlib, itertools, json, re, sys

FIELDS = ("threadId", "type", "timestamp", "principal")
TEXTS = ("arguments", "impact", "description", "effects", "suggestedScopes", "comment", "changes", "content")
# Prefixes of the event types that have content.
WITH_TEXTS = ("TOOL_", "CALL_FLAGGED", "USER_", "AGENT_", "SYSTEM_", "LOCAL_", "COMPACTION")


class Mismatch(Exception):
    """The first line that does not hold, and the reason."""


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def once(members):
    """An object in which no member occurs twice: readers show one of them, and a hash may cover the other."""
    if len(dict(members)) < len(members):
        raise Mismatch(f"an object has a member twice: {', '.join(name for name, _ in members)}")
    return dict(members)


def load(text):
    return json.loads(text, object_pairs_hook=once)


def split(text):
    """The members of a JSON object in their order, each value as its JSON text."""
    read, at, members = json.JSONDecoder(parse_int=str).raw_decode, text.index("{") + 1, []
    while text[at := re.compile(r"[\s,]*").match(text, at).end()] != "}":
        name, at = read(text, at)
        start = re.compile(r"\s*:\s*").match(text, at).end()
        at = read(text, start)[1]
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


def check_event(event):
    """Recomputes an event's link from its line."""
    seq = event["seq"]
    if load(event["text"]) != event["data"]:
        raise Mismatch(f"event {seq}: its data is not that of its text")
    row = [event["previous"], seq, *(event[name] for name in FIELDS), digest(event["type"], event["text"])]
    link = sha256(dump(row))
    if event.get("hash", link) != link:
        raise Mismatch(f"event {seq}: its hash is {event['hash']}, but its line gives {link}: it was changed")
    return link


def read_lines(file):
    """The lines of an export, or those in the evidence of one call, which is one object."""
    first = file.readline()
    if first.strip() != "{":
        yield from map(load, itertools.chain([first], file) if first else [])
        return
    evidence = load(first + file.read())
    yield from evidence["events"]
    yield {"proof": evidence["proof"]}


def check_lines(lines, noted):
    """Checks all lines. Returns the number of events, the proved ranges as (first, last), the erased events that no
    exported CALL_ERASED event names, and an archive's digest."""
    events, first, last, start, proved, trailer, erased = 0, None, None, None, [], None, set()
    sealed = "0" * 64
    for line in lines:
        if trailer is not None:
            raise Mismatch("a line follows the last one")
        if "proof" in line:
            trailer = line["proof"]
            continue
        seq, link = line["seq"], check_event(line)
        if last and seq <= last[0]:
            raise Mismatch(f"event {seq} follows event {last[0]}")
        if last and seq == last[0] + 1 and line["previous"] != last[1]:
            raise Mismatch(f"event {seq} does not continue event {last[0]}: one of them was replaced")
        if line["type"].startswith(WITH_TEXTS) and "erased" in line["data"]:
            erased.add((seq, line["threadId"]))
        if line["type"] == "CALL_ERASED":
            erased -= {(row["seq"], line["threadId"]) for row in line["data"]["rows"]}
        start = start if last and seq == last[0] + 1 else seq
        if noted.get(seq, link) != link:
            raise Mismatch(f"event {seq}: its link is {link}, but {noted[seq]} was noted: it is of another log")
        if seq in noted:
            proved = [(a, b) for a, b in proved if a != start] + [(start, seq)]
        events, first, last = events + 1, first or seq, (seq, link)
        sealed = sha256(dump([sealed, seq, link]))
    if trailer is None:
        raise Mismatch("the last line is missing: the export was interrupted or cut off")
    if (events, first, last and f"{last[0]}:{last[1]}") != (trailer["events"], trailer["first"], trailer["last"]):
        raise Mismatch(f"the last line counts {trailer['events']} events up to {trailer['last']}: some were removed or added")
    if trailer.get("digest", sealed) != sealed:
        raise Mismatch(f"the events have the digest {sealed}, but the last line says {trailer['digest']}")
    return events, proved, sorted(seq for seq, _ in erased), trailer.get("digest")


def main(arguments):
    digests = [text for text in arguments[1:] if re.fullmatch(r"[0-9a-f]{64}", text)]
    tips = [re.fullmatch(r"([1-9][0-9]*):([0-9a-f]{64})", tip) for tip in arguments[1:] if tip not in digests]
    if not arguments or not all(tips):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as lines:
            events, proved, erased, digest = check_lines(read_lines(lines), {int(tip[1]): tip[2] for tip in tips})
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{arguments[0]} is not an export with proof: {error!r}", file=sys.stderr)
        return 2
    except Mismatch as mismatch:
        print(f"The export does not hold: {mismatch}")
        return 1
    if any(noted != digest for noted in digests):
        print(f"The archive has the digest {digest}, and another one was noted.")
        return 1
    print(f"{events} events, and each has the hash of its line.")
    if digest:
        print(f"digest {digest}")
    for first, last in proved:
        print(f"The events {first} to {last} are those of the log with the noted tip at event {last}.")
    if erased:
        print(f"The texts of these events are erased, and no exported event says so: {', '.join(map(str, erased))}")
    return 0


sys.exit(main(sys.argv[1:]))
