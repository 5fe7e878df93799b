"""Results of a body with a floating frame, in the plane or elastic in space.

The integrals (3.3) and the residual of (3.4)1, are evaluated from (x, v, a), independently of the solver."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from floating_frame.frame.kinematics import Array, Deformation, axial, inertia
from floating_frame.frame.moments import YV, moments
from floating_frame.system.model import Model
from floating_frame.system.protocol import Diagnostics, Results
from floating_frame.system.state import State

EPS = float(np.finfo(float).eps)


def zero_deformation(shape: Array) -> Deformation:
    """Zero deformation of points like ``shape`` (N, 2)."""
    return Deformation(*(np.zeros_like(shape) for _ in range(3)))


class FrameResults(Results):
    """Results of a body with a floating frame, by its ``system``."""

    def __init__(self, system: Any) -> None:
        self.system, self.model = system, cast(Model, system.model)
        self.turns_freely = not len(self.model.clamp)
        #: Relative tolerance of the solvers' forces.
        self.tolerance = max(self.model.options.tolerance, 1e-12)

    @property
    def scales(self) -> tuple[float, float, float]:
        moment = float(np.linalg.eigvalsh(inertia(self.model.mass.second_moments))[-1])
        return self.model.stiffness, self.model.mass.total, moment

    def diagnostics(self, before: State, after: State) -> Diagnostics:
        return {"spin_momentum": self.spin_momentum(after), "turn_rate": abs(after.frame.spin)}

    def spin_momentum(self, state: State) -> Array:
        """Angular momentum about the mass centre (r,), kg m²/s."""
        return axial(moments(self.model.mass, state.position, state.velocity, state.velocity).pairs[YV])

    def noise(self, motion: tuple[Array, Array, Array], arms: Array, steps: Array) -> Array:
        """Noise of resultant force and moment from the solver's tolerance of nodal forces, (K, 2) N, N m.

        Tolerance × (Σ F, Σ F|r|), or the rounding of internal forces, and of contacts in ``steps`` (K,) s, if larger; for nodal x,
        v (K, N, d) and sizes of forces F (K, N) N, such as m|a|, with ``arms`` |r| (K, N).
        """
        model, (x, v, forces), extent = self.model, motion, arms.max(axis=1)
        rounding = 8.0 * EPS * model.stiffness * extent  # as ``ElasticStage.rounding``
        if model.problem.contacts:  # contacts by rounding: of momenta over the step
            rounding = np.maximum(rounding, 64.0 * EPS * model.mass.total * np.abs(v).max(axis=(1, 2)) / steps)
            if model.exact is not None:  # and of gaps: an impulse over the step
                places = extent + np.abs(x).max(axis=(1, 2))
                rounding = np.maximum(rounding, 16.0 * EPS * model.mass.total * places / steps**2)
        noise = self.tolerance * np.stack([forces.sum(axis=1), np.einsum("kn,kn->k", forces, arms)], axis=1)
        return np.asarray(np.maximum(noise, np.stack([rounding, rounding * extent], axis=1)))
