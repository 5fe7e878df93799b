"""Checks of invariants of the time scheme: the energy balance, a free body's angular momentum, and the energy of its spin
(docs/verdict.md). With D = ``dissipation_numerical``, less friction's part Δt Σ b_s λ_s·(v̂_s − v_s) as long as friction takes
energy in a step, the scheme removes D, or adds −D. Central differences keep T + U − S with S = h²/8 a·Ma, which is U + ½ v₋·Mv₊ in
linear motion: there both D and D + S − S₀ must show it.

H = [x − x_c, v − v_c] cannot change in a step at whose ends no load, no friction and no contact acts; these changes are summed up
and compared with H's largest value, or with a part of √(2 T ⟨X,X⟩) where H is rounding.

The moment of momentum h of a rigid body in space is constant while nothing turns it. Of T = ½ h·Ω no scheme can remove more than T
− h²/2J₃, nor may T cross h²/2J₂, beyond which the body turns about another axis (L. D. Landau, E. M. Lifshitz, Mechanics, section
37): changes of T are relative to these distances. The latter counts once a spin about the middle axis has had the time to turn
over, at the rate λ:

    λ t > ½ ln(T / |T − h²/2J₂|),    λ² = (h/J₂)² (J₂ − J₁)(J₃ − J₂)/(J₁J₃).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.effect.protocol import pair
from floating_frame.frame.kinematics import Array
from floating_frame.system.model import RunModel
from floating_frame.system.rows import Rows
from floating_frame.system.state import DISSIPATED, EXTERNAL, NUMERICAL, State
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Check, RunWarning, beyond

ROUNDING = 1e-12
"""Rounding of displacements over the body's size, and of velocities over size per step."""

NO_SPIN = 1e-3
"""Angular momentum over √(2 T ⟨X,X⟩) below which √(2 T ⟨X,X⟩) is the reference."""

MOMENTUM_ROUNDING = 1e-12
"""Rounding of h in a moment-free step, relative."""
MIN_THIRD_AXIS, MIN_MIDDLE_AXIS = 1e-3, 1e-9
"""Least distances of T from the energies of spin about the third and the middle axis, over T."""


def advice(model: RunModel) -> str:
    """Advice against errors of the time steps."""
    if model.options.error_tolerance is not None:
        return "take a smaller --error_tolerance"
    return "take a smaller dt or --error_tolerance" if model.takes_tolerance else "take a smaller dt"


@dataclass(frozen=True)
class EnergyCheck(Check):
    """Numerical dissipation and growth of energy.

    In J the ``largest`` energy at play; ``start``: S₀; ``numerical``: D without dissipating friction; the largest energies that the
    scheme has ``removed`` and ``added``; ``grown``: largest growth of T + U. ``load``: largest sum of the dead loads' sizes, N.
    """

    largest: float
    start: float
    numerical: float = 0.0
    removed: float = 0.0
    added: float = 0.0
    grown: float = 0.0
    load: float = 0.0

    @classmethod
    def of(cls, model: RunModel, rows: Rows) -> EnergyCheck:
        start, load = swing(model, rows.before, model.steps.longest), float(rows.diagnostics["dead_load"].max())
        return cls(float(energy_at_play(rows).max()), start, load=load)

    def after(self, model: RunModel, rows: Rows) -> EnergyCheck:
        work = np.diff(rows.work, axis=0, prepend=rows.before.work[None])
        dissipation = without_statics(numerical_work(model, work), work, rows)
        numerical = np.cumsum([self.numerical, *dissipation])[1:]
        conserved = numerical
        if model.steps.swing:
            swings = [swing(model, rows.state(k), float(length)) for k, length in enumerate(rows.lengths)]
            conserved = numerical + np.array(swings) - self.start
        return replace(
            self,
            largest=max(self.largest, float(energy_at_play(rows).max())),
            numerical=float(numerical[-1]),
            removed=max(self.removed, float(np.minimum(numerical, conserved).max())),
            added=max(self.added, float(np.minimum(-numerical, -conserved).max())),
            grown=max(self.grown, float(-numerical.min())),
            load=max(self.load, float(rows.diagnostics["dead_load"].max())),
        )

    def judge(self, model: RunModel) -> list[RunWarning]:
        if not self.largest > energy_of_rounding(model, self.load):
            return []
        unstable = self.grown > limits.EXPLICIT_SWING * self.largest
        warnings = list[RunWarning]()
        for name, what, amount in (
            ("numerical-dissipation", "numerical dissipation", self.removed),
            ("energy-growth", "growth of energy by the time steps", self.grown if unstable else self.added),
        ):
            share = amount / self.largest
            text = f"{what} is {percent(share)} of the energy: {advice(model)}"
            warnings += beyond(name, share, limits.NUMERICAL_ENERGY, text)
        return warnings


