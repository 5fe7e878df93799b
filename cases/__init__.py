"""Case definitions, the command line that runs them, and the pictures."""

from floating_frame.output.run_methods import register

__path__.append(f"{__path__[0]}/renamed")  # modules by their names of version 0.2

register("plot", "cases.drawing.plotting:plot_run")
register("animate", "cases.drawing.animate:animate_run")
register("to_vtk", "cases.export.command:run_to_vtk")
register("to_html", "cases.export.command:run_to_html")
