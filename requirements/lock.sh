#!/bin/sh
# Pins the newest versions that pyproject.toml allows: runtime.txt, test.txt, path.txt and train.txt beside this file.
# usage: sh requirements/lock.sh [python]
set -eu
python=${1:-python3.11}
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

pin() {  # name, what to install...
    name=$1; shift
    "$python" -m venv "$scratch/$name"
    pip="$scratch/$name/bin/python -m pip --disable-pip-version-check"
    # hatchling and editables: so that the package itself is installed without fetching a build environment.
    $pip install --quiet hatchling editables "$@"
    {
        echo "# Made by requirements/lock.sh; change pyproject.toml and run 'make lock'."
        $pip freeze --exclude nerts-referee | sed -E 's/\+cpu$//'
    } > "$here/$name.txt"
}

pin runtime .
pin test '.[test,lint]'
pin path '.[test,path]'
pin train '.[train]'
