"""Job A of the work-precision page in MuJoCo: (step, CPU time, error) of each run as JSON. Needs only the wheel mujoco.

python benchmarks/peer_mujoco.py < JSON of levels (dt, exact positions), repeats, force, mu.

F cos t acts on a block of 1 kg, 0.3 x 0.3 x 0.1 m. Elliptic cones with impratio 100, which holds creep down as far as it goes.
"""

import json
import math
import sys
import time

try:
    import mujoco
except ImportError:
    sys.exit("mujoco is not installed: left out (pip install mujoco, or --peers PYTHON of an environment that has it)")

BLOCK = """<mujoco><option timestep="{dt!r}" gravity="0 0 -9.81" cone="elliptic" impratio="100"
integrator="implicitfast"/><worldbody>
<geom type="plane" size="5 5 .1" friction="{mu!r} 0 0" condim="3"/><body pos="0 0 .05"><joint type="slide" axis="1 0 0"/>
<joint type="slide" axis="0 0 1"/><geom type="box" size=".15 .15 .05" mass="1" friction="{mu!r} 0 0" condim="3"/></body>
</worldbody></mujoco>"""


def run(dt: float, steps: int, force: float, mu: float) -> tuple[float, list[float]]:
    """Return the CPU time of a run, s, and the positions after each step, m."""
    model = mujoco.MjModel.from_xml_string(BLOCK.format(dt=dt, mu=mu))
    data, path = mujoco.MjData(model), []
    start = time.process_time()
    for step in range(steps):
        data.qfrc_applied[0] = force * math.cos((step + 0.5) * dt)
        mujoco.mj_step(model, data)
        path.append(float(data.qpos[0]))
    return time.process_time() - start, path


def main() -> None:
    """Read the job, run it at each step and print what came."""
    job, rows = json.load(sys.stdin), []
    for dt, exact in job["levels"]:
        found = [run(dt, len(exact), job["force"], job["mu"]) for _ in range(job["repeats"])]
        error = max(abs(x - y) for x, y in zip(found[0][1], exact, strict=True)) / max(map(abs, exact))
        rows.append([dt, min(spent for spent, _ in found), error])
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
