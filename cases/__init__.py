"""Case definitions, the command line that runs them, and the pictures."""

RUN_METHODS = {
    "plot": "cases.drawing.plotting:plot_run",
    "animate": "cases.drawing.animate:animate_run",
    "to_vtk": "cases.export.command:run_to_vtk",
    "to_html": "cases.export.command:run_to_html",
}
"""Methods that this package adds to runs, ``run.fff.NAME``."""
