"""Case definitions, the command line that runs them, and the pictures."""

RUN_METHODS = {
    "plot": "cases.app.drawing.plotting:plot_run",
    "animate": "cases.app.drawing.animate:animate_run",
    "to_vtk": "cases.app.export.command:run_to_vtk",
    "to_html": "cases.app.export.command:run_to_html",
}
"""Methods that this package adds to runs, ``run.fff.NAME``."""
