"""The help of a command: its options in groups, wrapped to the terminal, in a pipe a line each."""

from __future__ import annotations

import io
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from cyclopts import Group

GROUPS: dict[str, tuple[str, ...]] = {
    "Body": (
        *("body", "shape", "feet", "model", "motion", "support", "length", "width", "height", "thickness", "radius"),
        *("half_height", "inner_radius", "outer_radius", "faces", "mass", "J1", "J2", "J3", "mesh", "merge_nodes"),
        *("elements", "nx", "ny", "nz", "nr", "nt", "ne"),
    ),
    "Material": ("E", "nu", "density", "material", "plane", "viscosity"),
    "Ground and friction": (
        *("gravity", "angle", "pressure", "reacting_height", "belt_speed", "law", "mu", "mu_s", "v_reg", "v_s", "v_d"),
        *("max_stiction_deformation", "stribeck_speed", "stribeck_exponent", "mu_across", "axis_angle"),
        *("spline_speeds", "spline_values", "max_force", "contact", "stiffness", "damping", "m1", "m2", "m3", "onset"),
        *("stiffness_spline", "damping_spline", "tensile"),
    ),
    "Loads": (),
    "Initial motion": (
        *("vx0", "vy0", "spin0", "spin_x", "spin_y", "spin_z", "spin1", "spin2", "spin3", "stretch", "stretch0"),
    ),
    "Time and accuracy": (
        *("t_end", "dt", "steps", "scheme", "error_tolerance", "frame", "buffer_radius_factor", "max_step_size_factor"),
        *("no-estimate", "estimate", "estimate_mesh"),
    ),
    "Output": ("output_every",),
}
"""Groups of a help and their parameters, in order; all others are under Loads. The groups of a case, ``HEADINGS``, follow the
ground."""
BEHIND = [*GROUPS].index("Ground and friction") + 0.5


def heading(name: str, own: Mapping[str, Sequence[str]], others: str) -> str:
    """Title of the group of an option; ``own``: groups of the case, ``others``: title for the other options."""
    return next((title for title, names in (*own.items(), *GROUPS.items()) if name in names), others)


def group(name: str, others: str = "Output", own: Mapping[str, Sequence[str]] = MappingProxyType({})) -> Group:
    """Group of an option, as ``heading``."""
    title = heading(name, own, others)
    return Group(title, sort_key=[*GROUPS].index(title) if title in GROUPS else BEHIND)


def place(name: str, own: Mapping[str, Sequence[str]]) -> tuple[int, int]:
    """Place of an option in a help: of its group, and within it; options without a group come last, in their order."""
    titles, title = [*own, *GROUPS], heading(name, own, "")
    names = {**GROUPS, **own}.get(title, ())
    return (titles.index(title), names.index(name)) if name in names else (len(titles), 0)


def idle(reasons: Iterable[str]) -> Group:
    """Group of the parameters without effect; ``reasons``: the choices that make them so."""
    return Group(f"No effect with {'; '.join(dict.fromkeys(reasons))}", sort_key=len(GROUPS))


class Wrapped(io.StringIO):
    """Standard output of the help: lines wrapped to the terminal, continuations indented."""

    def write(self, text: str) -> int:
        """Write whole lines."""
        return sys.stdout.write("".join(_wrapped(text.splitlines(keepends=True))))

    def flush(self) -> None:
        """Flush standard output."""
        sys.stdout.flush()


def _wrapped(lines: Iterable[str]) -> Iterable[str]:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip(" ")) + 4)
        folded = textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)
        yield "\n".join(folded) + "\n" * line.endswith("\n")