def numerical_work(model: RunModel, work: Array) -> Array:
    """Energy removed by the scheme, (...) J, from the ``work`` (..., n, 3) J of steps: all numerical entries, friction's only where
    friction adds energy. A solid's landing is not located within its step: energy added in that step counts beyond the impact's
    loss."""
    friction = len(model.system.effects)
    others = np.delete(work[..., NUMERICAL], friction, axis=-1).sum(axis=-1)
    landings = [row for row, source in enumerate(model.system.sources) if source.dissipates == "impact"]
    impact = work[..., landings, DISSIPATED].sum(axis=-1)
    others = np.where(impact > 0.0, np.maximum(others, np.minimum(others + impact, 0.0)), others)
    return np.asarray(others + np.minimum(work[..., friction, DISSIPATED] + work[..., friction, NUMERICAL], 0.0))


def without_statics(dissipation: Array, work: Array, rows: Rows) -> Array:
    """Energy ``dissipation`` (K,), J, of the scheme without quasi-static steps; ``work`` (K, n, 3) J of steps. Where a body is
    nearly at rest at both ends of a step, long against its vibrations, a load's work beyond the stored energy is an error of
    quadrature, as in quasi-static increments."""
    given = np.abs(work[..., EXTERNAL].sum(axis=-1))
    moving = np.maximum(rows.kinetic, np.append(rows.before.kinetic_energy, rows.kinetic[:-1]))
    rests = moving <= limits.STATIC * given
    return np.where(rests & (dissipation > 0.0), np.maximum(dissipation - given, 0.0), dissipation)


def energy_at_play(rows: Rows) -> Array:
    """Larger of T + U + stored energy, and ``|W_ext|``, (K,) J."""
    return np.asarray(np.maximum(rows.energy, np.abs(rows.work[:, :, EXTERNAL].sum(axis=1))))


def swing(model: RunModel, state: State, step: float) -> float:
    """Energy S, J, of central differences with ``step`` s; 0 with other schemes."""
    if model.steps.swing == 0.0:
        return 0.0
    acceleration = state.motion.acceleration
    return model.steps.swing * step**2 * pair(acceleration, model.system.apply_mass(acceleration))


def energy_of_rounding(model: RunModel, load: float) -> float:
    """Energy, J, of displacements and velocities of the size of rounding, under a ``load``, N."""
    place, (stiffness, mass, _) = ROUNDING * model.radius, model.system.results.scales
    return stiffness * place**2 + mass * (place / (model.options.dt or model.problem.t_end)) ** 2 + load * place


def percent(share: float) -> str:
    """Text of a share, two digits."""
    if share >= 10.0:
        return f"{share:.2g} times"
    return f"{100.0 * share:.0f} %" if share >= 0.1 else f"{100.0 * share:.2g} %"


