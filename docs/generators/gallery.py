"""The gallery: every case and every figure of the registries, with its picture, its command and ten lines of Python.

Run as a script, ``make pictures``, it draws missing pictures into docs/build/gallery/: small pictures and the headline numbers
beside them. A new case or figure of a registry is included automatically.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GALLERY = ROOT / "docs" / "build" / "gallery"
sys.path[:0] = [str(ROOT)] * (__name__ == "__main__")

from PIL import Image  # noqa: E402

from cases.app.parts.parameters import base_type  # noqa: E402
from cases.app.registry import CASES, load  # noqa: E402
from cases.app.run.results import git_commit  # noqa: E402
from paper_figures.registry import FIGURES  # noqa: E402
from paper_figures.registry import load as load_figure  # noqa: E402

WIDTH = 1300
"""Pixels of a picture of the gallery: its lines stay sharp at a width of 650 points."""
COMMON = ("t_end", "dt", "scheme", "law", "gravity", "output_every")
"""Parameters of nearly every case, which the ten lines of code do not show."""


def draw() -> int:
    """Run and draw the cases and figures whose pictures are not there; return the exit status of the first that fails."""
    GALLERY.mkdir(parents=True, exist_ok=True)
    for name in CASES:
        status = 0 if _known(name) else _draw_case(name)
        if status:
            return status
    for name in FIGURES:
        status = 0 if _known(name) else _draw_figure(name)
        if status:
            return status
    return 0


def _known(name: str) -> bool:
    return (GALLERY / f"{name}.png").is_file()


def _draw_case(name: str) -> int:
    from cases.app.command.cli import main

    print(f"gallery: {name}", flush=True)
    out = GALLERY / "runs" / name
    status = main(["run", name, "--out", str(out), "--quiet", "--force"])
    if status == 0:
        results = json.loads((out / "summary.json").read_text(encoding="utf-8"))["results"]
        (GALLERY / f"{name}.json").write_text(
            json.dumps({"commit": git_commit(), "results": results}), encoding="utf-8"
        )
        shrink(out / f"{name}.png", GALLERY / f"{name}.png")
    return status


def _draw_figure(name: str) -> int:
    from paper_figures.command import main

    out = GALLERY / "figures"
    status = main([name, "--out", str(out)])
    if status == 0:
        (GALLERY / f"{name}.json").write_text(json.dumps({"commit": git_commit()}), encoding="utf-8")
        shrink(out / f"{name}.png", GALLERY / f"{name}.png")
    return status


def shrink(source: Path, target: Path, width: int = WIDTH) -> None:
    """Write a picture at most `width` pixels wide and of 256 colours, a tenth of its bytes."""
    with Image.open(source) as picture:
        size = (min(width, picture.width), round(picture.height * min(1.0, width / picture.width)))
        small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    small.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(target, optimize=True)


def pages(folder: Path = GALLERY) -> dict[str, str]:
    """Two pages, as markdown for docs/: the cases and the figures, with the pictures that `folder` has."""
    cases = [_case(name, line, folder) for name, line in CASES.items()]
    figures = [_figure(name, folder) for name in FIGURES]
    return {
        "gallery-cases.md": "\n".join([*_missing(list(CASES), folder), *_thumbnails(list(CASES), folder), *cases]),
        "gallery-figures.md": "\n".join(
            [*_missing(list(FIGURES), folder), *_thumbnails(list(FIGURES), folder), *figures]
        ),
    }


def _missing(names: Sequence[str], folder: Path) -> list[str]:
    """Note on the pictures that `folder` lacks."""
    count = sum(not (folder / f"{name}.png").is_file() for name in names)
    if not count:
        return []
    how = "`make pictures` draws them, in minutes, and `make docs` shows them."
    return ["```{note}", f"{count} of {len(names)} pictures are not drawn here: {how}", "```", ""]


def _thumbnails(names: Sequence[str], folder: Path) -> list[str]:
    drawn = [name for name in names if (folder / f"{name}.png").is_file()]
    if not drawn:
        return []
    links = [f"[![{name}]({_address(name)}) {name}](#{name.lower()})" for name in drawn]
    return [":::{container} thumbnails", *links, ":::", ""]


def _address(name: str) -> str:
    """Address of a picture of the gallery from a page of docs/."""
    return f"build/gallery/{name}.png"


def _picture(name: str, alternative: str, folder: Path) -> str:
    if not (folder / f"{name}.png").is_file():
        return "*Not drawn here: `make pictures` draws it.*\n"
    return f"![{alternative}]({_address(name)})\n"


def _case(name: str, line: str, folder: Path) -> str:
    title, numbers = f"## {name}\n\n{line[0].upper()}{line[1:]}.\n", folder / f"{name}.json"
    shown = [title, _picture(name, f"The picture of {name}", folder), f"```sh\npython -m cases run {name}\n```\n"]
    shown.append(f"```python\n{case_code(name)}```\n")
    if numbers.is_file():
        stored = json.loads(numbers.read_text(encoding="utf-8"))
        shown.append(f"Results (at commit `{stored['commit'][:10]}`):\n\n{_table(stored['results'])}\n")
    return "\n".join(shown)


def _table(results: Mapping[str, Any]) -> str:
    lines = ["| number | value | exact, reference |", "|---|---|---|"]
    for entry in results.values():
        unit = "" if entry["unit"] == "1" else f" {entry['unit']}"
        value = "none" if entry["value"] is None else f"{entry['value']:.6g}{unit}"
        known = entry["exact"] if "exact" in entry else entry.get("reference", {}).get("value")
        description = entry["description"].replace("|", "\\|").replace("_", "\\_")
        lines.append(f"| {description} | {value} | {'' if known is None else f'{known:.6g}{unit}'} |")
    return "\n".join(lines) + "\n"


def case_code(name: str, **parameters: Any) -> str:
    """Ten lines that run a case from Python, with the `parameters` given or three of its own at their defaults."""
    module = importlib.import_module(load(name).__name__)
    shown = parameters or _own_parameters(module.Parameters)
    given = ", ".join(f"{key}={value!r}" for key, value in shown.items())
    home, _, own = module.__name__.rpartition(".")
    return (
        f"from {home} import {own} as case\n"
        "from cases.app.run.results import attributes\n"
        "from floating_frame import assemble, simulate\n"
        "\n"
        f"params = case.Parameters({given})\n"
        "model = assemble(case.problem(params), case.options(params))\n"
        f'run = simulate(model, attributes=attributes("{name}", params))\n'
        "for number in case.summary(params, run).values():\n"
        '    print(number["description"], number["value"], number["unit"])\n'
        f'run.fff.plot("{name}.png")\n'
    )


def _own_parameters(model: Any, count: int = 3) -> dict[str, Any]:
    """First numbers among a case's own parameters, with their defaults."""
    own = [key for key in model.__annotations__ if key in model.model_fields and key not in COMMON]
    fields = {key: model.model_fields[key] for key in [*own, *model.model_fields]}
    numbers = {
        key: field.default for key, field in fields.items() if base_type(field) in (int, float) and key not in COMMON
    }
    known = [(key, value) for key, value in numbers.items() if isinstance(value, int | float)]
    return dict(known[:count])


def _figure(name: str, folder: Path) -> str:
    module = load_figure(name)
    claim = module.CLAIM[0].upper() + module.CLAIM[1:]
    shown = [f"## {name}\n\n*{module.SOURCE}.* {claim}{'' if claim.endswith('.') else '.'}\n"]
    shown += [_picture(name, f"The figure {name}", folder), f"```sh\npython -m paper_figures {name}\n```\n"]
    return "\n".join([*shown, f"```python\n{figure_code(name)}```\n"])


def figure_code(name: str) -> str:
    """Ten lines that make a figure from Python."""
    return (
        "from pathlib import Path\n"
        "\n"
        "from paper_figures.registry import load\n"
        "from paper_figures.runs.make import computed, drawn\n"
        "from paper_figures.runs.store import Store\n"
        "\n"
        f'figure = load("{name}")\n'
        'numbers, runs = computed(figure, Store(Path("out/runs")))  # quick=True: a coarse one, in seconds\n'
        f'drawn(figure, numbers).savefig("{name}.pdf")\n'
        "print(figure.CLAIM, *runs)\n"
    )


if __name__ == "__main__":
    sys.exit(draw())
