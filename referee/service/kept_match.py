"""The match that a table's hands are counted in, hand after hand, in the file that `match` keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.errors import BadInputError
from referee.matches.match import MatchError
from referee.matches.provenance import Likeness, Recorded
from referee.matches.scorebook import Judged, Scorebook
from referee.service.alone import alone
from referee.service.matchfile import read_match, write_match


@dataclass(frozen=True, slots=True)
class KeptMatch:
    """A match in a file, which its first hand begins. `names`: what seats are called in it, where not by their names."""

    path: Path

    def totals(self, names: Mapping[str, str]) -> dict[str, float]:
        """What each seat has so far; empty before the first hand. Raises BadInputError for what is no match."""
        if not self.path.exists():
            return {}
        seats = {name: seat for seat, name in names.items()}
        return {seats.get(name, name): total for name, total in read_match(self.path).match.totals.items()}

    def keep(self, record: Path, names: Mapping[str, str]) -> str:
        """Count the hand of this record, which has ended; "" or why it is not counted. Raises nothing."""
        try:
            judged = Judged.of(record.read_bytes(), str(record))
            with alone(self.path, "match"):
                book = read_match(self.path) if self.path.exists() else Scorebook.of(judged.header, names)
                book.add_record(judged, names)
                write_match(self.path, book)
        except (MatchError, BadInputError) as error:
            return f"the match does not count this hand ({error})"
        except OSError as error:
            return f"the match cannot be written ({error.strerror}): add the record to it later"
        return ""

    def count_again(self, record: Path) -> str:
        """Count a hand anew whose record was corrected since it was counted; one that is not counted stays so.

        What became of that, in words; "" where there was nothing to count. Raises nothing.
        """
        if not self.path.is_file():
            return ""
        try:
            data = record.read_bytes()
            source = Recorded.of(str(record), data)
            with alone(self.path, "match"):
                book = read_match(self.path)
                entries = [each.about for each in book.match.entries]
                counted = [each for each in entries if source.likeness(each) is Likeness.ANEW]
                if not counted:
                    return ""
                judged = Judged.of(data, str(record))
                # the match knows its players by their names, in the order of the seats
                names = dict(zip(judged.score.hand, counted[0].get("hand", judged.score.hand), strict=True))
                book.add_record(judged, names)
                write_match(self.path, book)
        except (MatchError, BadInputError, ValueError) as error:
            return f"The match still counts it as it was ({error})."
        except OSError as error:
            return f"The match still counts it as it was (it cannot be written: {error.strerror})."
        return "The match counts it so, too."
