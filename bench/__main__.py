"""`python -m bench [--quick] [NAME...]`: measures, prints the table, writes it as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.case import QUICK, Case, Effort
from bench.cases import CASES
from bench.report import RESULTS, make_report, markdown, table, write
from bench.row import Row


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is asked for."""
    options = _parser().parse_args(arguments)
    effort = QUICK if options.quick else Effort()
    if options.repetitions:
        effort = effort._replace(repetitions=options.repetitions, starts=options.repetitions)
    rows: list[Row] = []
    for case in _chosen(options.names):
        print(f"{case.name}: {case.about}", flush=True)
        rows += case.run(effort)
    print("\n" + (markdown if options.markdown else table)(rows))
    print(f"\n{write(make_report(rows, quick=options.quick), options.results)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = [case.name for case in CASES]
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(names)}; or all")
    parser.add_argument("--quick", action="store_true", help="see that it runs; proves nothing")
    parser.add_argument("--repetitions", type=int, default=0, help="how often, with new processes")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the JSON goes")
    return parser


def _chosen(names: Sequence[str]) -> list[Case]:
    by_name = {case.name: case for case in CASES}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise SystemExit(f"no benchmark {', '.join(unknown)}; there are: {', '.join(by_name)}")
    return [by_name[name] for name in names] or list(CASES)


if __name__ == "__main__":
    main()
