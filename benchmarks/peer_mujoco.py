"""Jobs of the work-precision page in MuJoCo: [setting, step, CPU time, values] of each run as JSON. Needs only the wheel mujoco.

python benchmarks/peer_mujoco.py < JSON of the job and its numbers (`peers.TASKS`).

A: four feet under the block's corners. B: 6 x 18 feet of equal areas under the disc. Feet are spheres of 1 mm; bodies translate and
turn without tipping. C: a flex of the reference's triangles, whose nodes are its contacts, with the reference's nodal masses. All
settle at their initial velocity before the run. It is stepped from Python, B, which has no loads, by one call.
"""

import json
import math
import sys
import time

import numpy as np

try:
    import mujoco
except ImportError:
    sys.exit("mujoco is not installed: left out (pip install mujoco, or --peers PYTHON of an environment that has it)")

RADIUS = 1e-3
# Cone, impratio, rounds without slip (noslip_iterations), time constant of solref in s (0: two steps), impedance of solimp.
RIGID = [
    ("pyramidal", 1, 0, 0.02, 0.95),
    ("elliptic", 1, 0, 0.02, 0.95),
    ("elliptic", 100, 0, 0.02, 0.99),
    ("elliptic", 1, 20, 0.02, 0.99),
    ("elliptic", 1e4, 0, 0.0, 0.9999),
    ("elliptic", 1e-4, 0, 0.02, 0.95),
]
FLEX = [("elliptic", 1, 0, 0.02, 0.95), ("elliptic", 100, 0, 0.02, 0.99), ("elliptic", 1, 0, 0.0, 0.9999)]

OPTION = """<option timestep="{dt!r}" gravity="0 0 -9.81" cone="{cone}" impratio="{impratio}" noslip_iterations="{rounds}"
noslip_tolerance="0" integrator="{integrator}" iterations="100" tolerance="1e-12"/>"""
CONTACT = 'friction="{mu!r} 0 0" condim="3" solref="{constant!r} 1" solimp="{impedance} {impedance} 1e-3"'
BODY = """<mujoco>{option}<worldbody><geom type="plane" size="50 50 1" {contact}/><body><joint type="slide" axis="1 0 0"/>
<joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 0 1"/>
<inertial pos="0 0 0" mass="{mass!r}" diaginertia="{inertia}"/>{feet}</body></worldbody></mujoco>"""
SHEET = """<mujoco>{option}<worldbody><geom type="plane" size="50 50 1" friction="{mu!r} 0 0" condim="3"/>
<flexcomp name="sheet" type="direct" dim="2" dof="full" point="{points}" element="{cells}" radius="{radius}" mass="{mass!r}">
<contact selfcollide="none" {contact}/><edge equality="false"/>
<elasticity young="{E!r}" poisson="{nu!r}" thickness="{thickness!r}" elastic2d="stretch"/></flexcomp></worldbody></mujoco>"""


def body(job: dict, option: str, contact: str) -> mujoco.MjModel:
    """Return the rigid body on its feet."""
    feet = "".join(
        f'<geom type="sphere" size="{RADIUS}" pos="{x!r} {y!r} {RADIUS}" {contact}/>' for x, y in job["points"]
    )
    inertia = " ".join(repr(job["mass"] * g) for g in job["gyration"])
    return mujoco.MjModel.from_xml_string(
        BODY.format(option=option, contact=contact, mass=job["mass"], inertia=inertia, feet=feet)
    )


def sheet(job: dict, option: str, contact: str) -> mujoco.MjModel:
    """Return the plate: three translations of each node."""
    points = " ".join(f"{x!r} {y!r} {RADIUS}" for x, y in job["X"])
    cells = " ".join(str(node) for cell in job["cells"] for node in cell)
    size = {key: job[key] for key in ("mu", "E", "nu", "thickness")}
    model = mujoco.MjModel.from_xml_string(
        SHEET.format(
            option=option,
            contact=contact,
            points=points,
            cells=cells,
            radius=RADIUS,
            mass=sum(job["nodal_mass"]),
            **size,
        )
    )
    model.body_mass[1:] = job["nodal_mass"]
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def settled(job: dict, setting: tuple, dt: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return the model and its state after half a second under its weight at its initial velocity, which slip lifts."""
    cone, impratio, rounds, constant, impedance = setting
    flat = job["job"] == "C"
    option = OPTION.format(
        dt=dt, cone=cone, impratio=impratio, rounds=rounds, integrator="discrete" if flat else "implicitfast"
    )
    contact = CONTACT.format(mu=job["mu"], constant=max(constant, 2.0 * dt), impedance=impedance)
    model = (sheet if flat else body)(job, option, contact)
    data = mujoco.MjData(model)
    for _ in range(round(0.5 / dt)):
        mujoco.mj_step(model, data)
        if not flat:
            data.qpos[[0, 1, 3]] = 0.0
            data.qvel[[0, 1, 3]] = job["velocity"], 0.0, job["spin"]
    return model, data


def slid(job: dict, model: mujoco.MjModel, data: mujoco.MjData, dt: float) -> list[float]:
    """Return positions at the stored instants of a body under its force, or distance and angle at the end of one without."""
    steps, every, path = round(job["t_end"] / dt), round(job["every"] / dt), []
    if job["force"] == 0.0:
        mujoco.mj_step(model, data, nstep=steps)
        return [float(data.qpos[0]), float(data.qpos[3])]
    for step in range(1, steps + 1):
        data.qfrc_applied[0] = job["force"] * math.cos((step - 0.5) * dt)
        mujoco.mj_step(model, data)
        if step % every == 0:
            path.append(float(data.qpos[0]))
    return path


def pulled(job: dict, model: mujoco.MjModel, data: mujoco.MjData, dt: float) -> list[float]:
    """Return the nodes' positions at the end, under the load that grows and is released."""
    forces, load = data.qfrc_applied.reshape(-1, 3), np.array(job["load"])
    for step in range(round(job["t_end"] / dt)):
        t = (step + 0.5) * dt
        forces[:, :2] = load * (min(t / job["ramp"], 1.0) if t < job["release"] else 0.0)
        mujoco.mj_step(model, data)
    return (np.array(job["X"]) + data.qpos.reshape(-1, 3)[:, :2]).ravel().tolist()


def run(job: dict, setting: tuple, dt: float) -> tuple[float, list[float]]:
    """Return the CPU time of a run, s, and what the job asks for."""
    model, data = settled(job, setting, dt)
    start = time.process_time()
    values = (pulled if job["job"] == "C" else slid)(job, model, data, dt)
    return time.process_time() - start, values


def main() -> None:
    """Read the job, run it with each setting and print what came."""
    job, rows = json.load(sys.stdin), []
    for setting in FLEX if job["job"] == "C" else RIGID:
        for dt in job["steps"]:
            spent = []
            while len(spent) < job["repeats"] and sum(spent) < job["long"]:
                seconds, values = run(job, setting, dt)
                spent.append(seconds)
            if not np.isfinite(values).all():
                print(f"MuJoCo {setting}, {dt:g}: left out, it ran away", file=sys.stderr)
                continue
            cone, impratio, rounds, constant, impedance = setting
            name = f"{cone}, impratio {impratio:g}, solref {constant or 'two steps'}, solimp {impedance}"
            rows.append([name + (f", noslip {rounds}" if rounds else ""), dt, min(spent), values])
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
