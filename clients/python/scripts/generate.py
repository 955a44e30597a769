#!/usr/bin/env python3
"""Generates the Python client's types and error classes from the OpenAPI document.

    clients/python/scripts/generate.py            writes the files
    clients/python/scripts/generate.py --check    fails if they differ from the document
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
DOCUMENT = PACKAGE.parent.parent / "docs" / "openapi.json"
HEADER = "Generated from docs/openapi.json by scripts/generate.py: do not edit."
# The client uses these schemas, and those that they refer to.
ROOTS = [
    "BulkDecisionRequest", "BulkDecisionResponse", "Call", "CallPage", "CallerView", "CancelRequest", "ClaimRequest",
    "DecisionRequest", "EventPage", "PendingPage", "Problem", "ProposeRequest", "ReadinessReport", "RenewRequest",
    "ResultRequest",
]  # fmt: skip
# Codes that only a client reports, so the document does not have them.
CLIENT_CODES = {
    "unreachable": "No server answers.",
    "strange_server": "The response is not that of a Countersign server.",
    "bad_url": "The address of the server is invalid.",
}


def docstring(text: str, indent: str) -> str:
    text = " ".join(text.replace("\\", "\\\\").split())
    if text.endswith('"'):
        text += " "
    lines = textwrap.wrap(text, 110 - len(indent) - 3)
    if len(lines) == 1:
        return f'{indent}"""{lines[0]}"""\n'
    return f'{indent}"""' + f"\n{indent}".join(lines) + f'\n{indent}"""\n'


def python_type(schema: dict[str, Any]) -> str:
    """The Python type of a schema, as it stands in an annotation."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "enum" in schema:
        return "Literal[" + ", ".join(json.dumps(value) for value in schema["enum"]) + "]"
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(python_type(part) for part in schema[key]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(dict.fromkeys(python_type({**schema, "type": one}) for one in kind))
    if kind == "array":
        return f"list[{python_type(schema.get('items', {}))}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {python_type(values) if isinstance(values, dict) else 'Any'}]"
    simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
    return simple.get(kind or "", "Any")


def is_record(schema: dict[str, Any]) -> bool:
    parts = schema.get("allOf", [schema])
    return any("properties" in part for part in parts) and "oneOf" not in schema


def record(name: str, schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """A TypedDict. Members that another schema shares are copied, so that one class shows all of them."""
    members: dict[str, dict[str, Any]] = {}
    required: set[str] = set()
    collect_members(schema, schemas, members, required)
    lines = [f"class {name}(TypedDict):\n"]
    if description := schema.get("description"):
        lines.append(docstring(description, "    "))
    for member, of in members.items():
        if keyword.iskeyword(member) or not member.isidentifier():
            return functional_record(name, schema, members, required)
        hint = python_type(of)
        lines.append(f"\n    {member}: {hint if member in required else f'NotRequired[{hint}]'}\n")
        if text := description_of(of):
            lines.append(docstring(text, "    "))
    return "".join(lines)


def description_of(schema: dict[str, Any]) -> str:
    """The member's description, which may be beside the reference to its type."""
    return str(schema.get("description") or "".join(part.get("description", "") for part in schema.get("oneOf", [])))


def functional_record(
    name: str, schema: dict[str, Any], members: dict[str, dict[str, Any]], required: set[str]
) -> str:
    """A TypedDict with a member whose name Python reserves."""
    lines = [f"{name} = TypedDict(\n    {json.dumps(name)},\n    {{\n"]
    for member, of in members.items():
        hint = python_type(of)
        hint = hint if member in required else f"NotRequired[{hint}]"
        lines.append(f"        {json.dumps(member)}: {json.dumps(hint)},\n")
    lines.append("    },\n)\n")
    return "".join(lines) + docstring(schema.get("description", name), "")


def collect_members(
    schema: dict[str, Any], schemas: dict[str, Any], members: dict[str, Any], required: set[str]
) -> None:
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    for part in schema.get("allOf", []):
        collect_members(part, schemas, members, required)
    members.update(schema.get("properties", {}))
    required.update(schema.get("required", []))


def used_schemas(document: dict[str, Any]) -> dict[str, Any]:
    schemas, used, left = document["components"]["schemas"], {}, list(ROOTS)
    while left:
        name = left.pop()
        if name not in used:
            used[name] = schemas[name]
            left += re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schemas[name]))
    return used


def types_module(document: dict[str, Any]) -> str:
    schemas = used_schemas(document)
    parts = [
        f'"""The types of requests and responses. {HEADER}"""\n',
        "\nfrom __future__ import annotations\n",
        "\nimport sys\n",
        "from typing import Any, Literal, TypeAlias, TypedDict\n",
        "\nif sys.version_info >= (3, 11):\n    from typing import NotRequired\n",
        "else:\n    from typing_extensions import NotRequired\n",
        "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(schemas)) + "]\n",
    ]
    for name, schema in sorted(schemas.items()):
        if is_record(schema):
            parts.append("\n\n" + record(name, schema, schemas))
        else:
            parts.append(f"\n{name}: TypeAlias = {python_type(schema)}\n")
            if description := schema.get("description"):
                parts.append(docstring(description, ""))
    return "".join(parts)


def error_codes(document: dict[str, Any]) -> dict[str, str]:
    """Each of the document's codes with its meaning."""
    codes: dict[str, str] = dict(CLIENT_CODES)
    found = re.compile(r"- `(\w+)` \(\d+\): (.+)")
    for response in document["components"]["responses"].values():
        for line in response.get("description", "").split("\n"):
            if match := found.match(line):
                codes[match[1]] = match[2]
    text = json.dumps(document["components"]["responses"])
    for code in re.findall(r'"code": "(\w+)"', text):
        codes.setdefault(code, "")
    return dict(sorted(codes.items()))


def class_name(code: str) -> str:
    return "".join(word.capitalize() for word in code.split("_")) + "Error"


def errors_module(document: dict[str, Any]) -> str:
    codes = error_codes(document)
    parts = [
        f'"""One class for each error code. {HEADER}"""\n',
        "\nfrom __future__ import annotations\n",
        "\nfrom .errors import CountersignError\n",
    ]
    for code, meaning in codes.items():
        parts.append(f"\n\nclass {class_name(code)}(CountersignError):\n")
        parts.append(docstring(meaning or f"The error `{code}`.", "    "))
    parts.append("\n\nERROR_CLASSES: dict[str, type[CountersignError]] = {\n")
    parts += [f'    "{code}": {class_name(code)},\n' for code in codes]
    parts.append("}\n")
    parts.append('"""The class of each code."""\n')
    return "".join(parts)


def main() -> int:
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    folder = PACKAGE / "src" / "countersign"
    files = {folder / "types.py": types_module(document), folder / "error_codes.py": errors_module(document)}
    if "--check" not in sys.argv[1:]:
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        print(f"{path} differs from docs/openapi.json: run clients/python/scripts/generate.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
