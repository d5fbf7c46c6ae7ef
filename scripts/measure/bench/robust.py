"""Gives broken files and odd words to every command and every route of the page, and counts what became of it.

    python -m scripts.measure.bench.robust --cases 20000

Runs the tests that do so with more cases than usual. Ends with status 1 if any case ended in a fault; what it was, and
with which files, the tests tell.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time

import pytest

CASES = 20_000
TESTS = ("tests/referee/commands/test_robust_commands.py", "tests/web/test_robust_routes.py")


class Tally:
    """What pytest tells of the tests: each has a batch of cases."""

    def __init__(self) -> None:
        self.cases = self.failed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the cases of a test, and whether it failed."""
        self.failed += report.failed
        if report.when == "call":
            self.cases += sum(int(str(value)) for name, value in report.user_properties if name == "cases")

    def __str__(self) -> str:
        return f"{self.cases} cases of broken files, {self.failed} batches of them with a fault"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("tests", nargs="*", default=TESTS)
    chosen = parser.parse_args()
    os.environ["NERTS_ROBUST_CASES"] = str(chosen.cases)
    tally, begun = Tally(), time.perf_counter()
    status = pytest.main(["-q", "--no-header", *chosen.tests], [tally])
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"{tally}; {time.perf_counter() - begun:.0f} s, {peak_mb:.0f} MB at most")
    sys.exit(bool(status or tally.failed))


if __name__ == "__main__":
    main()
