"""Inventory management: how much to order when demand is random."""

from math import exp, factorial

import numpy as np

from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP

CAPACITY, LARGEST_ORDER = 100, 99
MEAN_DEMAND, DEMAND_LIMIT = 15, 75  # a demand of 75 or more (probability 2e-28) does not occur
PRICE, UNIT_COST, ORDER_COST, HOLDING_COST = 4.0, 2.0, 10.0, 1.0


def inventory_management() -> MDP:
    """A shop with room for 100 items; what it orders arrives before the customers do.

    Demand is Poisson with mean 15; what is not in stock is not sold. An item sells for 4 and costs 2, an order
    costs 10 on top, and each item in stock before the order costs 1 for its room. What does not fit is paid for and
    lost.

    Kept from OMDT: the reward of a choice weighs each outcome with the *square* of its probability, so that it is
    the expected profit only where the outcome is certain.
    """
    stock = np.arange(CAPACITY + 1)
    order = np.arange(LARGEST_ORDER + 1)
    shelf = np.minimum(stock + order[:, None], CAPACITY)  # [action, state], after the delivery

    demand = np.arange(DEMAND_LIMIT)
    chance = [exp(-MEAN_DEMAND) * MEAN_DEMAND**items / factorial(items) for items in range(DEMAND_LIMIT)]
    left_over = np.zeros((CAPACITY + 1, CAPACITY + 1))  # [on the shelf, left in the evening]
    for full in stock:
        left = np.maximum(full - demand, 0)
        left_over[full] = np.bincount(left, weights=chance, minlength=CAPACITY + 1)
    transitions = left_over[shelf]  # [action, state, next state]

    income = PRICE * (shelf[:, :, None] - stock)  # [action, state, next state], from what is sold
    spent = HOLDING_COST * stock + UNIT_COST * order[:, None] + ORDER_COST * (order[:, None] > 0)
    reward = (transitions**2 * (income - spent[:, :, None])).sum(axis=2).T

    return build_mdp(
        transitions=transitions,
        reward=reward,
        discount=0.99,
        initial=(stock == 0).astype(float),
        features=stock[:, None].astype(float),
        feature_names=["inventory"],
        action_names=["Don't buy", *(f"Buy {items}" for items in order[1:])],
    )
