"""Refused combinations of law, scheme, body, frame, contact and effect: one table, by their declared properties.

A row of ``RULES`` is a predicate of declared properties (``Law.set_valued``, ``Capabilities.impacts``, ``DeformableBody.planar``),
never of a class, and a line of text: a user's parts are judged like those of the package. Other mistakes, such as an edge that the
body lacks, are refused where they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from floating_frame.coefficients import CAPABILITIES, IMPLICIT_SCHEMES, Capabilities
from floating_frame.contact.contact import Contact
from floating_frame.frame.chord import Lateral
from floating_frame.frame.clamp import Clamped
from floating_frame.frame.space_clamp import SpaceClamped, SpaceHinged
from floating_frame.problem import Options, Problem
from friction import Coulomb, Foundation, Law
from friction.stick import has_constant_bounds, is_coulomb, rate_independent


@dataclass(frozen=True, kw_only=True)
class Run:
    """Declared properties of a run.

    ``deformable``, ``planar``: of the body, see ``fem.DeformableBody``; ``lateral``: a linear beam, which moves across its axis
    alone, in a ``fixed`` frame or not. ``clamp``: mask (3,) of the free ones of x, y, angle, None for a free body; ``space_clamp``:
    a body in the plane has a clamp of space; ``at_rest``: no initial velocities. A body in ``space`` may be ``flat`` below,
    ``clamped``, ``viscous``; ``gravity`` m/s².
    """

    options: Options
    foundation: Foundation | None
    deformable: bool
    planar: bool
    lateral: bool = False
    fixed: bool = False
    clamp: NDArray[np.bool_] | None = None
    space_clamp: bool = False
    at_rest: bool = True
    heated: bool = False
    space: bool = False
    flat: bool = False
    clamped: bool = False
    viscous: bool = False
    gravity: float = 0.0

    @property
    def in_space(self) -> tuple[str, ...]:
        """Admissible schemes for such a body in space."""
        return tuple(name for name, takes in CAPABILITIES.items() if (takes.solids if self.deformable else takes.space))

    @property
    def pressed(self) -> bool:
        """True if the pressure under a body in space is given."""
        return self.space and self.foundation is not None

    @property
    def scheme(self) -> Capabilities:
        """Capabilities of the scheme."""
        return CAPABILITIES[self.options.scheme]

    @property
    def law(self) -> Law:
        """The law of the foundation."""
        return Coulomb() if self.foundation is None else self.foundation.law

    @property
    def reacts(self) -> bool:
        """True if friction redistributes the normal pressure."""
        return self.foundation is not None and self.foundation.reaction is not None

    @property
    def shared_law(self) -> Law:
        """``law`` with its totals shared among the parts of the body."""
        return self.law.with_total_load(np.ones(1))

    @property
    def axis(self) -> float:
        """Angle, rad, of the axis of largest friction of an anisotropic law."""
        (along, oblique), (_, across) = np.zeros((2, 2)) if (metric := self.shared_law.metric) is None else metric
        return float(0.5 * np.arctan2(2.0 * oblique, along - across))

    @property
    def most_restitution(self) -> float:
        """The largest restitution that gives a deformable body no energy, -.

        A contact force does the work Δt p_n ((1 − θ) u_n⁻ + θ u_n) on it, positive for u_n = −e u_n⁻ with e > (1 − θ)/θ. (A rigid
        body gains Δt p_n (u_n⁻ + u_n)/2 <= 0.)
        """
        theta = self.options.theta if self.options.scheme == "moreau-theta" else 1.0
        return (1.0 - theta) / theta


def _oblique(run: Run) -> bool:
    """True if a clamp that is free along one of x and y has a law with other axes."""
    metric, clamp = run.shared_law.metric, run.clamp
    return clamp is not None and metric is not None and bool(clamp[0] != clamp[1] and metric[0, 1] != 0.0)


def _isotropic_memoryless(law: Law) -> bool:
    """True if a law is isotropic and without memory."""
    return not law.has_internal_state and law.with_total_load(np.ones(1)).metric is None


def _friction_holds(run: Run) -> bool:
    """True if friction alone holds a body without inertia."""
    bounded = run.law.set_valued if run.lateral else rate_independent(run.shared_law)
    return run.foundation is not None and bounded and (run.fixed if run.lateral else run.deformable and run.at_rest)


_CLASS = "{law.__class__.__name__}"
# fmt: off
RULES: tuple[tuple[Callable[[Run], bool], str], ...] = (
    # a beam that moves across its axis
    (lambda r: r.lateral and r.options.scheme not in IMPLICIT_SCHEMES, "a linear beam takes scheme {implicit}, got {scheme!r}"),
    (lambda r: r.lateral and r.options.step_control is not None,
     "a linear beam touches no obstacles: leave the step control off"),
    (lambda r: r.lateral and r.options.stress, "a beam has no stress field; its bending moment is always stored"),
    (lambda r: r.lateral and r.scheme.inertia and not _isotropic_memoryless(r.law),
     f"a linear beam takes law 'coulomb' or a law of the slip speed alone, got {_CLASS}; a BeamAxis or a plate takes all laws"),
    (lambda r: r.lateral and not r.scheme.inertia and not (_isotropic_memoryless(r.law) and rate_independent(r.law)),
     f"a quasi-static linear beam takes law 'coulomb', got {_CLASS}; a BeamAxis or a plate takes all laws"),
    (lambda r: r.lateral and not r.scheme.inertia and not _friction_holds(r),
     "scheme {scheme!r} takes a beam fixed in space, on a foundation with set-valued friction: without inertia only supports "
     "and friction hold it"),
    (lambda r: r.lateral and r.foundation is not None and r.foundation.moves,
     "a linear beam takes ground at rest; a belt needs a BeamAxis or a plate"),
    (lambda r: r.lateral and not r.at_rest, "a linear beam starts at rest; an initial velocity needs a BeamAxis or a plate"),
    (lambda r: r.heated and (r.lateral or r.space), "thermal strain takes a plate or a BeamAxis, got {body}"),
    # bodies in space
    (lambda r: r.space and not r.deformable and r.foundation is not None,
     "a rigid body in space takes ground whose normal forces are unknown: leave out the foundation"),
    (lambda r: r.space and r.options.scheme not in r.in_space, "{body} in space takes scheme {in_space}, got {scheme!r}"),
    (lambda r: r.space and r.options.error_tolerance is not None, "a body in space takes equal steps, got an error tolerance"),
    (lambda r: r.space and r.options.step_control is not None, "a body in space takes equal steps, got step control"),
    (lambda r: r.pressed and r.clamped, "a clamped solid takes ground whose normal forces are unknown: leave out the foundation"),
    (lambda r: r.pressed and r.viscous, "a viscous solid takes ground whose normal forces are unknown: leave out the foundation"),
    (lambda r: r.pressed and r.gravity > 0.0,
     "a solid on given pressure takes no weight, which the pressure already represents: take gravity=0.0, or leave out the "
     "foundation"),
    (lambda r: r.pressed and r.reacts,
     "a solid takes no pressure that reacts, since it computes its own: leave out the foundation instead of giving Reacting"),
    (lambda r: r.pressed and r.law.has_internal_state,
     f"a solid on given pressure takes a law without memory, got {_CLASS}: solids in space have no bristles"),
    # pressure that reacts to friction
    (lambda r: r.reacts and not (r.planar and r.clamp is None),
     "a pressure that reacts takes a free plate or a rigid body, not a beam or a clamped one, which would bear part of the moment"),
    (lambda r: r.reacts and not r.scheme.reaction, "a pressure that reacts takes scheme {reaction}, got {scheme!r}"),
    (lambda r: r.reacts and r.law.has_internal_state,  # the ledger lacks the work of a pressure that shifts over bent bristles
     f"a pressure that reacts takes a law without memory, got {_CLASS}"),
    # scheme and law, effects
    (lambda r: r.scheme.coulomb_only and rate_independent(r.law) and r.law.metric is None and r.law.radial.static < 1.0,
     "scheme {scheme!r} takes Coulomb's law with the bound w itself, got one cut to {law.radial.static:.6g} w; give the "
     "smaller mu, or choose another scheme"),
    (lambda r: r.scheme.coulomb_only and r.law.set_valued and not is_coulomb(r.law),
     "scheme {scheme!r} takes set-valued friction with a bound that does not depend on the velocity; choose law 'coulomb' without "
     "max_force, or another scheme"),
    (lambda r: r.scheme.coulomb_only and not r.law.set_valued,
     "scheme {scheme!r} takes set-valued friction only: a regularised law would make its stable step far shorter; choose "
     "law 'coulomb' without max_force, or another scheme"),
    (lambda r: not r.scheme.set_valued and r.law.set_valued,
     "scheme {scheme!r} integrates smooth equations: it takes a rigid body under a regularised law, not a set-valued law"),
    (lambda r: not r.scheme.set_valued and r.deformable,
     "scheme {scheme!r} integrates smooth equations: it takes a rigid body under a regularised law, not a deformable body"),
    # scheme and body
    (lambda r: r.deformable and not r.scheme.deformable, "scheme {scheme!r} takes a rigid body, not a deformable one"),
    (lambda r: r.options.stress and not r.deformable, "a rigid body has no stress field; leave the stress output off"),
    (lambda r: r.options.stress and not r.planar, "a beam has no stress field; leave the stress output off"),
    (lambda r: not r.lateral and not r.scheme.inertia and not _friction_holds(r),
     "scheme {scheme!r} takes a deformable body at rest on a foundation with set-valued friction that does not depend on "
     "the speed (law 'coulomb' or 'elliptic'): without inertia only friction holds it"),
    (lambda r: r.space_clamp, "a body in the plane is clamped by Clamped(edge), not by a clamp in space, which holds a face"),
    (lambda r: r.clamp is not None and not (r.scheme.clamp and r.deformable),
     "a clamped frame needs a deformable body and an implicit scheme"),
    (_oblique, "a clamp that is free along one of x and y takes an elliptic law with its axis along x, got {r.axis:.4g} rad"),
    (lambda r: r.heated and not r.deformable,
     "thermal strain takes a deformable body and an implicit or quasi-static scheme, got a rigid body"),
    (lambda r: r.heated and not r.scheme.heating,
     "thermal strain takes a deformable body and an implicit or quasi-static scheme, got scheme {scheme!r}"),
)
"""Refusals of a run; the first row that applies gives the message."""

PENALTY_RULES: tuple[tuple[Callable[[Run, Contact], bool], str], ...] = (
    (lambda r, c: not r.planar, "a contact with an obstacle takes a plate or a rigid body, got a beam"),
    (lambda r, c: not r.scheme.penalty, "a contact with an obstacle takes an implicit dynamic scheme, got {scheme!r}"),
    (lambda r, c: r.clamp is not None,
     "a contact with an obstacle takes a free body (frame mean-axis or tisserand), got a clamped one"),
    (lambda r, c: c.mu > 0.0 and c.law.set_valued,
     f"a penalty contact takes friction that is a function of the slip velocity, got {_CLASS}; choose a regularised law, or exact "
     "(Signorini) contact, which takes Coulomb and static-kinetic friction"),
    (lambda r, c: r.space and c.mu > 0.0 and c.law.has_total,
     f"a penalty contact in space takes friction without a limit of its total, got {_CLASS}; choose a law such as "
     "Smooth(v_reg=1e-3)"),
    (lambda r, c: r.space and c.mu > 0.0 and c.law.metric is not None,
     f"a penalty contact in space takes isotropic friction, got {_CLASS}; choose a law such as "
     "Smooth(v_reg=1e-3)"),
    (lambda r, c: c.mu > 0.0 and c.law.has_internal_state and not r.scheme.contact_bristles,  # a bristle that is released jumps
     "friction with memory on a contact takes an implicit scheme with stages, got scheme {scheme!r}; choose sdirk2"),
)
"""Refusals of a run with a penalty contact."""

EXACT_RULES: tuple[tuple[Callable[[Run, Contact], bool], str], ...] = (
    (lambda r, c: r.space and c.normal.restitution > 0.0,
     "exact contact of bodies in space takes no restitution, got {c.normal!r}; choose a penalty, "
     "NormalForce(stiffness=..., damping=...)"),
    (lambda r, c: r.flat and c.law.radial.static != c.law.radial.kinetic,
     f"a flat base takes Coulomb's law of friction, got {_CLASS}; feet, Feet(points), take StaticKinetic, too"),
    (lambda r, c: not r.space and not r.scheme.impacts,
     "exact contact takes scheme {impacts} (an impact law needs the velocities at the ends of a step), got {scheme!r}; "
     "choose one of these, or a penalty contact"),
    (lambda r, c: r.clamp is not None or not r.planar,
     "exact contact takes a free plate or rigid body (frame mean-axis or tisserand), not a clamp or a beam"),
    (lambda r, c: r.deformable and c.normal.restitution_law != "newton",
     "restitution_law {c.normal.restitution_law!r} takes a rigid body, not a deformable one; choose newton, or restitution "
     "0: the body rebounds by its elasticity"),
    (lambda r, c: r.deformable and c.normal.restitution > r.most_restitution,
     "restitution of a deformable body must not exceed (1 - theta)/theta = {r.most_restitution:.6g} with scheme {scheme!r}, "
     "where it would create energy; got {c.normal.restitution!r}; choose moreau-theta with theta = 0.5, or 0: the body "
     "rebounds by its elasticity"),
    (lambda r, c: not has_constant_bounds(c.law),
     f"exact contact takes Coulomb's law of friction or StaticKinetic, got {_CLASS}; choose one of these, or a penalty "
     "contact, which takes regularised laws"),
    (lambda r, c: c.law.radial.cap < 1.0,
     "exact contact takes a law without a cap, got cap {law.radial.cap:g} with mu {c.mu:g}; choose the equivalent "
     "mu = {mu:g}"),
)
# fmt: on
"""Refusals of a run with exact contact."""


def check(run: Run, contacts: tuple[Contact, ...] = ()) -> None:
    """Refuse a run, and each of its ``contacts``, by the rules: ValueError in one line."""
    body = "a linear beam" if run.lateral else "an elastic solid" if run.deformable else "a rigid body"
    impacts = " or ".join(name for name, takes in CAPABILITIES.items() if takes.impacts)
    reaction = ", ".join(name for name, takes in CAPABILITIES.items() if takes.reaction)
    values = {"r": run, "scheme": run.options.scheme, "impacts": impacts, "implicit": ", ".join(IMPLICIT_SCHEMES)}
    values |= {"reaction": reaction, "body": body}
    values["in_space"] = ", ".join(run.in_space)
    for refused, text in RULES:
        if refused(run):
            raise ValueError(text.format(law=run.law, **values))
    for contact in contacts:
        for unfit, text in PENALTY_RULES if contact.penalty else EXACT_RULES:
            if unfit(run, contact):
                mu = contact.mu * contact.law.radial.cap if has_constant_bounds(contact.law) else contact.mu
                raise ValueError(text.format(law=contact.law, c=contact, mu=mu, **values))


def check_problem(problem: Problem, options: Options) -> None:
    """Refuse unfit combinations in a problem and its options: ValueError in one line."""
    body, frame, space = problem.body, problem.frame, problem.dimension == 3
    lateral, start = frame.name == Lateral.name, problem.initial
    run = Run(
        options=options,
        foundation=problem.foundation,
        deformable=body.deformable,
        planar=space or body.planar,
        lateral=lateral,
        fixed=lateral and frame.motion == "fixed",
        clamp=frame.free_mask if isinstance(frame, Clamped) and not space else None,
        at_rest=space or not np.any(start.fields(body.X)[1]),
        heated=problem.thermal_strain is not None,
        space=space,
        flat=space and not body.deformable and body.shape.flat,
        clamped=space and body.deformable and frame.clamp is not None,
        space_clamp=not space and isinstance(frame, (SpaceClamped, SpaceHinged)),
        viscous=space and body.deformable and bool(body.viscosity),
        gravity=problem.gravity or 0.0,
    )
    check(run, problem.contacts)
