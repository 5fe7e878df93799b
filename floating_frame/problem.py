"""What is to be computed: body, foundation, loads, frame, initial state, end time; and how: step, scheme, tolerances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from floating_frame.coefficients import EXPLICIT, FORMER_NAMES, TAKES
from floating_frame.contact.motion import AT_REST
from floating_frame.frame.conditions import MeanAxis
from floating_frame.frame.kinematics import Array, finite, turned
from floating_frame.mistakes import (
    PLURAL,
    check_function,
    check_kind,
    check_parts,
    finite_array,
    require,
    require_end,
    require_one_of,
)
from friction.arrays import is_finite
from friction.given import Given

if TYPE_CHECKING:
    from floating_frame.contact.contact import Contact
    from floating_frame.effect.protocol import Attachable
    from floating_frame.loads.followers import FollowingLoad
    from floating_frame.loads.loads import BodyForceField, Load
    from floating_frame.loads.thermal import ThermalStrain
    from floating_frame.step_control import StepControl
    from friction import Foundation


@dataclass(frozen=True)
class InitialState(Given):
    """Motion at t = 0, when the frame lies at the origin (x0 = 0, α = 0).

    x = X + u0, v = velocity + spin J (X + u0) + rate, with ``velocity`` (2,) m/s, ``spin`` rad/s, ``displacement`` u0 (N, 2) m and
    ``rate`` u0' (N, 2) m/s. What in u0 and u0' is rigid is moved into the frame by its condition (re-split).
    """

    velocity: Sequence[float] = (0.0, 0.0)
    spin: float = 0.0
    displacement: Array | None = None
    rate: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        finite(self.velocity, 2, "the initial velocity")
        require(is_finite(self.spin), "the initial spin", "be finite", self.spin)
        for name, nodal in (("displacement", self.displacement), ("displacement rate", self.rate)):
            if nodal is not None:
                finite_array(nodal, (-1, 2), f"the initial {name}")

    def fields(self, reference: Array) -> tuple[Array, Array]:
        """Return nodal (x, v), (N, 2) each, of a body with ``reference`` X (N, 2). Raises ValueError for unfit values."""
        shape = reference.shape
        zero = np.zeros(shape)
        u0 = zero if self.displacement is None else finite_array(self.displacement, shape, "the initial displacement")
        rate = zero if self.rate is None else finite_array(self.rate, shape, "the initial displacement rate")
        position = reference + u0
        return position, np.asarray(self.velocity, float) + self.spin * turned(position) + rate


@dataclass(frozen=True, repr=False)
class Problem(Given):
    """One problem. ``body`` a plate (``fem.Plate``) or ``RigidBody``; ``foundation`` None: no friction; ``t_end`` s;
    ``thermal_strain`` (X (N, 2) m, t s) -> θ = α_T ΔT (N,), isotropic, continuous in time (None: cold); ``contacts``: with
    obstacles in the plane; ``effects``: such as springs."""

    body: Any
    t_end: float
    foundation: Foundation | None = None
    loads: tuple[Load | BodyForceField | FollowingLoad, ...] = ()
    frame: Any = field(default_factory=MeanAxis)
    initial: InitialState = field(default_factory=InitialState)
    thermal_strain: ThermalStrain | None = None
    contacts: tuple[Contact, ...] = ()
    effects: tuple[Attachable, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parts(self)
        require_end(self.t_end)
        if self.thermal_strain is not None:
            check_function("Problem", "thermal_strain", self.thermal_strain, "X and t")
        for contact in self.contacts:
            getattr(contact.obstacle, "motion", AT_REST).check(self.t_end)

    def __repr__(self) -> str:
        parts = [f"t_end={self.t_end:g} s", f"frame {self.frame.name}"]
        parts += [f"{len(members)} {name}" for name in PLURAL if (members := getattr(self, name))]
        law = "no friction" if self.foundation is None else f"law {type(self.foundation.law).__name__}"
        return f"Problem({self.body!r}, {law}, {', '.join(parts)})"


@dataclass(frozen=True)
class Options(Given):
    """How to compute. ``dt`` s (``explicit``: an upper bound; 0: see ``explicit_stability``); ``tolerance`` relative to the
    largest nodal force; ``output_every`` n-th step; ``max_halvings`` of a step that fails; ``stress``: store stresses.

    ``error_tolerance`` (None: equal steps of dt): steps are chosen so that the error of the run, of positions over the body's size,
    is at most this (``global_error``). Then dt is the first step, instants are stored every ``output_every`` × dt, where steps
    end; a step below ``min_step`` s (0: 1e-10 t_end) fails. ``step_control``: smaller steps near contact (``step_control``).
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
        require_one_of(TAKES, "scheme", self.scheme)
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
        if self.step_control is not None:
            check_kind("Options", "step_control", self.step_control, "reduced", "StepControl(buffer_radius_factor=...)")
