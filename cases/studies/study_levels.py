"""What a convergence study refines in each case, where it starts, and what its table has to say besides."""

from __future__ import annotations

from collections.abc import Mapping

REFINED: Mapping[str, tuple[str, ...]] = {
    "block_on_table": ("nx", "ny"),
    "inclined_plane": ("nx", "ny"),
    "plate_sliding": ("nx", "ny"),
    "plate_clamped": ("nx", "ny"),
    "spinning_disc": ("nr", "nt", "nx", "ny"),
    "belt_oscillator": ("nx", "ny"),
    "free_flight": ("nx", "ny"),
    "rod_wave": ("nx",),
    "rod_cycle": ("nx",),
    "annulus_torsion": ("nr", "nt"),
    "wall_impact": ("nx", "ny"),
    "beam_bending": ("ne",),
    "beam_on_rough_foundation": ("ne", "ny"),
}
"""Numbers of cells that are doubled; the rod's solution does not vary across it."""

START: Mapping[tuple[str, str], Mapping[str, float | str]] = {
    ("block_on_table", "dt"): {"dt": 1e-2},
    ("block_on_table", "mesh"): {"dt": 1e-2, "nx": 2, "ny": 2},
    ("inclined_plane", "dt"): {"t_end": 0.25, "dt": 5e-3},
    ("inclined_plane", "mesh"): {"t_end": 0.25, "dt": 5e-3, "nx": 2, "ny": 1},
    ("plate_sliding", "dt"): {"dt": 4e-3, "nx": 8, "ny": 4},
    ("plate_sliding", "mesh"): {"dt": 4e-3, "nx": 4, "ny": 2},
    ("plate_clamped", "dt"): {"dt": 4e-3, "t_end": 0.8, "nx": 4, "ny": 2},
    ("plate_clamped", "mesh"): {"dt": 4e-3, "t_end": 0.8, "nx": 4, "ny": 2},
    ("spinning_disc", "dt"): {"dt": 8e-3, "nr": 48, "nt": 96},
    ("spinning_disc", "mesh"): {"nr": 3, "nt": 6, "nx": 3, "ny": 2},
    ("belt_oscillator", "dt"): {"dt": 8e-3, "nx": 1, "ny": 1},
    ("belt_oscillator", "mesh"): {"dt": 4e-3, "t_end": 0.5, "nx": 2, "ny": 2},
    ("free_flight", "dt"): {"dt": 1e-3, "t_end": 0.25, "nx": 8, "ny": 4},
    ("free_flight", "mesh"): {"dt": 5e-4, "t_end": 0.25, "nx": 4, "ny": 2},
    ("rod_wave", "dt"): {"nx": 100},
    ("rod_wave", "mesh"): {"nx": 50},
    ("rod_cycle", "dt"): {"nx": 40, "steps": 2},
    ("rod_cycle", "mesh"): {"nx": 25, "steps": 4},
    ("annulus_torsion", "dt"): {"nr": 12, "nt": 24, "steps": 2},
    ("annulus_torsion", "mesh"): {"nr": 6, "nt": 12, "steps": 4},
    ("wall_impact", "dt"): {"dt": 4e-4, "nx": 4, "ny": 2},
    ("wall_impact", "mesh"): {"nx": 4, "ny": 2, "body": "elastic"},
    ("beam_bending", "dt"): {"dt": 2e-3, "ne": 80},
    ("beam_bending", "mesh"): {"dt": 2.5e-4, "ne": 4},
    ("beam_on_rough_foundation", "dt"): {"t_end": 1.0, "steps": 4, "ne": 500},
    ("beam_on_rough_foundation", "mesh"): {"t_end": 1.0, "steps": 1, "ne": 40, "length": 1.7},
}
"""The coarsest level of a study, where it is not the case's default; parameters that are given override it."""

NOTES: Mapping[tuple[str, str], str] = {
    ("free_flight", "mesh"): "finer cells hold quicker waves, whose energy a step that stays the same takes out",
    (
        "wall_impact",
        "dt",
    ): "touch and release are kinks that a step meets at any place within it, so that errors scatter below their order",
    (
        "beam_on_rough_foundation",
        "dt",
    ): "the first leg; friction opposes the rate of deflection, the better the more steps",
    (
        "beam_on_rough_foundation",
        "mesh",
    ): "errors scatter, as the ends of the slip zones lie anywhere within their cells",
}
"""What the table of a study has to say besides."""
