"""The report of a refereed recording: one HTML file with a filmstrip for every play, to look at anywhere."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from referee.record.account import Account, Entry, clock
from vision.capture.filmstrip import Strip, film
from vision.wholefile import write_whole

#: Events that get a filmstrip.
_FILMED = frozenset({"play", "call", "take-back", "recycle"})
#: Before the hand lifts the card and after it has come to rest, s.
_BEFORE_S, _AFTER_S = 0.25, 0.5
#: How long a play is taken to last where the record says only when it ended, s.
_USUAL_S = 0.7


def write_report(target: Path, video: Path, account: Account, title: str) -> Path:
    """Write the report of `video` as one file without any reference to the outside; the path is returned."""
    shown = [entry for entry in account.entries if entry.kind in _FILMED or entry.remarks]
    pictures = film(video, [strip_of(entry) for entry in shown])
    strips = {entry.number: _embedded(strip) for entry, strip in zip(shown, pictures, strict=True)}
    html = (
        _templates()
        .get_template("templates/report.html")
        .render(account=account, title=title, shown=shown, strips=strips, clock=clock)
    )
    write_whole(target, html.encode(errors="xmlcharrefreplace"))
    return target


def strip_of(entry: Entry) -> Strip:
    """Before, on the way, come to rest, and the hand gone."""
    starts = entry.starts if entry.starts < entry.at else entry.at - _USUAL_S
    moments = (starts - _BEFORE_S, (starts + entry.at) / 2, entry.at, entry.at + _AFTER_S)
    return Strip(tuple(max(round(moment, 3), 0.0) for moment in moments))


def _embedded(pictures: Sequence[bytes]) -> list[str]:
    return ["data:image/jpeg;base64," + b64encode(picture).decode() for picture in pictures]


def _templates() -> Environment:
    return Environment(loader=PackageLoader("referee", "web"), autoescape=True, undefined=StrictUndefined)
