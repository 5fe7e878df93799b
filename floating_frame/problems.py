"""Short constructors of a ``Problem`` and an ``InitialState`` by kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from floating_frame.contact.contact import Contact
from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.shapes import GROUND
from floating_frame.frame.chord import Lateral
from floating_frame.frame.kinematics import Array
from floating_frame.initial import UPRIGHT, InitialState
from floating_frame.problem import Problem
from friction import Coulomb, Foundation, Law

if TYPE_CHECKING:
    from fem import Solid
    from fem.beam import Beam
    from floating_frame.effect.protocol import Attachable
    from floating_frame.loads.load_assembly import AnyLoad
    from floating_frame.rigid_solid import RigidSolid

Contacts = tuple[Contact, ...]


def contacts_of(mu: float, law: Law | None, obstacle: Obstacle, contacts: Contacts) -> Contacts:
    """The given ``contacts``, or one with the ``obstacle``. Raises ValueError where both are given."""
    if isinstance(contacts, (tuple, list)) and not contacts:
        return (Contact(obstacle=obstacle, mu=mu, law=Coulomb() if law is None else law),)
    if mu or law is not None or obstacle is not GROUND:
        raise ValueError("mu, law and obstacle are those of a single exact contact; with contacts give each its own")
    return contacts


def SpaceProblem(
    *, body: RigidSolid, t_end: float, mu: float = 0.0, law: Law | None = None, contacts: Contacts = (), **more: Any
) -> Problem:
    """Problem of a rigid body on the ground z = 0 with friction ``mu`` by ``law`` (Coulomb's), or with ``contacts`` instead;
    ``more``: of ``Problem``."""
    return Problem(body, t_end, contacts=contacts_of(mu, law, GROUND, contacts), **more)


def SolidProblem(
    *,
    body: Solid,
    t_end: float,
    contact: str | None = None,
    mu: float = 0.0,
    law: Law | None = None,
    obstacle: Obstacle = GROUND,
    contacts: Contacts = (),
    foundation: Foundation | None = None,
    **more: Any,
) -> Problem:
    """Problem of an elastic solid whose face ``contact`` touches the ``obstacle``, by default the ground z = 0, with friction
    ``mu`` by ``law`` (Coulomb's), or ``contacts`` instead, or lies on a ``foundation``; ``more``: of ``Problem``."""
    if contact is None or foundation is not None:
        for name, given in (("mu", mu), ("law", law is not None), ("obstacle", obstacle is not GROUND)):
            if given and contact is None:
                raise ValueError(f"SolidProblem: {name} needs the face that touches the ground: contact='bottom'")
            if given:
                raise ValueError(
                    f"SolidProblem: the foundation is the ground z = 0 and has its own mu: leave out {name}"
                )
    else:
        contacts = contacts_of(mu, law, obstacle, contacts)
    return Problem(body, t_end, foundation=foundation, contacts=contacts, face=contact, **more)


def SpaceInitial(
    *,
    position: Sequence[float] | None = None,
    rotation: Sequence[float] = UPRIGHT,
    velocity: Sequence[float] = (0.0, 0.0, 0.0),
    spin_space: Sequence[float] = (0.0, 0.0, 0.0),
    displacement: Array | None = None,
) -> InitialState:
    """Motion of a body in space at t = 0: see ``InitialState``; ``spin_space`` (3,) rad/s in space axes."""
    return InitialState(velocity, spin_space, displacement, None, position, rotation).of(3)


SolidInitial = SpaceInitial


def BeamProblem(
    beam: Beam,
    t_end: float,
    foundation: Foundation | None = None,
    loads: tuple[AnyLoad, ...] = (),
    support: str = "free",
    motion: str = "fixed",
    effects: tuple[Attachable, ...] = (),
) -> Problem:
    """Problem of a linear beam that moves across its axis: see ``Lateral``."""
    return Problem(beam, t_end, foundation, loads, Lateral(support, motion), effects=effects)
