"""Hand-written records: from the shorthand of `records/*.toml` to lines of a record."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "rules"
DEALS: dict[str, Any] = tomllib.loads((FOLDER / "deals.toml").read_text())
BEFORE: dict[str, list[str]] = DEALS.pop("before")
BACKS = {"north": "blue", "south": "red", "east": "green", "west": "black"}
_CARD = re.compile(r"[A2-9TJQK?][SHDC?]")


def cases() -> Iterator[dict[str, Any]]:
    """Every hand-written case, with the file it is in."""
    for file in sorted((FOLDER / "records").glob("*.toml")):
        for case in tomllib.loads(file.read_text())["case"]:
            yield case | {"file": file.name}


def pile(written: str) -> list[str]:
    """A pile: "12* 5H" is twelve unknown cards with the five of hearts on top."""
    cards: list[str] = []
    for word in written.split():
        cards += ["??"] * int(word[:-1]) if word.endswith("*") else [word]
    return cards


def event(written: str) -> dict[str, Any]:
    """An event: KIND SEAT CARDS : FROM > TO | field=value …"""
    head, _, fields = written.partition("|")
    what, _, way = head.partition(":")
    words = what.split()
    line: dict[str, Any] = {"event": words.pop(0)}
    cards = [word for word in words if _CARD.fullmatch(word)]
    seats = [word for word in words if word not in cards]
    if seats:
        line["seat"] = seats[0]
    if cards:
        line["cards"] = cards
    if way.strip():
        line["from"], line["to"] = (part.strip() for part in way.split(">"))
    for name, value in re.findall(r"(\w+)=('[^']*'|\[[^]]*\]|\S+)", fields):
        line[name] = json.loads(value.replace("'", '"'))
    return line


def lines(case: dict[str, Any]) -> list[bytes]:
    """The record of a case, line by line."""
    game = case.get("game", "nerts")
    deals = DEALS.get(case.get("layout", game), DEALS["nerts"])
    seats = case.get("seats") or [{"seat": seat, "deck": BACKS[seat]} for seat in deals]
    if game == "team-nuts" and "seats" not in case:
        seats = [seat | {"role": "nuts"} for seat in seats]
        seats += [
            {"seat": "east", "deck": "blue", "role": "cards"},
            {"seat": "west", "deck": "red", "role": "cards"},
        ]
    seats = seats + [{"seat": seat, "deck": BACKS[seat]} for seat in case.get("undealt", [])]
    source = {"kind": case.get("source", "typed")} | ({"fps": case["fps"]} if "fps" in case else {})
    header = {
        "record": 1,
        "game": game,
        "settings": case.get("settings", {}),
        "seats": seats,
        "source": source,
    }
    record: list[dict[str, Any]] = [header | case.get("header", {})]
    for seat, piles in deals.items():
        changed = case.get("deal", {}).get(seat, {})
        deal = {place: pile(cards) for place, cards in (piles | changed).items()}
        line = {"event": "deal", "at": 0, "seat": case.get("rename_deal", {}).get(seat, seat), "piles": deal}
        if seat in case.get("up", {}):
            line["up"] = case["up"][seat]
        record.append(line)
    for written in BEFORE.get(case.get("before", ""), []) + case.get("events", []):
        times, repeated = re.match(r"(?:(\d+)x )?", written), written
        if times is not None and times[1]:
            repeated = written[times.end() :]
        for _ in range(int(times[1] or 1) if times else 1):
            line = json.loads(repeated) if repeated.startswith("{") else event(repeated)
            record.append({"at": 2.0 * (len(record) - 2)} | line)
    return [json.dumps(line).encode() + b"\n" for line in record]
