"""Converts the conformance cases of cel-spec to cases.json.

Usage: python3 convert.py CHECKOUT, where CHECKOUT is a folder with the repository google/cel-spec.

A case is left out if it needs a protobuf message, a strong enum, a namespace of variables, an unknown value or only the
type checker. The file counts what is left out, by reason.
"""

import json
import math
import pathlib
import re
import sys

COMMIT = "508bd98efda47d85bcf1b9930dd5f35fa37e9a18"
TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<any>\[\s*[\w.]+/[\w.]+\s*\])|(?P<word>-?[\w.+]+(?:-\d+)?)|(?P<symbol>[{}\[\]<>:,;-])"""
)
ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.S)
LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
# The binary form of timestamps and durations keeps these fields; their default is 0.
MOMENTS = {"google.protobuf.Timestamp": "timestamp", "google.protobuf.Duration": "duration"}


class LeftOut(Exception):
    """The reason why a case is left out."""


def split_tokens(text):
    """Splits the text format of protobuf into pairs of a kind and a token."""
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError(f"cannot read {text[at:at + 40]!r}")
        at = match.end()
        if match.lastgroup:
            tokens.append((match.lastgroup, match.group(match.lastgroup)))
    return tokens


def unescape(literal):
    """The bytes of a string literal."""

    def replace(match):
        octal, hexadecimal, short, long, other = match.groups()
        if octal:
            return bytes([int(octal, 8)])
        if hexadecimal:
            return bytes([int(hexadecimal, 16)])
        if short or long:
            return chr(int(short or long, 16)).encode()
        return LETTERS.get(other, other)

    return ESCAPE.sub(replace, literal[1:-1].encode())


class MessageReader:
    """Reads messages as dictionaries from a field name to the list of its values."""

    def __init__(self, text):
        self.tokens = split_tokens(text)
        self.next = 0

    def peek(self):
        """The next token, or an empty one at the end."""
        return self.tokens[self.next] if self.next < len(self.tokens) else ("end", "")

    def accept(self, *symbols):
        """Consumes the next token if it is one of the symbols."""
        kind, token = self.peek()
        found = kind == "symbol" and token in symbols
        self.next += found
        return found

    def read_message(self):
        """Reads fields up to a closing bracket or the end."""
        fields = {}
        while self.peek()[0] != "end" and not self.accept("}", ">"):
            _, name = self.peek()
            self.next += 1
            self.accept(":")
            if self.accept("["):
                while not self.accept("]"):
                    fields.setdefault(name, []).append(self.read_value())
                    self.accept(",")
            else:
                fields.setdefault(name, []).append(self.read_value())
            self.accept(",", ";")
        return fields

    def read_value(self):
        """Reads a message, a word, or neighbouring strings as bytes."""
        if self.accept("{", "<"):
            return self.read_message()
        kind, token = self.peek()
        self.next += 1
        if kind == "symbol" and token == "-":
            return "-" + self.read_value()
        if kind != "string":
            return token
        parts = [unescape(token)]
        while self.peek()[0] == "string":
            parts.append(unescape(self.peek()[1]))
            self.next += 1
        return b"".join(parts)


def one(message, name, default=None):
    """The last value of a field, as protobuf reads a field that is not repeated."""
    return message.get(name, [default])[-1]


def convert_double(word):
    """A double as a string that every JSON parser keeps."""
    number = float(word)
    if math.isnan(number):
        return "NaN"
    return repr(number)


def convert_object(message):
    """A timestamp or a duration. Other messages have no JSON form here."""
    for name, inner in message.items():
        kind = MOMENTS.get(name.strip("[] ").split("/")[-1])
        if kind:
            fields = inner[-1]
            return {kind: [int(one(fields, "seconds", 0)), int(one(fields, "nanos", 0))]}
    raise LeftOut("protobuf messages")


def convert_value(message):
    """A cel.expr.Value as JSON. JSON values stand for themselves; other types are objects with one member."""
    [(kind, values)] = message.items()
    value = values[-1]
    if kind == "null_value":
        return None
    if kind == "bool_value":
        return value in ("true", "True", "t", "1")
    if kind == "int64_value":
        return int(value, 0)
    if kind == "uint64_value":
        return {"uint": int(value, 0)}
    if kind == "double_value":
        return {"double": convert_double(value)}
    if kind == "string_value":
        return value.decode()
    if kind == "bytes_value":
        return {"bytes": value.hex()}
    if kind == "type_value":
        return {"type": value.decode()}
    if kind == "list_value":
        return [convert_value(element) for element in value.get("values", [])]
    if kind == "map_value":
        entries = value.get("entries", [])
        return {"map": [[convert_value(one(entry, "key")), convert_value(one(entry, "value"))] for entry in entries]}
    if kind == "enum_value":
        raise LeftOut("strong enums")
    return convert_object(value)


def convert_bindings(test):
    """The variables of a case."""
    bindings = {}
    for binding in test.get("bindings", []):
        value = one(binding, "value")
        if "value" not in value:
            raise LeftOut("unknown values")
        bindings[one(binding, "key").decode()] = convert_value(one(value, "value"))
    return bindings


def convert_test(test):
    """A case with its expression, its variables, and its result or `error`."""
    if one(test, "check_only") == "true":
        raise LeftOut("the type checker")
    if "unknown" in test or "any_unknowns" in test:
        raise LeftOut("unknown values")
    case = {"expr": one(test, "expr").decode()}
    bindings = convert_bindings(test)
    container = one(test, "container", b"").decode()
    is_of_variables = container and not container.startswith(("cel.expr.conformance", "google"))
    if is_of_variables or any("." in name for name in bindings):
        raise LeftOut("namespaces")
    if bindings:
        case["bindings"] = bindings
    if "eval_error" in test or "any_eval_errors" in test:
        case["error"] = True
    elif "typed_result" in test:
        case["value"] = convert_value(one(one(test, "typed_result"), "result"))
    else:
        case["value"] = convert_value(one(test, "value")) if "value" in test else True
    return case


def convert_files(folder):
    """All cases, and how many are left out by reason."""
    cases, left_out, known = [], {}, {}
    for path in sorted(folder.glob("*.textproto")):
        content = MessageReader(path.read_text(encoding="utf-8")).read_message()
        for section in content.get("section", []):
            for test in section.get("test", []):
                name = "/".join([path.stem, one(section, "name").decode(), one(test, "name").decode()])
                known[name] = known.get(name, 0) + 1
                suffix = f"#{known[name]}" if known[name] > 1 else ""
                try:
                    cases.append({"name": name + suffix, **convert_test(test)})
                except LeftOut as reason:
                    left_out[str(reason)] = left_out.get(str(reason), 0) + 1
    return cases, left_out


def main():
    """Writes cases.json beside this program, with one case a line."""
    folder = pathlib.Path(sys.argv[1]) / "tests" / "simple" / "testdata"
    cases, left_out = convert_files(folder)
    head = {"source": "github.com/google/cel-spec", "commit": COMMIT, "licence": "Apache-2.0", "leftOut": left_out}
    lines = [json.dumps(case, ensure_ascii=False) for case in cases]
    text = json.dumps(head, indent=1)[:-2] + ',\n "cases": [\n' + ",\n".join(lines) + "\n]}\n"
    target = pathlib.Path(__file__).with_name("cases.json")
    target.write_text(text, encoding="utf-8")
    print(f"{len(cases)} cases, left out: {left_out}")


if __name__ == "__main__":
    main()
