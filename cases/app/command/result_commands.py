"""The commands that take saved results: plot, animate, export, compare, resume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from cases.app.run.estimate import Estimate


def plot(directory: Annotated[str, Parameter(name="DIR", help="a results directory")], /) -> int:
    """Draw DIR/NAME.png again from the saved DIR/trajectory.nc, without running the case."""
    from cases.app.drawing.plotting import plot_directory

    print(plot_directory(directory))
    return 0


def animate(
    directory: Annotated[str, Parameter(name="DIR", help="a results directory")],
    /,
    *,
    fps: Annotated[
        str | None, Parameter(help="frames per second, at most 50; default 20", allow_leading_hyphen=True)
    ] = None,
    out: Annotated[
        str | None, Parameter(help="file.mp4 or file.gif; default DIR/NAME.mp4, or .gif without ffmpeg")
    ] = None,
) -> int:
    """Write an animation of the saved DIR/trajectory.nc, without running the case."""
    from cases.app.drawing.animate import animate_directory

    print(animate_directory(directory, fps=fps, out=out))
    return 0


def export(
    directory: Annotated[str, Parameter(name="DIR", help="a results directory")],
    /,
    *,
    to: Annotated[
        str | None, Parameter(help="vtk (a series for ParaView), csv (headline series) or html (one page)")
    ] = None,
    out: Annotated[str | None, Parameter(help="file; default DIR/vtk/NAME.pvd, DIR/NAME.csv or DIR/NAME.html")] = None,
) -> int:
    """Write the saved DIR/trajectory.nc for other programs, without running the case."""
    from cases.app.export.command import export_directory

    print(export_directory(directory, to, out))
    return 0


def compare(
    *directories: Annotated[str, Parameter(name="DIR", help="results directories, at least two, of any cases")],
    out: Annotated[str | None, Parameter(help="picture; default results/comparison.png")] = None,
) -> int:
    """Compare saved runs: a table of final values and differences, and a picture."""
    from cases.app.studies.compare_output import compare_command

    return compare_command(directories, out)


def resume(
    directory: Annotated[str, Parameter(name="DIR", help="a results directory")],
    /,
    *,
    t_end: Annotated[str | None, Parameter(help="end of the simulated time [s]; default the run's own")] = None,
    checkpoint_every: Annotated[str | None, Parameter(help="as of run")] = None,
    quiet: Annotated[bool, Parameter(help="print errors and warnings only (-q)", negative="")] = False,
    strict: Annotated[bool, Parameter(help="as of run", negative="")] = False,
    estimate: Annotated[bool, Parameter(help="as of run", negative="")] = False,
    estimate_mesh: Annotated[bool, Parameter(name="--estimate_mesh", help="as of run", negative="")] = False,
) -> int:
    """Continue a killed, failed or finished run, equal to the uninterrupted one to the last bit."""
    from cases.app.run.resume import resume

    chosen: Estimate = "mesh" if estimate_mesh else "steps" if estimate else ""
    return resume(
        directory, t_end=t_end, quiet=quiet, strict=strict, checkpoint_every=checkpoint_every, estimate=chosen
    )
