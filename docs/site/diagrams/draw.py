"""Draws the documentation's diagrams into docs/images. `--check` fails if a file there differs."""

import pathlib
import sys

from drawing import Drawing

IMAGES = pathlib.Path(__file__).resolve().parents[2] / "images"


def draw_life_of_a_call():
    d = Drawing(
        "life-of-a-call",
        640,
        590,
        "The life of a call",
        "An agent proposes a call, and gets a verdict. Allow makes the call allowed, block makes it denied, and ask makes "
        "it pending until a person allows or denies it, or its time limit ends and it is denied as expired. A pending call "
        "that is withdrawn, and an allowed call that is stopped, has lapsed or is replaced, is cancelled. An executor claims "
        "an allowed call, which is then running, and reports the result, which makes it finished. If the lease of the "
        "executor ends without a result, the call is unknown: a late result finishes it, or another executor takes it over "
        "if the tool is idempotent or a person has released the call. Each call ends with one result.",
    )
    d.arrow((320, 12), (320, 46))
    d.note(330, 32, "an agent proposes a call")
    d.box(220, 46, 200, 56, ["verdict", "policy, thread, grants"])
    d.arrow((220, 74), (90, 74), (90, 168))
    d.note(100, 64, "allow")
    d.arrow((320, 102), (320, 168))
    d.note(330, 140, "ask: a request to people")
    d.arrow((420, 74), (550, 74), (550, 168))
    d.note(505, 64, "block")
    d.box(20, 168, 140, 84, ["allowed"], "allow")
    d.box(250, 168, 140, 84, ["pending"], "warn")
    d.box(480, 168, 140, 84, ["denied"], "deny")
    d.arrow((250, 215), (160, 215))
    d.note(205, 190, "a person", "allows", anchor="middle")
    d.arrow((390, 190), (480, 190))
    d.note(435, 182, "denied", anchor="middle")
    d.arrow((390, 235), (480, 235))
    d.note(435, 227, "expired", anchor="middle")
    d.arrow((140, 252), (140, 312), (550, 312), (550, 352))
    d.arrow((340, 252), (340, 312), head=False)
    d.note(150, 285, "not used: stopped,", "lapsed, replaced")
    d.note(350, 285, "withdrawn, or", "the thread is closed")
    d.arrow((60, 252), (60, 352))
    d.note(70, 334, "an executor claims")
    d.box(20, 352, 140, 60, ["running"], "accent")
    d.box(250, 352, 140, 60, ["unknown"], "warn")
    d.box(480, 352, 140, 60, ["cancelled"])
    d.arrow((160, 370), (250, 370))
    d.note(205, 362, "lease ends", anchor="middle")
    d.arrow((250, 396), (160, 396))
    d.note(205, 414, "takeover", anchor="middle")
    d.arrow((60, 412), (60, 472))
    d.note(70, 447, "reports the result")
    d.box(20, 472, 140, 60, ["finished"], "allow")
    d.arrow((320, 412), (320, 502), (160, 502))
    d.note(240, 494, "a late result", anchor="middle")
    d.note(332, 436, "Another executor takes over only if the", "tool is idempotent, or a person has", "released the call.")
    d.note(320, 565, "Each call ends with one result: success, error, denied, expired or cancelled.", anchor="middle")
    return d


def draw_log_between():
    d = Drawing(
        "log-between",
        640,
        400,
        "The log between agents, people and executors",
        "Agents propose calls, people decide, executors claim and report results. None of them talks to another one: each "
        "writes events to one log, and each is woken by the events that it waits for. The log is an SQLite file, or a "
        "PostgreSQL database. Auditors, webhooks and pages read the same events.",
    )
    d.box(20, 20, 170, 60, ["agent", "proposes a call"], "accent")
    d.box(235, 20, 170, 60, ["person", "allows or denies"], "warn")
    d.box(450, 20, 170, 60, ["executor", "claims, runs, reports"], "allow")
    for x, writes, reads in [(105, "TOOL_CALL", "decision"), (320, "…_RESPONSE", "request"), (535, "…_STARTED", "decision")]:
        d.arrow((x - 22, 80), (x - 22, 170))
        d.arrow((x + 22, 170), (x + 22, 80))
        d.words(x - 28, 130, "writes", "note", "end")
        d.words(x + 28, 130, "wakes", "note")
    d.box(20, 170, 600, 96, [])
    d.words(320, 196, "the log", "name", "middle")
    d.note(320, 216, "one append-only table of events: an SQLite file, or PostgreSQL", anchor="middle")
    d.words(320, 246, "call → request → decision → claim → result", "code", "middle")
    d.arrow((320, 266), (320, 316))
    d.words(330, 296, "reads, and follows", "note")
    d.box(20, 316, 600, 60, ["every reader sees the same events", "inbox, watch, webhooks, history, verify, SQL"])
    return d


