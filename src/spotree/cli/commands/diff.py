"""`spotree diff [MODEL] FIRST SECOND`: where two trees differ, how often that matters, and what it costs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.output import AsJson, show_facts, show_json, show_table
from spotree.cli.run_argument import TreeFile, open_tree, with_trees
from spotree.common.sanitize import shown

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.trees.policy import TreePolicy


@with_trees
def diff(
    mdp: "MDP",
    first: TreeFile,
    second: TreeFile,
    most: Annotated[int, typer.Option("--rows", help="States to show, the most costly first.", min=0)] = 20,
    as_json: AsJson = False,
) -> None:
    """Show where two trees differ and split the difference of their returns by state, to the last digit.

    What a state adds is the expected number of (discounted) visits that the first tree pays it, times what the first
    tree loses there by its action if the second tree goes on from there. These add up to the whole difference.

    Example: spotree diff old.json new.json
    """
    facts = split_facts(mdp, open_tree(first, mdp), open_tree(second, mdp))
    if as_json:
        show_json("difference", facts)
        return
    _show(mdp, facts, most)


def split_facts(mdp: "MDP", first: "TreePolicy", second: "TreePolicy") -> dict[str, Any]:
    """Everything that the command says, as plain values; `states` lists all that differ or add something."""
    import math

    import numpy as np

    from spotree.errors import InvalidProblemError
    from spotree.evaluation import actions_of, difference, expected_return
    from spotree.trees.text import size_text

    actions = [actions_of(mdp, policy) for policy in (first, second)]
    returns = [expected_return(mdp, action) for action in actions]
    for which, value in zip(("first", "second"), returns, strict=True):
        if not math.isfinite(value):
            raise InvalidProblemError(
                f"the {which} tree may go on for ever and is worth -inf; the difference cannot be split by state"
            )
    visited, sign = "first", 1.0
    try:
        split = difference(mdp, actions[0], actions[1])
    except InvalidProblemError:  # where the first tree comes the second may be worth -inf: then the other way round
        split = difference(mdp, actions[1], actions[0])
        visited, sign = "second", -1.0
    adds = sign * split.loss
    differs = (actions[0] != actions[1]) & (split.visits > 0)
    noise = 1e-12 * max(1.0, *map(abs, returns))
    listed = np.flatnonzero(differs | (np.abs(adds) > noise))
    listed = listed[np.argsort(-np.abs(adds[listed]), kind="stable")]
    return {
        "model": mdp.name,
        "sense": mdp.sense,
        "first": {"size": size_text(first.tree), "value": returns[0]},
        "second": {"size": size_text(second.tree), "value": returns[1]},
        "difference": returns[1] - returns[0],
        "sum_of_states": math.fsum(adds),
        "visits_of": visited,
        "differing_states": int((actions[0] != actions[1]).sum()),
        "differing_visited_states": int(differs.sum()),
        "asked_features": sorted(
            {int(f) for policy in (first, second) for f in _tree(mdp, policy).feature if f >= 0}
        ),
        "states": [
            {
                "state": int(mdp.state_number[state]),
                "features": {
                    name: float(value) for name, value in zip(mdp.feature_names, mdp.features[state], strict=True)
                },
                "first": mdp.action_names[actions[0][state]],
                "second": mdp.action_names[actions[1][state]],
                "visits": float(split.visits[state]),
                "per_visit": float(sign * split.regret[state]),
                "adds": float(adds[state]),
            }
            for state in listed.tolist()
        ],
    }


def _tree(mdp: "MDP", policy: "TreePolicy") -> Any:
    return policy.tree_for(mdp.feature_names, mdp.action_names)


def _show(mdp: "MDP", facts: dict[str, Any], most: int) -> None:
    sign, what = (-1.0, "cost") if mdp.sense == "min" else (1.0, "return")
    one, two = facts["first"], facts["second"]
    asked = [mdp.feature_names[feature] for feature in facts["asked_features"]]
    states = facts["states"][:most]
    if states:
        show_table(
            ["state", *map(shown, asked), "first", "second", "visits", "a visit", "in all"],
            [
                [
                    str(row["state"]),
                    *(f"{row['features'][name]:.6g}" for name in asked),
                    row["first"],
                    row["second"],
                    f"{row['visits']:.6g}",
                    f"{sign * row['per_visit']:+z.6g}",
                    f"{sign * row['adds']:+z.6g}",
                ]
                for row in states
            ],
        )
        left = facts["states"][most:]
        if left:
            rest = sign * sum(row["adds"] for row in left)
            print(f"... {len(left):,} more: {rest:+z.6g} (`--rows {len(facts['states'])}` or `--json` shows all)")
        print()
    show_facts(
        [
            ("model", f"{shown(mdp.name)} (discount {mdp.discount:g}, missing actions: {mdp.missing})"),
            (f"first {what}", f"{sign * one['value']:z.9f}   ({one['size']})"),
            (f"second {what}", f"{sign * two['value']:z.9f}   ({two['size']})"),
            ("difference", f"{sign * facts['difference']:+z.9f}, second less first"),
            ("sum of states", f"{sign * facts['sum_of_states']:+z.9f}, by visits of the {facts['visits_of']} tree"),
            (
                "differ in",
                f"{facts['differing_states']:,} of {mdp.num_states:,} states,"
                f" {facts['differing_visited_states']:,} of them visited",
            ),
        ]
    )
