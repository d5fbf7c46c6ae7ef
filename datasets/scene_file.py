"""Scenes as JSON: written beside a picture, read back to draw it again or otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from datasets.scene import Scene

_SCENE = TypeAdapter(Scene)


class SceneError(Exception):
    """What is no scene; the message names the setting."""


def scene_as_json(scene: Scene) -> dict[str, Any]:
    """For a JSON file; numbers keep every digit."""
    result: dict[str, Any] = _SCENE.dump_python(scene, mode="json")
    return result


def scene_from_json(data: object) -> Scene:
    """The scene that `scene_as_json` told of; raises SceneError."""
    try:
        return _SCENE.validate_python(data)
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(str(part) for part in wrong["loc"]) or "the whole of it"
        raise SceneError(f"{where}: {wrong['msg']}") from None


def read_scene(path: Path) -> Scene:
    """A scene from a file; raises SceneError naming it."""
    try:
        return scene_from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, SceneError) as error:
        raise SceneError(f"{path}: not a scene that can be read ({error})") from None
