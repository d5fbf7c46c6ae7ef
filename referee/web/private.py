"""What this machine keeps for itself, readable by its user alone: the keys of the page and its certificate."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from referee.errors import BadInputError
from referee.record.strictjson import JsonError, load_json
from referee.rules.events import BadEventError, read_number, read_text
from referee.web.auth import KEPT_S, Keys, Role
from vision.wholefile import write_whole

_KEYS = "keys.json"
#: A key that is shorter than this was not made here.
_LEAST_LETTERS = 20


def private_folder() -> Path:
    """The user's folder for them: $XDG_CONFIG_HOME/nerts-referee/private, else below ~/.config. Not made yet."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "nerts-referee" / "private"


def write_private(path: Path, data: bytes) -> None:
    """Write a file that nobody else may read, whole. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    path.touch(mode=0o600)
    path.chmod(0o600)
    write_whole(path, data)


def kept_keys(folder: Path, *, anew: bool = False) -> Keys:
    """The keys of the last start, so that phones go on after another; new ones after a day, or when asked for.

    Where they cannot be kept they hold until the page is stopped.
    """
    keys = None if anew else _read(folder / _KEYS)
    if keys is None:
        keys = Keys.new()
        told = {"made": time.time()} | {role.word: key for role, key in keys.by_role.items()}
        with suppress(OSError):
            write_private(folder / _KEYS, json.dumps(told).encode())
    return keys


def _read(path: Path) -> Keys | None:
    """None for keys that are too old, that others may have read, or that are none."""
    try:
        if path.stat().st_mode & 0o077:
            return None
        told = load_json(path.read_bytes())
        made = read_number(told["made"])
        keys = {role: read_text(told[role.word]) for role in Role}
    except (OSError, JsonError, BadInputError, BadEventError, KeyError, TypeError):
        return None
    fresh = abs(time.time() - made) < KEPT_S
    good = len(set(keys.values())) == len(Role) and all(len(key) >= _LEAST_LETTERS for key in keys.values())
    return Keys(keys) if fresh and good else None
