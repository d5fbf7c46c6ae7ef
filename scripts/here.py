"""Which sources on which machine: what every file of figures says of itself."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def here() -> dict[str, object]:
    """Commit, digest of the rules' sources, machine, Python, and how busy the machine is (load of one minute)."""
    return {
        "commit": commit(),
        "sources": sources(),
        "machine": f"{processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
    }


def commit() -> str:
    """The commit of the checkout; with a + if what rules or sees has changed since."""
    try:
        name = _git("rev-parse", "--short", "HEAD")
        return name + "+" * bool(_git("status", "--porcelain", "--", "referee", "vision", "models"))
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


#: Rooms of the referee that rules, players and presets consist of, whatever lies how deep in them.
RULES = ("games", "matches", "players", "presets", "record", "rules")


def sources(referee: Path = ROOT / "referee") -> str:
    """A digest of all that rules, players and presets consist of."""
    digest = hashlib.sha256()
    files = list(referee.glob("*.py"))
    files += [file for room in RULES for end in ("py", "toml") for file in (referee / room).rglob(f"*.{end}")]
    for file in sorted(files):
        digest.update(file.relative_to(referee).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def processor() -> str:
    """What the machine's processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
