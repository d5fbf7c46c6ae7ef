"""Dump a module of React SVG components to plain SVG text, with node and a stand-in for React."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from datasets.decks.manifest import AssetError

_NATIVE_CAMEL = [
    "viewBox",
    "preserveAspectRatio",
    "gradientUnits",
    "gradientTransform",
    "patternUnits",
    "patternTransform",
    "patternContentUnits",
    "clipPathUnits",
    "spreadMethod",
    "baseProfile",
]

#: Renders every component to a string; %s: the module's text, the attributes that keep their capitals.
_PROGRAM = """
const native = new Set(%(native)s);
const escape = text => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const dashed = key => key === 'className' ? 'class' : key === 'xlinkHref' ? 'xlink:href'
  : key === 'xmlnsXlink' ? 'xmlns:xlink' : native.has(key) ? key
  : key.replace(/[A-Z]/g, c => '-' + c.toLowerCase());
const value = (key, v) => key === 'style'
  ? Object.entries(v).map(([k, x]) => dashed(k) + ':' + x).join(';') : v;
const React = { createElement(tag, props, ...children) {
  const attributes = Object.entries(props || {}).filter(([k, v]) => v !== undefined && v !== null)
    .map(([k, v]) => ` ${dashed(k)}="${escape(value(k, v))}"`).join('');
  return `<${tag}${attributes}>${children.flat().filter(c => c).join('')}</${tag}>`;
} };
const _extends = Object.assign;
%(module)s
const all = %(names)s;
process.stdout.write(JSON.stringify(Object.fromEntries(
  Object.entries(all).map(([name, part]) => [name, part({})]))));
"""


def components_to_svg(module: Path) -> dict[str, str]:
    """Every exported component of `module` as SVG text, by its exported name; raises AssetError."""
    lines = module.read_text(encoding="utf-8").splitlines()
    body = "\n".join(line for line in lines if not line.startswith(("import ", "export ")))
    exports = next(line for line in lines if line.startswith("export {"))
    pairs = [entry.split(" as ") for entry in exports[exports.index("{") + 1 : exports.index("}")].split(",")]
    names = "{" + ", ".join(f"{exported.strip()}: {local.strip()}" for local, exported in pairs) + "}"
    program = _PROGRAM % {"native": json.dumps(_NATIVE_CAMEL), "module": body, "names": names}
    try:
        done = subprocess.run(["node", "-"], input=program, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise AssetError(
            f"{module.name}: node could not draw its cards ({error}); is node installed?"
        ) from error
    drawn: dict[str, str] = json.loads(done.stdout)
    return drawn
