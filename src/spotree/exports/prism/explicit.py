"""The Markov chain of a policy as a PRISM program, state by state, where the model has no PRISM text."""

import math

import numpy as np

from spotree.common.arrays import ActionOf, SmallInts
from spotree.errors import InfeasibleError, InvalidModelError
from spotree.exports.prism.names import Names, comment, is_whole, number
from spotree.mdp.graph import ENDS
from spotree.mdp.model import MDP

MOST_TRANSITIONS = 2_000_000


def chain_program(
    mdp: MDP, actions: ActionOf, names: Names, ended: str, structure: str, discount_in_model: bool
) -> list[str]:
    """The lines of the program: one command for each state that the policy reaches, named after its action."""
    goes_on = mdp.discount if discount_in_model else 1.0
    rows = mdp.choice_of[np.arange(mdp.num_states), actions]
    reached = _reached(mdp, rows)
    if int(np.diff(mdp.row_start)[rows[reached]].sum()) > MOST_TRANSITIONS:
        raise InvalidModelError(
            f"the policy's chain has more than {MOST_TRANSITIONS:,} transitions; write it with write_umb instead"
        )
    declared, values = _variables(mdp, reached, names)
    labels = {
        action: names.fresh(mdp.action_names[action]) for action in sorted({int(actions[s]) for s in reached})
    }
    if mdp.discount == 0 and not discount_in_model:
        raise InvalidModelError("discount 0 leaves one step; pass discount_in_model=True to export it")
    firsts = np.flatnonzero(mdp.initial > 0)
    single = len(firsts) == 1
    started = "" if single else names.fresh("started")
    going = f" & !{ended}" + ("" if single else f" & {started}")
    first = values[int(firsts[0])]

    def moved(state: int) -> str:
        return " & ".join(f"({name}'={value})" for (name, _, _), value in zip(declared, values[state], strict=True))

    def at(state: int) -> str:
        return " & ".join(f"{name}={value}" for (name, _, _), value in zip(declared, values[state], strict=True))

    lines = ["", "module policy"]
    lines += [
        f"  {name} : [{low}..{high}] init {value};"
        for (name, low, high), value in zip(declared, first, strict=True)
    ]
    lines += [f"  {ended} : bool init false;"]
    if not single:
        drawn = [(float(mdp.initial[s]), f"{moved(int(s))} & ({started}'=true)") for s in firsts]
        lines += [f"  {started} : bool init false;  // the first step draws the initial state"]
        if len({probability for probability, _ in drawn}) == 1:  # a dtmc takes each enabled command alike
            lines += [f"  [] !{started} -> {update};" for _, update in drawn]
        else:
            lines += [f"  [] !{started} -> {_distribution(drawn, None)};"]
    for state in reached:
        row = rows[state]
        entries = range(mdp.row_start[row], mdp.row_start[row + 1])
        going_on = [(goes_on * float(mdp.probability[e]), moved(int(mdp.target[e]))) for e in entries]
        text = _distribution(going_on, f"({ended}'=true)")
        lines.append(f"  [{labels[int(actions[state])]}] {at(state)}{going} -> {text};")
    lines += [f"  [] {ended} -> true;", "endmodule", "", f'rewards "{structure}"']
    sign = -1.0 if mdp.sense == "min" else 1.0
    later = "" if single or mdp.discount == 1 or discount_in_model else f" / {number(mdp.discount)}"
    paid = [state for state in reached if mdp.reward_of_choice[rows[state]] != 0]
    lines += [f"  {at(s)}{going} : {number(sign * mdp.reward_of_choice[rows[s]])}{later};" for s in paid]
    lines += [] if paid else ["  false : 0;"]
    lines += ["endrewards"]
    if later:
        lines.append(comment("rewards are divided by the discount: the first step draws the initial state"))
    lines += [comment(f"{name} is the action {mdp.action_names[action]!r}") for action, name in labels.items()]
    return lines


def _reached(mdp: MDP, rows: SmallInts) -> list[int]:
    """The states that the policy comes to."""
    seen = np.zeros(mdp.num_states, dtype=bool)
    border = np.flatnonzero(mdp.initial > 0)
    while len(border):
        seen[border] = True
        lost = border[rows[border] < 0]
        if len(lost):
            raise InfeasibleError(
                f"state {mdp.state_number[lost[0]]}: the policy takes a forbidden action there; nothing to export"
            )
        targets = [mdp.target[mdp.row_start[row] : mdp.row_start[row + 1]] for row in rows[border]]
        nexts = np.unique(np.concatenate(targets)) if targets else np.zeros(0, dtype=int)
        border = nexts[~seen[nexts]]
    return [int(state) for state in np.flatnonzero(seen)]


def _variables(
    mdp: MDP, reached: list[int], names: Names
) -> tuple[list[tuple[str, int, int]], dict[int, tuple[int, ...]]]:
    """(name, least, most) of each variable, and their values by state: the features if these identify the states."""
    features = mdp.features[reached]
    if is_whole(features) and len(np.unique(features, axis=0)) == len(features):
        kept = [j for j in range(mdp.num_features) if len(np.unique(features[:, j])) > 1] or [0]
        whole = features[:, kept].astype(np.int64)
        declared = [
            (names.fresh(mdp.feature_names[j]), int(whole[:, i].min()), int(whole[:, i].max()))
            for i, j in enumerate(kept)
        ]
        return declared, {state: tuple(map(int, row)) for state, row in zip(reached, whole, strict=True)}
    return [(names.fresh("state"), 0, mdp.num_states - 1)], {state: (state,) for state in reached}


def _distribution(outcomes: list[tuple[float, str]], ends: str | None) -> str:
    """`p : update + ...`; the likeliest outcome gets what the others leave, so that the sum is 1 exactly."""
    total = math.fsum(probability for probability, _ in outcomes)
    if ends is not None and total < 1 - ENDS:
        outcomes = [*outcomes, (1 - total, ends)]
    if len(outcomes) == 1:
        return outcomes[0][1]
    likeliest = max(range(len(outcomes)), key=lambda place: outcomes[place][0])
    others = "+".join(number(p) for place, (p, _) in enumerate(outcomes) if place != likeliest)
    return " + ".join(
        f"{f'1-({others})' if place == likeliest else number(p)} : {update}"
        for place, (p, update) in enumerate(outcomes)
    )
