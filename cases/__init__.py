"""Case definitions, the command line that runs them, and the pictures."""

from floating_frame.output.run_methods import register

register("plot", "cases.drawing.plotting:plot_run")
register("animate", "cases.drawing.animate:animate_run")
register("to_vtk", "cases.export.command:run_to_vtk")
register("to_html", "cases.export.command:run_to_html")
