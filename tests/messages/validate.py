"""Checks messages with the types of the Python SDKs. The argument is a file with a list of [format, what, messages].
Prints each message that a type refuses."""

import json
import sys

from anthropic.types import MessageParam
from google.genai.types import Content
from humanlayer.core.models import FunctionCall
from langchain_core.messages import convert_to_messages
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

TYPES = {
    "openai": TypeAdapter(ChatCompletionMessageParam),
    "openai-responses": TypeAdapter(ResponseInputItemParam),
    "anthropic": TypeAdapter(MessageParam),
    "google": TypeAdapter(Content),
    "humanlayer": TypeAdapter(FunctionCall),
}
LANGCHAIN = ("langchain", "langchain-per-call", "agent-inbox")


def check(format, message):
    # The adapter has system prompts as messages, for clients.
    if format in ("anthropic", "google") and message.get("role") == "system":
        return
    if format in LANGCHAIN:
        if "__interrupt__" not in message:
            convert_to_messages([message])
    elif format in TYPES:
        adapter = TYPES[format]
        read = adapter.validate_python(message)
        if format == "openai-responses":
            drain(read)
        if format == "google":
            written = read.model_dump(by_alias=True, exclude_none=True, mode="json")
            assert json.dumps(sorted(written)) == json.dumps(sorted(message)), f"{written} != {message}"


def drain(value):
    """Reads lazily validated lists to their end."""
    for member in value.values() if isinstance(value, dict) else []:
        if not isinstance(member, (str, int, float, bool, type(None), dict)):
            list(member)


for format, what, messages in json.load(open(sys.argv[1])):
    for message in messages:
        try:
            check(format, message)
        except Exception as error:
            print(f"{what}: {json.dumps(message)[:400]}\n  {str(error)[:900]}")
