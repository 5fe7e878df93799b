"""All recorded runs by name, and those that are also stopped at half the time and resumed."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from recorded import beams, builtin, contacts, effects, plane, refusals, refused_parts, solids, space, statics, warned
from recorded import problems as p

JOBS = (
    plane.rigid_jobs,
    plane.plate_jobs,
    plane.clamped_jobs,
    plane.reacting_jobs,
    beams.beam_jobs,
    beams.axis_jobs,
    contacts.penalty_jobs,
    contacts.exact_jobs,
    effects.spring_jobs,
    effects.explicit_jobs,
    space.ground_jobs,
    space.obstacle_jobs,
    space.penalty_jobs,
    solids.flight_jobs,
    solids.given_jobs,
    solids.unknown_jobs,
    solids.obstacle_jobs,
    solids.clamp_jobs,
)
"""Problems with their options, by name."""

RUNS = (
    statics.element_runs,
    statics.equilibrium_runs,
    statics.mode_runs,
    statics.friction_runs,
    warned.warning_runs,
    warned.failure_runs,
    refusals.refusal_runs,
    refused_parts.refused_part_runs,
    builtin.case_runs,
    builtin.command_runs,
)
"""Functions of all other runs."""

RESTARTED = """
rigid sdirk2 coulomb stopped; rigid moreau-theta sliding-stiction stopped; rigid backward-euler smooth belt
rigid explicit coulomb; rigid radau smooth; rigid linearly-implicit-trapezoidal coulomb; rigid sdirk2 coulomb adaptive
rigid sdirk2 adaptive rarely stored; rigid sdirk2 rarely stored; rigid backward-euler static-kinetic stopped
rigid explicit rarely stored; rigid moreau-theta couple; plate sdirk2 coulomb stopped; plate moreau-theta sliding-stiction
plate sdirk2 heated; plate backward-euler coulomb adaptive; plate quasi-static cycle; plate quasi-static adaptive
plate sdirk2 rarely stored; plate moreau-theta static-kinetic stopped; plate backward-euler follower; plate sdirk2 stiff arcs
clamped sdirk2 all; clamped moreau-theta driven; clamped sdirk2 x sliding-stiction
clamped sdirk2 angle small-strain adaptive; clamped quasi-static held; reacting rigid sdirk2 coulomb stopped
reacting plate moreau-theta elliptic; beam sdirk2 coulomb; beam moreau-theta static-kinetic; beam quasi-static end
beam backward-euler adaptive; beam-axis sdirk2 beam-chord; beam-axis moreau-theta sliding-stiction; beam-axis sdirk2 adaptive
contact rigid sdirk2 line spring stiction; contact rigid sdirk2 adaptive; contact plate sdirk2 control
contact rigid moreau-theta chain spring smooth
exact rigid moreau-theta line
exact rigid moreau-theta room stronge; exact rigid adaptive
exact rigid moreau-theta small circle; exact plate moreau-theta line; exact plate backward-euler held
spring rigid sdirk2 along its axis; spring rigid explicit two; spring plate explicit moved
spring clamped x sdirk2 two; spring quasi-static tied; spring beam sdirk2 tied; spring rigid sdirk2 adaptive
explicit plate coulomb; explicit plate many steps; explicit plate adaptive; explicit plate stopped; explicit rigid many steps
space sdirk2 feet askew; space backward-euler feet askew static-kinetic; space moreau-theta feet dropped
space sdirk2 ball dropped; space moreau-theta base; space sdirk2 base short steps; space sdirk2 feet askew short steps
space sdirk2 feet rarely stored; space sdirk2 free; space sdirk2 feet moving; space moreau-theta ball turning bowl
space backward-euler feet groove; space sdirk2 feet breaks away; space penalty sdirk2 feet ground stiction
space penalty sdirk2 feet bowl spring none; space penalty moreau-theta beside exact
solid sdirk2 flight Q1 neo-hookean mean-axis; solid backward-euler flight P1 loads viscosity; solid sdirk2 given coulomb
solid backward-euler given smooth from rest; solid sdirk2 given stiff arcs; solid sdirk2 given belt Q1
solid sdirk2 ground pulled Q1 Coulomb; solid backward-euler ground thrown P1 StaticKinetic
solid sdirk2 ground dropped viscosity; solid sdirk2 obstacle groove Q1; solid backward-euler obstacle moving Q1
solid penalty sdirk2 beside exact; solid sdirk2 clamp hinge Q1; solid backward-euler clamp turning ground
solid sdirk2 clamp fixed penalty
"""


def jobs() -> Iterator[tuple[str, p.Maker]]:
    """All problems with their options, by name."""
    return itertools.chain.from_iterable(make() for make in JOBS)


def restarted_names() -> list[str]:
    """Names of the runs that are also resumed."""
    return [name.strip() for line in RESTARTED.split("\n") for name in line.split(";") if name.strip()]


def runs() -> Iterator[tuple[str, p.Run]]:
    """All runs by name; the first word is the group."""
    known = dict(jobs())
    for name, make in known.items():
        yield name, partial(p.recorded, make)
    for name in restarted_names():
        yield f"restart {name}", partial(p.restarted, known[name])
    yield from itertools.chain.from_iterable(make() for make in RUNS)


@functools.cache
def known() -> dict[str, p.Run]:
    """All runs by name."""
    return dict(runs())


def taken(name: str) -> tuple[str, p.Values, float]:
    """Take a run: its values, and CPU time, s. What it raises besides failures that are results is a message, too."""
    start = time.process_time()
    try:
        values = known()[name]()
    except Exception as error:
        values = {"message": np.array(f"{type(error).__name__}: {error}"), "broken": np.array(True)}
    return name, values, time.process_time() - start