@dataclass(frozen=True)
class AngularMomentumCheck(Check):
    """Angular momentum while nothing turns the body.

    In kg m²/s H (1,), in space (3,), of the ``last`` state, its ``largest`` size; ``lost``: the sum of its changes in free steps,
    ``worst``: its largest size; ``scale``: largest √(2 T ⟨X,X⟩). ``free``: nothing acted at the last state.
    """

    last: Array
    largest: float
    free: bool
    scale: float
    lost: Array
    worst: float = 0.0

    @classmethod
    def of(cls, model: RunModel, rows: Rows) -> AngularMomentumCheck:
        H = rows.diagnostics["spin_momentum"][0]
        return cls(H, max_norm(H), bool(rows.diagnostics["free"][0]), momentum_scale(model, rows), np.zeros_like(H))

    def after(self, model: RunModel, rows: Rows) -> AngularMomentumCheck:
        """Add the changes of H in steps at both ends of which nothing acts."""
        H = np.vstack([self.last, rows.diagnostics["spin_momentum"]])
        free = np.array([self.free, *rows.diagnostics["free"]])
        lost = np.cumsum(
            np.vstack([self.lost, np.where((free[1:] & free[:-1])[:, None], np.diff(H, axis=0), 0.0)]), axis=0
        )
        return AngularMomentumCheck(
            last=H[-1],
            largest=max(self.largest, max_norm(H[1:])),
            free=bool(free[-1]),
            scale=max(self.scale, momentum_scale(model, rows)),
            lost=lost[-1],
            worst=max(self.worst, max_norm(lost)),
        )

    def judge(self, model: RunModel) -> list[RunWarning]:
        scale = max(self.largest, NO_SPIN * self.scale)
        if not self.worst > limits.ANGULAR_MOMENTUM * scale:
            return []
        share = self.worst / scale
        text = f"the angular momentum of the free body is off by {percent(share)} of its largest: {advice(model)}"
        return [RunWarning("angular-momentum", share, limits.ANGULAR_MOMENTUM, text)]


def max_norm(vectors: Array) -> float:
    """Largest length of vectors (..., d)."""
    return float(np.linalg.norm(vectors, axis=-1).max())


def momentum_scale(model: RunModel, rows: Rows) -> float:
    """Largest √(2 T ⟨X,X⟩), kg m²/s."""
    *_, moment = model.system.results.scales
    return float(np.sqrt(2.0 * rows.kinetic.max() * moment))


@dataclass(frozen=True)
class SpinCheck(Check):
    """The ``worst`` relative change of T; ``turns_over``: relative to the distance from the middle axis. ``time`` s since which
    nothing has turned the body, T then as ``energy`` J, the ``last`` h (3,) kg m²/s."""

    time: float
    energy: float
    last: Array
    worst: float = 0.0
    turns_over: bool = False

    @classmethod
    def of(cls, rows: Rows) -> SpinCheck:
        values = rows.diagnostics
        return cls(rows.before.time, float(values["spin_energy"][0]), values["spin_momentum"][0])

    def after(self, model: RunModel, rows: Rows) -> SpinCheck:
        times, energy, momentum = rows.times, rows.diagnostics["spin_energy"], rows.diagnostics["spin_momentum"]
        size = np.linalg.norm(momentum, axis=1)
        turned = np.linalg.norm(np.diff(momentum, axis=0, prepend=self.last[None]), axis=1) > MOMENTUM_ROUNDING * size
        since = np.maximum.accumulate(np.where(turned, np.arange(1, len(times) + 1), 0))
        begun, before = np.append(self.time, times)[since], np.append(self.energy, energy)[since]
        counts = before > energy_of_rounding(model, 0.0)
        within = np.full((2, len(times)), np.inf)
        first, middle, third = model.system.results.principal_moments
        within[0] = np.maximum(before - 0.5 * size**2 / third, MIN_THIRD_AXIS * before)
        aside = np.maximum(np.abs(before - 0.5 * size**2 / middle), MIN_MIDDLE_AXIS * before)
        growth = size / middle * np.sqrt((middle - first) * (third - middle) / (first * third))
        with np.errstate(divide="ignore", invalid="ignore"):
            leaves = growth * (times - begun) > 0.5 * np.log(before / aside)
            within[1, leaves] = aside[leaves]
            shares = np.where(counts, np.abs(energy - before) / within, 0.0)
        worst = shares.max(axis=1)
        new = replace(self, time=float(begun[-1]), energy=float(before[-1]), last=momentum[-1])
        if not worst.max() > self.worst:
            return new
        return replace(new, worst=float(worst.max()), turns_over=bool(worst[1] > worst[0]))

    def judge(self, model: RunModel) -> list[RunWarning]:
        what = "lies between its spin and one about the middle axis" if self.turns_over else "its momentum lets it lose"
        text = f"the time steps change the energy of the body's free spin by {percent(self.worst)} of what {what}: {advice(model)}"
        return beyond("spin-energy", self.worst, limits.NUMERICAL_ENERGY, text)
