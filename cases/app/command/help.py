"""The help of a command: its options in groups, wrapped to the terminal, in a pipe a line each."""

from __future__ import annotations

import io
import shutil
import sys
import textwrap
from collections.abc import Iterable

from cyclopts import Group

GROUPS: dict[str, tuple[str, ...]] = {
    "Body": (
        *("body", "shape", "feet", "model", "length", "width", "height", "thickness", "radius", "half_height", "mass"),
        *("inner_radius", "outer_radius", "faces", "J1", "J2", "J3", "mesh", "merge_nodes", "elements"),
        *("nx", "ny", "nz", "nr", "nt", "ne"),
    ),
    "Material": ("E", "nu", "density", "material", "plane", "viscosity"),
    "Ground and friction": (
        *(
            "mu",
            "law",
            "mu_s",
            "v_reg",
            "v_s",
            "v_d",
            "max_stiction_deformation",
            "stribeck_speed",
            "stribeck_exponent",
        ),
        *("mu_across", "axis_angle", "spline_speeds", "spline_values", "max_force", "gravity", "pressure"),
        *("reacting_height", "contact", "stiffness", "damping", "m1", "m2", "m3", "onset", "stiffness_spline"),
        *("damping_spline", "tensile", "restitution", "restitution_law"),
    ),
    "Loads": (),
    "Time and accuracy": (
        *("t_end", "dt", "steps", "scheme", "error_tolerance", "frame", "buffer_radius_factor", "max_step_size_factor"),
        *("no_estimate", "estimate", "estimate_mesh"),
    ),
    "Output": ("output_every",),
}
"""Groups of the help and their parameters; other parameters of a case are under Loads."""


def group(name: str, others: str = "Output") -> Group:
    """Group of an option; ``others``: the group of options that are not listed."""
    title = next((title for title, names in GROUPS.items() if name in names), others)
    return Group(title, sort_key=[*GROUPS].index(title))


def idle(reasons: Iterable[str]) -> Group:
    """Group of the parameters without effect beside the choices made, the ``reasons``."""
    return Group(f"Not read with {', '.join(dict.fromkeys(reasons))}", sort_key=len(GROUPS))


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
