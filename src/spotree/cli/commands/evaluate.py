"""`spotree evaluate [MODEL] TREE`: what a tree is worth, exactly, and under other rules for missing actions."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.output import AsJson, show_facts, show_json
from spotree.cli.run_argument import TreeFile, open_tree, with_trees
from spotree.common.sanitize import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.results.metrics import Figures
    from spotree.trees.policy import TreePolicy

RULES = ("random", "end", "stay", "forbid")


@with_trees
def evaluate(
    mdp: "MDP",
    reopen: "Callable[..., MDP]",
    tree: TreeFile,
    missing_rule: Annotated[
        str, typer.Option("--missing-rule", help="Other rules for missing actions: `all`, `none`, or one of them.")
    ] = "all",
    as_json: AsJson = False,
) -> None:
    """Show the exact return of a tree, its error, how good that is, and what it would be under other rules.

    A tree may ask for an action that a state does not offer; the model's rule says what happens then (`spotree info`).
    Where the tree does so in a state that it reaches, the return under each of the four rules is shown.

    Example: spotree solve frozenlake_4x4 --depth 2 --out run.json && spotree evaluate run.json
    """
    if missing_rule not in ("all", "none", *RULES):
        raise typer.BadParameter(
            f"{missing_rule!r} is not one of all, none, {', '.join(RULES)}", param_hint="--missing-rule"
        )
    from spotree.cli.solution_output import ratios

    facts, figures = _facts(mdp, open_tree(tree, mdp), reopen, missing_rule)
    if as_json:
        show_json("evaluation", facts)
        return
    sign, what = -1.0 if mdp.sense == "min" else 1.0, figures.word
    lacking = facts["lacking_states"]
    show_facts(
        [
            ("model", f"{shown(mdp.name)} (discount {mdp.discount:g}, missing actions: {mdp.missing})"),
            ("tree", facts["size"]),
            (what, _told(facts["rules"][mdp.missing], sign)),
            *ratios(figures)[1:],
            (
                "missing",
                f"{lacking:,} of {facts['reached_states']:,} states that it reaches lack the action it takes",
            ),
            *(
                (f"if {rule}", _told(told, sign) + _remark(mdp, rule, sign, what))
                for rule, told in facts["rules"].items()
                if len(facts["rules"]) > 1
            ),
            *([] if lacking else [("so", "the return is the same under every rule for missing actions")]),
        ]
    )


def _remark(mdp: "MDP", rule: str, sign: float, what: str) -> str:
    own = ", the model's rule" if rule == mdp.missing else ""
    if rule == "end":
        return f", where the episode ends with a {what} of {sign * mdp.missing_reward:zg}{own}"
    return own


def _facts(
    mdp: "MDP", policy: "TreePolicy", reopen: "Callable[..., MDP]", others: str
) -> "tuple[dict[str, Any], Figures]":
    """Everything that the command says, as plain values, and the figures in it."""
    from spotree.evaluation import optimum, random_return
    from spotree.evaluation.availability import lacking_states, reached_states
    from spotree.results.metrics import Figures
    from spotree.trees.text import size_text

    lacking = len(lacking_states(mdp, policy))
    own = _value(lambda: mdp, policy)
    rules: dict[str, dict[str, Any]] = {mdp.missing: own}
    for rule in RULES:
        if rule != mdp.missing and lacking and others in ("all", rule):
            rules[rule] = _value(_under(mdp, rule, reopen), policy)
    figures = Figures(
        optimum(mdp).value, random_return(mdp), own["value"], sense=mdp.sense, error=own["error"] or 0.0
    )
    return {
        "model": mdp.name,
        "size": size_text(policy.tree),
        "discount": mdp.discount,
        "sense": mdp.sense,
        "missing": mdp.missing,
        "value": own["value"],
        "error": own["error"],
        "optimum": figures.optimum,
        "random_value": figures.random,
        **figures.as_dict(),
        "reached_states": len(reached_states(mdp, policy)),
        "lacking_states": lacking,
        "rules": rules,
        "text": str(policy),
    }, figures


def _under(mdp: "MDP", rule: str, reopen: "Callable[..., MDP]") -> "Callable[[], MDP]":
    """The model under another rule: read anew where the old rule decided which states it has."""
    from spotree.mdp.transforms import rebuilt

    if mdp.discount < 1:
        return lambda: rebuilt(mdp, missing=rule)  # type: ignore[arg-type]
    return lambda: reopen(missing=rule, missing_reward=mdp.missing_reward if rule == "end" else None)


def _value(model: "Callable[[], MDP]", policy: "TreePolicy") -> dict[str, Any]:
    """Value and error of the tree, or why it has none."""
    from spotree.errors import InfeasibleError, InvalidModelError
    from spotree.evaluation import certified_return

    try:
        found = certified_return(model(), policy)
    except InfeasibleError as error:
        return {"value": None, "error": None, "feasible": False, "reason": str(error)}
    except InvalidModelError as error:
        return {"value": None, "error": None, "feasible": None, "reason": str(error)}
    if found.value == -math.inf:
        return {
            "value": None,
            "error": None,
            "feasible": False,
            "reason": "it may go on for ever, and so may its cost",
        }
    return {"value": found.value, "error": found.error, "feasible": True, "reason": ""}


def _told(rule: dict[str, Any], sign: float) -> str:
    if rule["value"] is None:
        word = "infeasible" if rule["feasible"] is False else "no such model"
        return f"{word}: {shown(rule['reason'].partition(';')[0], LONGEST_LINE)}"
    return f"{sign * rule['value']:z.6f}   (error at most {rule['error']:.1e})"
