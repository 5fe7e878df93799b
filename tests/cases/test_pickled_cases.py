"""Problems and models of all cases in other processes and threads: the same runs to the last bit, and files that are whole."""

import copy
import multiprocessing
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from case_runs import SMALL

from cases.app.parts.parameters import bounds
from cases.app.registry import CASES, load
from floating_frame import assemble, load_trajectory, simulate
from floating_frame.output import journal


def problem_of(name, **values):
    case = load(name)
    params = case.Parameters(**SMALL[name] | values)
    return case.problem(params), case.options(params)


def assert_same(one, other):
    """Two runs are equal to the last bit."""
    assert set(one.variables) == set(other.variables)
    assert len(one.time) >= 3
    for name, values in one.variables.items():
        np.testing.assert_array_equal(other[name].values, values.values, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_a_case_pickled_or_copied_gives_the_same_run_to_the_last_bit(name):
    """The copy of a pickled model of a pickled problem, which has run."""
    problem = problem_of(name)
    model = assemble(*pickle.loads(pickle.dumps(problem)))
    simulate(model)
    assert_same(simulate(assemble(*problem)), simulate(copy.deepcopy(pickle.loads(pickle.dumps(model)))))


def test_every_choice_of_the_cases_is_a_problem_that_can_be_pickled():
    """Choices of one name are those of one part of the cases, and shown by the first case that takes them."""
    seen = set()
    for name in CASES:
        for key, field in load(name).Parameters.model_fields.items():
            choices = bounds(field).removeprefix("one of ").split(", ") if "one of" in bounds(field) else ()
            for choice in [(key, value) for value in choices if (key, value) not in seen]:
                try:
                    posing = problem_of(name, **dict([choice]))
                except ValueError:
                    continue  # a choice that asks for another one
                assert repr(pickle.loads(pickle.dumps(posing))) == repr(posing), (name, choice)
                seen.add(choice)
    assert len(seen) > 60


def test_a_new_process_runs_models_and_gives_their_trajectories_back():
    """A rigid body in the plane whose problem hands functions over, and an elastic one in space."""
    models = [assemble(*problem_of(name)) for name in ("belt_oscillator", "solid_pulled")]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        computed = pool.map(simulate, models)
    for model, run in zip(models, computed, strict=True):
        assert_same(simulate(model), run)


def test_a_model_in_use_is_refused_and_usable_again_afterwards():
    model = assemble(*problem_of("plate_sliding"))
    wanted, began, go_on = simulate(model), threading.Event(), threading.Event()

    def wait(_):
        began.set()
        assert go_on.wait(60.0)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(simulate, model, progress=wait)
        assert began.wait(60.0)
        with pytest.raises(RuntimeError, match=r"in use by another run.* assemble one for each thread") as refused:
            simulate(model)
        go_on.set()
        assert_same(wanted, first.result())
    assert "\n" not in str(refused.value)
    assert_same(wanted, simulate(model))


def test_models_in_several_threads_write_files_that_are_whole(tmp_path):
    """HDF5 ends the process, or loses the files, where two threads are in it at once."""
    problem, options = problem_of("block_on_table", t_end=0.05)
    wanted = simulate(assemble(problem, options))

    def run(number):
        for again in range(2):
            path = tmp_path / f"{number}-{again}.nc"
            with simulate(assemble(problem, options), path=path):
                pass
            with load_trajectory(path) as computed:
                assert_same(wanted, computed.load())

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(run, range(3)))
    assert len(list(tmp_path.iterdir())) == 6


def test_netcdf_files_are_in_the_hands_of_one_thread_at_a_time(tmp_path, monkeypatch):
    """While one thread is between opening and closing a file, another waits."""
    inside, most, create = [], [], journal.Contents.with_checksums

    def slowly(self, further):
        inside.append(threading.get_ident())
        most.append(len(set(inside)))
        threading.Event().wait(0.02)
        inside.remove(threading.get_ident())
        return create(self, further)

    monkeypatch.setattr(journal.Contents, "with_checksums", slowly)
    problem, options = problem_of("block_on_table", t_end=0.05)
    models = [assemble(problem, options) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        paths = [tmp_path / f"{number}.nc" for number in range(3)]
        for run in pool.map(lambda model, path: simulate(model, path=path), models, paths):
            run.close()
    assert len(most) == 6  # the growing file and the whole one
    assert max(most) == 1


def test_a_run_read_from_its_file_is_pickled_and_read_by_the_same_lock(tmp_path):
    with simulate(assemble(*problem_of("block_on_table")), path=tmp_path / "run.nc") as run:
        assert_same(run.load(), pickle.loads(pickle.dumps(load_trajectory(tmp_path / "run.nc"))))