def draw_write_path():
    d = Drawing(
        "write-path",
        640,
        470,
        "The write path, and the feed across processes",
        "In the first process a person decides. The gate computes the evidence, the writer takes all queued commands as one "
        "batch, holds the write lock, decides each with pure functions, appends the events and commits. It then rings the "
        "doorbell of the file, or notifies by PostgreSQL. In the second process the change listener wakes the feed, which "
        "reads the new rows of the log in order and wakes the waiter of this call and the streams. The waiting executor "
        "reads the call and claims it on the same write path.",
    )
    d.frame(10, 10, 300, 310, "process 1: a person decides")
    d.box(30, 44, 260, 52, ["gate", "judges by the policy: the evidence"])
    d.arrow((160, 96), (160, 122))
    d.box(30, 122, 260, 52, ["queue", "every command of this process"])
    d.arrow((160, 174), (160, 200))
    d.box(30, 200, 260, 104, ["writer", "1 waits for the write lock", "2 decides each command (pure)", "3 appends all events, commits"], "accent")
    d.frame(330, 10, 300, 310, "process 2: an executor waits")
    d.box(350, 44, 130, 70, ["executor", "wakes, claims"], "allow")
    d.box(490, 44, 120, 70, ["streams", "browsers, hooks"])
    d.arrow((415, 150), (415, 114))
    d.arrow((550, 150), (550, 114))
    d.box(350, 150, 260, 52, ["feed", "delivers each event once, in order"], "accent")
    d.arrow((410, 246), (410, 202))
    d.box(350, 246, 120, 58, ["listener", "a wake-up"])
    d.arrow((290, 275), (350, 275))
    d.note(320, 340, "doorbell of the file, or NOTIFY", anchor="middle")
    d.arrow((320, 326), (320, 281), head=False)
    d.arrow((160, 304), (160, 372))
    d.note(150, 350, "insert", anchor="end")
    d.arrow((550, 372), (550, 202))
    d.note(558, 350, "reads")
    d.box(10, 372, 620, 76, ["events", "seq has no gaps; each row carries the hash of the row before;", "triggers refuse changes of rows"])
    return d


def draw_two_ways():
    d = Drawing(
        "two-ways",
        640,
        404,
        "Two ways to run Countersign",
        "Without a server, each process opens the log itself: an agent that embeds the gate, countersign run, and a person "
        "with countersign watch or allow. With countersign serve, agents, browsers and commands use HTTP, and the server "
        "opens the log. Both ways can use the same log at the same time.",
    )
    d.frame(10, 10, 300, 300, "without a server")
    d.box(26, 46, 128, 64, ["agent", "Rust, or run -- …"], "accent")
    d.box(166, 46, 128, 64, ["person", "allow, watch"], "warn")
    d.arrow((90, 110), (90, 330))
    d.arrow((230, 110), (230, 330))
    d.note(160, 200, "each process", "opens the log", "itself", anchor="middle")
    d.frame(330, 10, 300, 300, "with a server")
    d.box(346, 46, 84, 64, ["agents", "HTTP"], "accent")
    d.box(438, 46, 84, 64, ["people", "browser"], "warn")
    d.box(530, 46, 84, 64, ["CLI", "--server"])
    for x in (388, 480, 572):
        d.arrow((x, 110), (x, 190))
    d.box(346, 190, 268, 64, ["countersign serve", "API, pages, streams, webhooks"], "allow")
    d.arrow((480, 254), (480, 330))
    d.box(10, 330, 620, 58, ["one log", "an SQLite file or a PostgreSQL database; both ways may share it"])
    return d


def draw_verdict():
    steps = [
        ("1  policy", "Step 3 may restrict an allow.", "block", "allow"),
        ("2  denials for the session", "They override all that follows.", "denied", None),
        ("3  the thread's own policy", "For this tool, in this thread.", "deny", "allow"),
        ("4  the thread's mode", "For all tools of the thread.", "auto_deny", "approve_all"),
        ("5  grants", "Of this level, for this agent.", None, "grant"),
        ("6  recent decisions", "On exactly the same call.", "denied", "approval"),
        ("7  approvers", "People answer the request.", "deny, expiry", "allow"),
    ]
    step, left, right = 66, 110, 530
    height = 54 + step * 8 + 6
    ways = "; ".join(f"{name[3:]}: {deny or 'never denied'}, {allow or 'never allowed'}" for name, _, deny, allow in steps)
    d = Drawing(
        "verdict",
        640,
        height,
        "How a verdict is reached",
        f"Seven steps in their order, each of which may end in denied, on the left, or in allowed, on the right. {ways}. "
        "When an executor claims an allowed call, the eighth step judges it again, and it runs or is refused.",
    )
    bottom = 54 + step * 7 - 16
    d.box(10, 12, left - 10, bottom - 12, ["denied"], "deny")
    d.box(right, 12, left - 10, bottom - 12, ["allowed"], "allow")
    d.arrow((320, 12), (320, 40))
    d.note(330, 28, "a call")
    for number, (name, note, deny, allow) in enumerate(steps):
        y = 40 + step * number
        is_last = number == len(steps) - 1
        d.box(206, y, 228, 50, [name, note], "warn" if is_last else "")
        if not is_last:
            d.arrow((320, y + 50), (320, y + step))
        if deny:
            d.arrow((206, y + 25), (left, y + 25))
            d.note((206 + left) / 2, y + 18, deny, anchor="middle")
        if allow:
            d.arrow((434, y + 25), (right, y + 25))
            d.note((434 + right) / 2, y + 18, allow, anchor="middle")
    claim = 40 + step * 7
    d.box(206, claim, 228, 50, ["8  the claim", "All is judged again."], "accent")
    d.arrow((580, bottom), (580, claim + 25), (434, claim + 25))
    d.note(507, claim + 43, "an executor claims", anchor="middle")
    d.arrow((206, claim + 25), (140, claim + 25))
    d.words(132, claim + 30, "runs, or is refused", "note", "end")
    return d


DIAGRAMS = [draw_life_of_a_call, draw_log_between, draw_write_path, draw_two_ways, draw_verdict]


def main():
    outdated = []
    for draw in DIAGRAMS:
        drawing = draw()
        path = IMAGES / f"{drawing.name}.svg"
        text = drawing.svg()
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            outdated.append(path.name)
    if outdated:
        sys.exit(f"run docs/site/diagrams/draw.py: {', '.join(outdated)} in docs/images differ")


if __name__ == "__main__":
    main()
