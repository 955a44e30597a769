"""Numbers and strings keep their value, and values without JSON are refused with their location."""

from decimal import Decimal
from typing import Any

import pytest
from countersign import read_json, write_json


@pytest.mark.parametrize(
    "text",
    ["9007199254740993", "123456789012345678901234567890", "0.1", "-0.0", "1e+16", "12345678901234567890.5", "0.1000000000000000055"],
)
def test_number_keeps_its_value(text: str) -> None:
    value = read_json(text)
    assert Decimal(write_json(value)) == Decimal(text)


def test_number_becomes_a_float_only_if_exact() -> None:
    assert type(read_json("0.1")) is float
    assert type(read_json("1.5e3")) is float
    assert read_json("0.30000000000000000001") == Decimal("0.30000000000000000001")
    assert type(read_json("1e400")) is Decimal


def test_decimal_is_written_digit_by_digit() -> None:
    assert write_json({"price": Decimal("19.90")}) == '{"price":19.90}'


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": [float("nan")]}, "nan is not a JSON number (at /a/0)"),
        ({"a": Decimal("Infinity")}, "Infinity is not a JSON number (at /a)"),
        ({"a": object()}, "a value of the type object is not JSON (at /a)"),
        ({1: 2}, "the key 1 of an object is not a string"),
        ("\ud800", "not valid Unicode"),
    ],
)
def test_value_without_json_is_refused(value: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        write_json(value)
    assert words in str(caught.value)


def test_integer_with_too_many_digits_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 4,300 digits"):
        write_json(10**5000)


def test_value_that_contains_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="contains itself"):
        write_json(value)


@pytest.mark.parametrize("text", ["NaN", "[" * 100_000, "{", "1e99999999999999999999999", '{"to":"bob","to":"eve"}'])
def test_text_without_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_json(text)
