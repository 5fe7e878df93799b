"""Case definitions, the command line that runs them, and the pictures."""

from pathlib import Path

from floating_frame.output.run_methods import register

__path__.append(str(Path(__file__).parent / "renamed"))  # `python -m cases.OLD_NAME` of earlier versions still runs

register("plot", "cases.drawing.plotting:plot_run")
register("animate", "cases.drawing.animate:animate_run")
register("to_vtk", "cases.export.command:run_to_vtk")
register("to_html", "cases.export.command:run_to_html")
