"""The solver of chains against NumPy, SciPy and exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import spsolve

from oracles.chains import DISCOUNTS, arrays, chains
from oracles.values import exact_matrix, exact_solution
from spotree import _core

METHODS = {"default": {}, "dense": {"dense": 10**6}, "sparse": {"dense": 0}, "iterated": {"dense": 0, "sparse": 0}}
methods = pytest.mark.parametrize("limits", METHODS.values(), ids=METHODS)


def solver_of(matrix, discount, roots=None, **limits):
    row_start, target, probability = arrays(matrix)
    return _core.ChainSolver(
        row_start=row_start,
        row_of=None,
        target=target,
        probability=probability,
        discount=discount,
        roots=roots,
        **limits,
    )


def close(found, wanted, discount):
    scale = np.abs(wanted).max(initial=1e-300)
    return np.abs(found - wanted).max(initial=0.0) <= 1e-14 / (1.0 - discount) * scale


@methods
@settings(max_examples=60, deadline=None)
@given(chain=chains(), discount=st.sampled_from(DISCOUNTS))
def test_values_agree_with_numpy_and_scipy(chain, discount, limits):
    matrix, rng = chain
    reward = rng.normal(size=matrix.shape[0])
    system = sp.eye(matrix.shape[0]) - discount * matrix
    values, error = solver_of(matrix, discount, **limits).solve(reward)
    assert close(values, np.linalg.solve(system.toarray(), reward), discount)
    assert close(values, spsolve(system.tocsc(), reward), discount)
    assert error <= 1e-13 / (1.0 - discount) * np.abs(values).max()


@methods
@settings(max_examples=60, deadline=None)
@given(chain=chains(), discount=st.sampled_from(DISCOUNTS))
def test_visits_agree_with_numpy_and_are_never_negative(chain, discount, limits):
    matrix, rng = chain
    initial = rng.random(matrix.shape[0]) * (rng.random(matrix.shape[0]) < 0.5)
    system = np.eye(matrix.shape[0]) - discount * matrix.toarray()
    visits, _ = solver_of(matrix, discount, **limits).solve_transposed(initial)
    assert close(visits, np.linalg.solve(system.T, initial), discount)
    assert limits.get("sparse") == 0 or (visits >= 0.0).all()


@methods
@settings(max_examples=25, deadline=None)
@given(chain=chains(most_states=9), discount=st.sampled_from([*DISCOUNTS, 1.0 - 1e-9]))
def test_the_true_solution_lies_within_the_error(chain, discount, limits):
    matrix, rng = chain
    right = rng.normal(size=matrix.shape[0])
    system = exact_matrix(matrix.toarray(), discount)
    solver = solver_of(matrix, discount, **limits)
    values, error = solver.solve(right)
    truth = exact_solution(system, right)
    assert max(abs(t - Fraction(v)) for t, v in zip(truth, values.tolist(), strict=True)) <= error
    visits, error = solver.solve_transposed(np.abs(right))
    truth = exact_solution(list(zip(*system, strict=True)), np.abs(right))
    assert sum(abs(t - Fraction(v)) for t, v in zip(truth, visits.tolist(), strict=True)) <= error


@settings(max_examples=40, deadline=None)
@given(chain=chains())
def test_undiscounted_chains_that_end_are_solved_with_a_bound(chain):
    matrix, rng = chain
    matrix = matrix * 0.5 + sp.diags(rng.random(matrix.shape[0]) * 0.4)  # every row ends sometimes
    reward = rng.normal(size=matrix.shape[0])
    values, error = solver_of(matrix.tocsr(), 1.0).solve(reward)
    assert close(values, np.linalg.solve(np.eye(len(reward)) - matrix.toarray(), reward), 0.9)
    assert error <= 1e-12 * np.abs(values).max(initial=1.0)


def test_an_undiscounted_walk_that_ends_only_at_its_far_end_has_a_bound():
    size = 50  # from state i to i + 1 or back to 0, half each; only the last one ends: 2^51 - 2 steps from 0
    matrix = sp.lil_matrix((size, size))
    for state in range(size - 1):
        matrix[state, 0], matrix[state, state + 1] = matrix[state, 0] + 0.5, 0.5
    matrix[size - 1, 0] = 0.5
    values, error = solver_of(matrix.tocsr(), 1.0).solve(np.ones(size))
    assert values[0] == pytest.approx(2.0**51 - 2, rel=1e-12)
    assert error < 2.0**51


def test_an_undiscounted_chain_that_never_ends_has_no_bound():
    circle = sp.csr_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert solver_of(circle, 1.0).solve(np.ones(2))[1] == np.inf
    assert solver_of(sp.eye(1, format="csr"), 1.0).solve(np.ones(1))[1] == np.inf


def test_an_undiscounted_goal_that_is_never_left_is_worth_nothing():
    walk = sp.csr_matrix(np.array([[0.5, 0.5], [0.0, 1.0]]))
    values, _ = solver_of(walk, 1.0).solve(np.array([-1.0, 0.0]))
    assert values.tolist() == [-2.0, 0.0]  # 1 / (1 - 0.5) steps


def test_only_what_the_roots_reach_is_looked_at():
    chain = sp.csr_matrix(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.5]]))
    solver = solver_of(chain, 0.5, roots=np.array([1], dtype=np.int32))
    assert sorted(solver.states.tolist()) == [0, 1]
    values, _ = solver.solve(np.array([1.0, 0.0, 7.0]))
    assert values[:2].tolist() == pytest.approx([4 / 3, 2 / 3])  # 1 / (1 - 0.25), and half of it
    assert np.isnan(values[2])


def test_components_are_the_strongly_connected_ones():
    rng = np.random.default_rng(0)
    for size, degree in [(1, 1), (40, 1), (300, 2), (3000, 1), (3000, 2)]:
        target = rng.integers(0, size, (size, degree))
        matrix = sp.csr_matrix((np.ones(target.size), (np.repeat(np.arange(size), degree), target.ravel())))
        matrix.resize(size, size)
        number, label = sp.csgraph.connected_components(matrix, connection="strong")
        solver = solver_of(matrix / degree, 0.9)
        assert solver.num_components == number
        assert solver.largest_component == np.bincount(label).max()


def test_a_path_of_a_million_states_needs_no_recursion():
    size = 10**6
    path = sp.diags([np.ones(size - 1)], [1], format="csr")
    values, _ = solver_of(path, 1.0).solve(np.ones(size))
    assert values[0] == size


@methods
def test_large_components_of_every_shape_are_solved(limits):
    rng = np.random.default_rng(1)
    size = 700
    circle = sp.csr_matrix((np.ones(size), (np.arange(size), (np.arange(size) + 1) % size)))
    grid = sp.diags([0.25, 0.25, 0.25, 0.25], [-1, 1, -26, 26], shape=(size, size))
    sparse = sp.random(size, size, 4 / size, random_state=2)
    dense = sp.csr_matrix(rng.random((size, size)))
    for shape in (circle, grid, sparse + circle, dense):
        matrix = sp.csr_matrix(sp.diags(1.0 / np.asarray(shape.sum(axis=1)).ravel()) @ shape)
        system, reward = np.eye(size) - 0.99 * matrix.toarray(), rng.normal(size=size)
        solver = solver_of(matrix, 0.99, **limits)
        assert (solver.num_iterated > 0) == (limits.get("sparse") == 0)
        values, error = solver.solve(reward)
        visits, _ = solver.solve_transposed(np.abs(reward))
        assert close(values, np.linalg.solve(system, reward), 0.99)
        assert close(visits, np.linalg.solve(system.T, np.abs(reward)), 0.99)
        assert error <= 1e-12 * np.abs(values).max()


def test_a_component_too_full_to_be_factored_is_iterated():
    rng = np.random.default_rng(3)
    full = rng.random((2600, 2600))
    full /= full.sum(axis=1, keepdims=True)
    solver = solver_of(sp.csr_matrix(full), 0.99)
    assert solver.num_iterated == 1
    reward = rng.normal(size=2600)
    values, error = solver.solve(reward)
    assert np.abs(values - 0.99 * full @ values - reward).max() <= 1e-13 * np.abs(values).max()
    assert error <= 1e-12 * np.abs(values).max()


def test_a_right_hand_side_of_another_size_is_refused():
    with pytest.raises(ValueError, match="one number per state"):
        solver_of(sp.eye(2, format="csr"), 0.5).solve(np.ones(3))
