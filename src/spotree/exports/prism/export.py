"""The policy as a PRISM dtmc that any tool of that family can verify without trusting spotree."""

import math
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from spotree.errors import InfeasibleError, ReadError
from spotree.evaluation import evaluate
from spotree.evaluation.policy import actions_of
from spotree.exports.formatting import GivenPolicy, named_policy
from spotree.exports.prism.explicit import chain_program
from spotree.exports.prism.names import Names, comment
from spotree.exports.prism.symbolic import conjoined
from spotree.mdp import MDP, ChoiceRows, build_mdp
from spotree.models import prism_source
from spotree.readers.options import ActionMapping, Constant, ReadOptions
from spotree.readers.storm.program import read_program
from spotree.readers.storm.reader import load_prism, storm_is_here

STRUCTURE = "spotree"
TOLERANCE = 1e-9
SUFFIXES = (".prism", ".nm", ".pm", ".sm")


def to_prism(
    policy: GivenPolicy,
    mdp: MDP,
    source: str | os.PathLike[str] | None = None,
    *,
    constants: Mapping[str, Constant] | None = None,
    reward: str | Iterable[str] | None = None,
    goal: str | None = None,
    avoid: str | None = None,
    actions: ActionMapping = "commands",
    discount_in_model: bool = False,
) -> str:
    """A PRISM program of the Markov chain that the policy makes of the model, with the reward that counts.

    With the PRISM file of the model it is that program with the tree conjoined to the guards; the shipped protocols
    know their own. Without one it lists the states that the policy reaches. Where stormpy is installed the program is
    built again and its value held against the policy's; it is raised, not returned, if they differ.

    Parameters
    ----------
    mdp
        The model: its discount, sense and rule for missing actions are those of the program.
    source
        The PRISM file that the model was read from, with the options below as for `read`.
    constants, reward, goal, avoid, actions
        As the model was read.
    discount_in_model
        After every step, end with the probability 1 - discount, so that the discounted value is a plain total reward,
        which every tool can compute (`R{"spotree"}=? [ F "ended" ]`); twice as many states.
    """
    policy = named_policy(policy)
    given = ReadOptions(
        constants=dict(constants or {}),
        reward=reward if reward is None or isinstance(reward, str) else tuple(reward),
        goal=goal,
        avoid=avoid,
        actions=actions,
    )
    if source is None:
        given.refuse("an export without the model's PRISM file", "constants", "reward", "goal", "avoid", "actions")
    elif not str(os.fspath(source)).lower().endswith(SUFFIXES):
        raise ReadError(f"{os.fspath(source)}: not a PRISM file; leave source out to export state by state")
    value = evaluate(mdp, policy)
    discount_in_model = discount_in_model and mdp.discount < 1
    shipped = prism_source(mdp.name) if source is None else None
    if source is None and shipped is None:
        names = Names()
        ended = names.fresh("ended")
        lines = chain_program(mdp, actions_of(mdp, policy), names, ended, STRUCTURE, discount_in_model)
    else:
        with tempfile.TemporaryDirectory() as folder:
            if shipped is not None:
                path, options = Path(folder) / f"{mdp.name}.prism", shipped.options
                path.write_text(shipped.text)
            else:
                path, options = Path(os.fspath(source or "")), given
            program = read_program(path, options)
        names = Names(program.names)
        ended = names.fresh("ended")
        tree = policy.tree_for(mdp.feature_names, mdp.action_names)
        if STRUCTURE in program.rewards:
            raise ReadError(f"{path}: has a reward structure {STRUCTURE!r} already; rename it")
        lines = conjoined(program, options, mdp, tree, names, ended, STRUCTURE, discount_in_model)
    lines = [*_head(mdp, value, ended, discount_in_model), "", "dtmc", *lines, "", f'label "{ended}" = {ended};']
    text = "\n".join(lines) + "\n"
    if storm_is_here():
        _check(text, mdp, value, ended, discount_in_model)
    return text


def _head(mdp: MDP, value: float, ended: str, discount_in_model: bool) -> list[str]:
    """What the program is, and what to ask of it."""
    what = "cost" if mdp.sense == "min" else "reward"
    worth = repr(0.0 - value if mdp.sense == "min" else value) if math.isfinite(value) else "infinite"
    until_end = f'R{{"{STRUCTURE}"}}=? [ F "{ended}" ]'
    total = until_end if mdp.must_end or discount_in_model else f'R{{"{STRUCTURE}"}}=? [ C ]'
    asked = (
        total if mdp.discount == 1 or discount_in_model else f'R{{"{STRUCTURE}"}}=? [ Cdiscount={mdp.discount!r} ]'
    )
    return [
        comment(f"The model {mdp.name!r} under a decision-tree policy, by spotree."),
        comment(f"Discount {mdp.discount!r}; an action that is not available: {mdp.missing}."),
        comment(f"Expected {what}: {worth}. To verify it:"),
        comment(f"  {asked}"),
        comment(f'  P=? [ F "{ended}" ]  (the probability that the episode ends)'),
    ]


def _check(text: str, mdp: MDP, value: float, ended: str, discount_in_model: bool) -> None:
    """The program is worth what the policy is: Storm builds it, and its chain is solved anew."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.prism"
        path.write_text(text)
        model = load_prism(path)
    over = model.labels[ended]
    count = np.where(over, 0, np.diff(model.row_start))
    moves = np.repeat(~over, np.diff(model.row_start))
    paid = model.rewards[STRUCTURE].per_choice(model.state_of)
    try:
        chain = build_mdp(
            ChoiceRows(
                np.arange(model.num_states),
                np.zeros(model.num_states, dtype=np.int64),
                np.concatenate(([0], np.cumsum(count))),
                model.target[moves],
                model.probability[moves],
            ),
            np.where(over, 0.0, -paid if mdp.sense == "min" else paid),
            1.0 if discount_in_model else mdp.discount,
            initial=model.initial,
            action_names=["go"],
            ends=over.astype(np.float64),
            must_end=mdp.must_end,
            normalise=True,
        )
        again = evaluate(chain, np.zeros(chain.num_states, dtype=np.int32))
    except InfeasibleError:
        again = -math.inf
    if again == value or abs(again - value) <= TOLERANCE * max(abs(again), abs(value)):
        return
    raise ReadError(
        f"the exported program is worth {again:.10g}, the policy {value:.10g}: nothing is exported; pass source,"
        " constants, reward, goal, avoid and actions as the model was read"
    )
