"""How the bytes of a record are read: byte-order marks, keys given twice, what a header may say of its hand."""

from __future__ import annotations

import codecs
import json
from typing import Any

import pytest

from referee.record.check import CheckResult, check_lines
from referee.record.schema import record_schema
from referee.record.strictjson import JsonError, load_json
from referee.rules.header import parse_header

HEADER = {
    "record": 1,
    "game": "nerts",
    "seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}],
}
END = b'{"event": "end", "at": 1, "why": "stopped"}\n'
UUID = "0b2a3f5e-8c1d-4e6f-9a7b-1c2d3e4f5a6b"


def line(**more: Any) -> bytes:
    return json.dumps(HEADER | more).encode() + b"\n"


def kinds(result: CheckResult) -> list[str]:
    return [json.loads(text).get("event", "header") for text in result.output]


# -- byte-order marks -------------------------------------------------------------------------------------


def test_a_byte_order_mark_at_the_beginning_is_passed_over() -> None:
    for lines in (
        [codecs.BOM_UTF8 + line(), END],
        ["\ufeff" + line().decode(), END.decode()],
    ):
        result = check_lines(lines)  # type: ignore[arg-type]
        assert (result.status, result.errors) == (0, [])
        assert result.output[:2] == [line().rstrip(b"\n"), END.rstrip(b"\n")]


def test_a_byte_order_mark_anywhere_else_makes_a_line_malformed() -> None:
    first, second = line(), codecs.BOM_UTF8 + END
    for lines in ([first, second], [first.decode(), second.decode()], [codecs.BOM_UTF8 * 2 + first]):
        result = check_lines(lines)  # type: ignore[arg-type]
        assert result.status == 2
        assert f"line {len(lines)}: the line is not JSON" in result.errors[0]


def test_a_byte_order_mark_alone_is_an_empty_record() -> None:
    assert "its first line must be its header" in check_lines([codecs.BOM_UTF8]).errors[0]


def test_a_record_in_another_encoding_says_so() -> None:
    for coding in ("utf-16", "utf-16-le", "utf-16-be"):
        bad = line().decode().encode(coding)
        result = check_lines(bad.splitlines(keepends=True))
        assert result.status == 2
        assert "line 1: the line is UTF-16: save the record as UTF-8" in result.errors[0], coding


# -- a key given twice ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("twice", "key"),
    [
        (b'{"event": "end", "at": 1, "at": 2}', "at"),
        (b'{"event": "end", "event": "end", "at": 1}', "event"),
        (b'{"event": "sneeze", "at": 1, "loud": {"a": [{"b": 1, "b": 1}]}}', "b"),
        (b'{"event": "correct", "at": 1, "of": 1, "with": {"at": 1, "at": 3}}', "at"),
        (b'{"event": "end", "at": 1, "\\u0061t": 2}', "at"),
    ],
)
def test_a_key_given_twice_makes_a_line_malformed(twice: bytes, key: str) -> None:
    for lines in ([line(), END, twice + b"\n", END], [line(), END, twice]):
        result = check_lines(lines)
        assert result.status == 2
        assert result.errors == [f"line 3: key '{key}' is there twice: keep the one that is meant"]
        assert kinds(result) == ["header", "end"]


def test_a_key_given_twice_in_the_header() -> None:
    twice = line().replace(b'"game"', b'"game": "nuts", "game"')
    assert check_lines([twice, END]).errors == [
        "line 1: key 'game' is there twice: keep the one that is meant"
    ]


def test_two_objects_may_have_one_key_each() -> None:
    assert load_json('[{"a": 1}, {"a": {"a": 2}}]') == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize(
    "text",
    ['{"a": NaN}', "[Infinity]", "[1e999]", "{", "", "\ufeff1", b"\xff", '"\\ud800', "[" * 100_000],
)
def test_what_is_no_json_is_one_kind_of_error(text: str | bytes) -> None:
    with pytest.raises(JsonError):
        load_json(text)


# -- which hand it is -------------------------------------------------------------------------------------


def test_a_header_says_which_hand_and_session_it_is_of() -> None:
    header = parse_header(HEADER | {"id": UUID, "session": "friday"})
    assert (header.id, header.session) == (UUID, "friday")
    assert parse_header(header.to_json()) == header
    assert header.to_json()["id"] == UUID


def test_one_hand_has_one_id_however_it_is_written() -> None:
    assert parse_header(HEADER | {"id": UUID.upper()}).id == UUID


def test_a_header_without_them_says_nothing_of_them() -> None:
    for header in (HEADER, HEADER | {"id": None, "session": None}):
        said = parse_header(header).to_json()
        assert "id" not in said and "session" not in said


@pytest.mark.parametrize("bad", ["", "7", 7, True, [], UUID[:-1], f"{{{UUID}}}", UUID.replace("-", "")])
def test_an_id_that_is_no_uuid_is_refused(bad: object) -> None:
    result = check_lines([line(id=bad), END])
    assert result.status == 2
    assert "line 1: header: field 'id' is no UUID" in result.errors[0]


@pytest.mark.parametrize("bad", ["", 7.5, True, {}])
def test_a_session_that_is_none_is_refused(bad: object) -> None:
    result = check_lines([line(session=bad), END])
    assert result.status == 2
    assert "line 1: header: field 'session' is no text" in result.errors[0]


def test_the_schema_knows_them() -> None:
    properties = record_schema()["anyOf"][0]["properties"]
    assert {"id", "session"} <= set(properties)
