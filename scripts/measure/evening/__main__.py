"""Measures an evening as live: a film through `watch` and its page.

    python -m scripts.measure.evening FILM [--speed 0.25] [--replay] [--kills 30] [--out DIR] [--json FILE]

Starts `nerts-referee watch --as-live FILM` with its page as a process of its own, hears the page as a browser does and
calls at the truth's moments as a phone does; then holds what was told against what lies beside the film (made by
`scripts.build.film.evening`, or of one hand by `scripts.build.film.hand`). All times are s of the film, at whatever
speed it plays: figures for people are taken at its own. `--replay` follows each hand once more, taking its time, for
what `replay` makes of it. `--kills` kills the program at random moments; each time it is started again at once.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from referee.live.hand import Referee
from referee.live.looking import CropEyes
from referee.live.terms import Terms
from referee.umpire.odds import Odds
from referee.umpire.umpire import Umpire
from scripts.here import here
from scripts.measure.evening.figures import figures, in_words
from scripts.measure.evening.page import Json
from scripts.measure.evening.truth import TrueEvening, TrueHand
from scripts.measure.evening.watched import Watched
from scripts.measure.replays import ReplayFigures, score_replay
from vision.capture.video import Frame, Video

#: A hand is replayed from so long before its deal lies there to so long after its end (s).
BEFORE_S, AFTER_S = 0.0, 6.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("film", type=Path)
    parser.add_argument(
        "--speed", type=float, default=1.0, help="how many seconds of the film pass in one of ours"
    )
    parser.add_argument(
        "--replay", action="store_true", help="follow every hand once more, taking one's time"
    )
    parser.add_argument(
        "--kills", type=int, default=0, help="how often the program is killed and started again"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the moments at which it is killed")
    parser.add_argument(
        "--out", type=Path, help="where records and recordings are kept; forgotten if not given"
    )
    parser.add_argument("--json", type=Path, help="a file for all figures")
    options = parser.parse_args(arguments)
    try:
        evening = TrueEvening.of(options.film)
    except (OSError, ValueError, KeyError) as error:
        print(
            f"{options.film}: its truth cannot be read ({error}): film it with its truth beside it",
            file=sys.stderr,
        )
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.out or Path(scratch)
        if list(folder.glob("session-*")):
            print(f"{folder} holds a session already: name another folder with --out", file=sys.stderr)
            return 2
        run = Watched(evening, folder, options.speed, options.kills, options.seed).run()
        replayed = (
            {hand.number: by_replay(evening.film, hand) for hand in evening.hands} if options.replay else None
        )
        found = {**here(), **figures(evening, run, replayed)}
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print("\n".join(in_words(found)))
    return 0


def by_replay(film: Path, hand: TrueHand) -> ReplayFigures:
    """What `replay` makes of one hand of a film: every frame of it is pushed."""
    since, until = hand.dealt_s - BEFORE_S, hand.ends_s + AFTER_S
    call = None if hand.call is None else (hand.call[0], hand.call[1] - since)
    lines: list[Json] = []
    with Video(film) as video:
        referee = Referee(
            CropEyes(_eye()), Umpire(Odds()), video.width, video.height, video.fps, Terms(call=call)
        )
        for frame in _part(video, since, until):
            lines += referee.push(frame)
    lines += referee.end()
    later = [{**line, "at": line["at"] + since} if "at" in line else line for line in lines]
    return score_replay(later, hand.lines)


def _part(video: Video, since: float, until: float) -> Iterator[Frame]:
    for index, frame in enumerate(frame for frame in video if since <= frame.time_s):
        if frame.time_s > until:
            return
        yield replace(frame, index=index, time_s=frame.time_s - since)


def _eye() -> object:
    from vision.eye import Eye

    return Eye()


if __name__ == "__main__":
    sys.exit(main())
