"""Plain twins of the value kernels: dense matrices, NumPy, exact fractions."""

from fractions import Fraction

import numpy as np


def row_weights(mdp, policy):
    """[state, choice] the probability of each row: an action per state, or a weight per choice."""
    weights = np.zeros((mdp.num_states, len(mdp.choice_action)))
    for state in range(mdp.num_states):
        rows = slice(mdp.choice_start[state], mdp.choice_start[state + 1])
        if hasattr(policy, "weight"):
            weights[state, rows] = policy.weight[rows]
        else:
            weights[state, mdp.choice_of[state, policy[state]]] = 1.0
    return weights


def policy_value(mdp, policy):
    weights = row_weights(mdp, policy)
    matrix = np.eye(mdp.num_states) - mdp.discount * weights @ mdp.rows.toarray()
    return np.linalg.solve(matrix, weights @ mdp.reward_of_choice)


def occupancy(mdp, policy):
    matrix = np.eye(mdp.num_states) - mdp.discount * row_weights(mdp, policy) @ mdp.rows.toarray()
    return np.linalg.solve(matrix.T, mdp.initial)


def action_values(mdp, value):
    result = np.full((mdp.num_states, mdp.num_actions), -np.inf)
    rows = mdp.rows.toarray()
    for state in range(mdp.num_states):
        for action in range(mdp.num_actions):
            row = mdp.choice_of[state, action]
            if row >= 0:
                result[state, action] = mdp.reward_of_choice[row] + mdp.discount * rows[row] @ value
    return result


def optimal_value(mdp):
    """Value iteration until nothing moves."""
    rows, value, before = mdp.rows.toarray(), np.zeros(mdp.num_states), None
    while before is None or np.abs(value - before).max() > 1e-14 * max(1.0, np.abs(value).max()):
        before, of_choice = value, mdp.reward_of_choice + mdp.discount * rows @ value
        value = np.maximum.reduceat(of_choice, mdp.choice_start[:-1])
    return value


def exact_matrix(probability, discount):
    """I - discount P in fractions: its entries are no floats."""
    return [
        [Fraction(int(i == j)) - Fraction(discount) * Fraction(float(p)) for j, p in enumerate(row)]
        for i, row in enumerate(probability)
    ]


def exact_solution(matrix, right):
    """Gauss-Jordan in fractions: the true solution."""
    rows = [[*row, Fraction(float(b))] for row, b in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [e / rows[k][k] for e in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k] != 0:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]
