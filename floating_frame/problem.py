"""``Problem``: body, foundation, loads, frame, initial state, end time; ``Options``: step, scheme, tolerances."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from floating_frame.coefficients import CAPABILITIES, EXPLICIT, FORMER_NAMES
from floating_frame.frame.conditions import MeanAxis
from floating_frame.initial import InitialState, Standing
from floating_frame.input_checks import (
    PLURAL,
    check_function,
    check_kind,
    check_parts,
    require,
    require_end,
    require_one_of,
)
from friction.arrays import is_finite
from friction.given import Given

if TYPE_CHECKING:
    from floating_frame.contact.contact import Contact
    from floating_frame.effect.protocol import Attachable
    from floating_frame.loads.load_assembly import AnyLoad
    from floating_frame.loads.thermal import ThermalStrain
    from floating_frame.step_control import StepControl
    from friction import Foundation


STANDARD_GRAVITY = 9.81
"""m/s²."""


@dataclass(frozen=True, repr=False)
class Problem(Given):
    """One problem, in the plane or in space, as the body is, until ``t_end`` s.

    ``body``: in the plane a plate (``fem.Plate``), a ``RigidBody``, the axis of a beam (``fem.BeamAxis``), a user's body, or a
    linear beam (``fem.beam.Beam``, with the frame ``Lateral``); in space a ``RigidSolid`` or an elastic ``fem.Solid``.
    ``foundation``: friction under a given pressure (None: none). ``contacts`` with obstacles, exact or by penalties; in space the
    ground is one, ``Contact(mu=0.3)``. ``effects``: such as springs. ``thermal_strain`` (X (N, 2) m, t s) -> θ = α_T ΔT (N,),
    isotropic, continuous in time (None: cold).

    In space there is ``gravity`` m/s² along −z (None: 9.81). An elastic solid touches ground and obstacles by its ``face`` (None:
    by none); on a foundation the nodes of ``face`` and of the faces ``guides`` keep their heights (plane strain: both faces of a
    layer). Raises ValueError for other parts.
    """

    body: Any
    t_end: float
    foundation: Foundation | None = None
    loads: tuple[AnyLoad, ...] = ()
    frame: Any = field(default_factory=MeanAxis)
    initial: InitialState = field(default_factory=InitialState)
    thermal_strain: ThermalStrain | None = None
    contacts: tuple[Contact, ...] = ()
    effects: tuple[Attachable, ...] = ()
    gravity: float | None = None
    face: str | None = None
    guides: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parts(self)
        require_end(self.t_end)
        object.__setattr__(self, "initial", self.initial.of(self.dimension))
        if self.thermal_strain is not None:
            check_function("Problem", "thermal_strain", self.thermal_strain, "X and t")
        for contact in self.contacts:
            obstacle, where = contact.obstacle, "in space" if self.dimension == 3 else "in the plane"
            require(obstacle.dimension == self.dimension, "the obstacle of a contact", f"be {where}", obstacle)
            obstacle.motion.check(self.t_end)
        if self.dimension == 3:
            gravity = STANDARD_GRAVITY if self.gravity is None else self.gravity
            require(is_finite(gravity) and gravity >= 0.0, "gravity", "be a finite number >= 0 m/s2", gravity)
            object.__setattr__(self, "gravity", gravity)
            assert self.standing is not None
            self.standing.check()
        elif self.gravity is not None or self.face is not None or self.guides:
            raise ValueError("Problem: gravity, face and guides are of bodies in space: a foundation has its pressure")

    def __repr__(self) -> str:
        parts = [f"t_end={self.t_end:g} s", f"frame {self.frame.name}"]
        parts += [f"{len(members)} {name}" for name in PLURAL if (members := getattr(self, name))]
        law = "no friction" if self.foundation is None else f"law {type(self.foundation.law).__name__}"
        return f"Problem({self.body!r}, {law}, {', '.join(parts)})"

    @property
    def dimension(self) -> int:
        """Dimension of the body's points, 2 or 3."""
        return int(self.body.X.shape[1])

    @cached_property
    def standing(self) -> Standing | None:
        """Start of a body in space; None in the plane."""
        if self.dimension == 2:
            return None
        return Standing(
            body=self.body,
            initial=self.initial,
            contacts=self.contacts,
            frame=self.frame,
            face=self.face,
            guides=self.guides,
            pressed=self.foundation is not None,
        )


@dataclass(frozen=True)
class Options(Given):
    """Options of a computation. ``dt`` s (``explicit``: an upper bound; 0: see ``leapfrog.stability``); ``tolerance`` relative to
    the largest nodal force; ``output_every`` n-th step; ``max_halvings`` of a step that fails; ``stress``: store stresses.

    ``error_tolerance`` (None: equal steps of dt): largest error of positions over the body's size, by which steps are chosen
    (``adaptive``). Then dt is the first step, instants are stored every ``output_every`` × dt, where steps end; a step below
    ``min_step`` s (0: 1e-10 t_end) fails. ``step_control``: smaller steps near contact (``step_control``).
    """

    dt: float
    scheme: str = "sdirk2"
    output_every: int = 1
    max_halvings: int = 8
    tolerance: float = 1e-10
    stress: bool = False
    theta: float = 0.5
    error_tolerance: float | None = None
    min_step: float = 0.0
    step_control: StepControl | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "scheme", FORMER_NAMES.get(self.scheme, self.scheme))
        require_one_of(CAPABILITIES, "scheme", self.scheme)
        explicit, error = self.scheme == EXPLICIT, self.error_tolerance
        accurate = error is None or (is_finite(error) and 1e-12 <= error < 1.0)
        lowest, long_enough = (">=", self.dt >= 0.0) if explicit else (">", self.dt > 0.0)
        for name, fits, words in (
            ("dt", np.isfinite(self.dt) and long_enough, f"be a finite time {lowest} 0 s with scheme {self.scheme!r}"),
            ("output_every", self.output_every >= 1, "be an integer >= 1"),
            ("max_halvings", self.max_halvings >= 0, "be an integer >= 0"),
            ("tolerance", 0.0 < self.tolerance < 1e-2, "lie between 0 and 1e-2"),
            ("theta", 0.5 <= self.theta <= 1.0, "lie in [0.5, 1]"),
            ("error_tolerance", accurate, "be none or lie in [1e-12, 1)"),
            ("min_step", np.isfinite(self.min_step) and self.min_step >= 0.0, "be a finite time >= 0 s"),
        ):
            require(fits, name, words, getattr(self, name))
        control, names = self.step_control, "StepControl(buffer_radius_factor=...)"
        if control is not None:
            check_kind("Options", "step_control", control, "max_step_size_factor", names)
