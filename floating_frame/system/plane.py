"""A body with a floating frame q = (x0, y0, α) in the plane: what of a deformable one is stored at one instant.

The integrals (3.3) and the residual of (3.4)1, are evaluated afresh from (x, v, a), whatever solver found them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from floating_frame.effect.protocol import Effect, Inclusion, Motion, Source
from floating_frame.frame.kernels import cross_sum
from floating_frame.frame.kinematics import Array, Deformation, FrameMotion
from floating_frame.system.model import Model
from floating_frame.system.protocol import Diagnostics, Results, Scales, System
from floating_frame.system.state import State
from friction.arrays import lengths

EPS = float(np.finfo(float).eps)


def still(shape: Array) -> Deformation:
    """Return no deformation of points like ``shape`` (N, 2)."""
    return Deformation(*(np.zeros_like(shape) for _ in range(3)))


class HasModel(Protocol):
    """A system of the plane as its results know it."""

    model: Model
    friction: Inclusion

    def friction_arms(self, motion: Motion) -> Array: ...


class PlaneResults(Results):
    """What is asked of a body in the plane with a floating frame."""

    def __init__(self, system: HasModel) -> None:
        self.system, self.model = system, system.model
        self.turns_freely = not len(self.model.clamp)

    @property
    def scales(self) -> Scales:
        return Scales(self.model.stiffness, self.model.mass.total, self.model.mass.second_moment)

    def diagnostics(self, before: State, after: State) -> Diagnostics:
        return {"spin_momentum": self.spin_momentum(after), "turn_rate": abs(after.frame.spin)}

    def spin_momentum(self, state: State) -> Array:
        """Return the angular momentum about the mass centre (1,), kg m²/s."""
        mass = self.model.mass
        about = cross_sum(mass.times(state.position), state.velocity)
        centre, velocity = mass.mean(state.position), mass.mean(state.velocity)
        return np.array([about - mass.total * (centre[0] * velocity[1] - centre[1] * velocity[0])])

    def noise(self, state: State, motion: FrameMotion, step: float) -> Array:
        """Return what the solver's tolerance leaves of the nodal forces and moments that cancel in the sums, (2,) N, N m.

        It is tolerance × (Σ m|a|, Σ m|a||r|), or the rounding of internal forces, and of contacts in a ``step`` s, if larger.
        """
        model = self.model
        forces = model.mass.nodal * lengths(state.acceleration)
        arms = lengths(state.position - motion.coordinates[:2])
        extent = float(arms.max())
        rounding = 8.0 * EPS * model.stiffness * extent  # as ``StageEquilibrium.rounding``
        if model.problem.contacts:  # which may be touched by rounding alone: that of momenta over the step
            rounding = max(rounding, 64.0 * EPS * model.mass.total * float(np.abs(state.velocity).max()) / step)
            if model.exact is not None:  # a gap is closed to the rounding of places: over the step an impulse too
                places = extent + float(np.abs(state.position).max())
                rounding = max(rounding, 16.0 * EPS * model.mass.total * places / step**2)
        level = max(model.options.tolerance, 1e-12)
        noise = level * np.array([float(forces.sum()), float(np.einsum("i,i->", forces, arms))])
        return np.maximum(noise, [rounding, rounding * extent])


class PlaneSystem(System):
    """A body under ``effects`` and ``friction``; ``own``: what it brings itself."""

    def __init__(
        self, model: Model, effects: Sequence[Effect], friction: Inclusion, own: Sequence[Source] = ()
    ) -> None:
        self.model, self.effects, self.friction = model, tuple(effects), friction
        self.sources = (*self.effects, friction, *own)
