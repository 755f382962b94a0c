"""JANI programs, each with the constructs that its name says."""

import json
from typing import Any

from tests.readers.corpus.case import Case, cost, gain, reach, until

Json = Any


def op(sign: str, left: Json, right: Json) -> Json:
    return {"op": sign, "left": left, "right": right}


def ite(when: Json, then: Json, other: Json) -> Json:
    return {"op": "ite", "if": when, "then": then, "else": other}


def whole(name: str, lower: Json, upper: Json, first: Json = 0) -> Json:
    kind = {"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper}
    return {"name": name, "type": kind, "initial-value": first}


def truth(name: str, first: Json = False, **more: Json) -> Json:
    return {"name": name, "type": "bool", "initial-value": first, **more}


def paid(name: str) -> Json:
    """A reward."""
    return {"name": name, "type": "real", "initial-value": 0, "transient": True}


def to(probability: Json = 1, location: str = "l", **values: Json) -> Json:
    assignments = [{"ref": name, "value": value} for name, value in values.items()]
    return {"location": location, "probability": {"exp": probability}, "assignments": assignments}


def edge(action: str | None, guard: Json, *ends: Json, location: str = "l", **values: Json) -> Json:
    found: Json = {"location": location, "guard": {"exp": guard}, "destinations": list(ends)}
    if values:
        found["assignments"] = [{"ref": name, "value": value} for name, value in values.items()]
    return found if action is None else {**found, "action": action}


def automaton(
    name: str,
    edges: list[Json],
    variables: list[Json] | None = None,
    locations: list[Json] | None = None,
    **more: Json,
) -> Json:
    return {
        "name": name,
        "locations": locations or [{"name": "l"}],
        "initial-locations": ["l"],
        "variables": variables or [],
        "edges": edges,
        **more,
    }


def model(variables: list[Json], automata: list[Json], syncs: list[Json] | None = None, **more: Json) -> str:
    used = {e["action"] for one in automata for e in one["edges"] if "action" in e}
    actions = sorted(used | more.pop("named", set()))
    alone = [
        {"synchronise": [a if n == k else None for k in range(len(automata))], "result": a}
        for n, one in enumerate(automata)
        for a in sorted({e["action"] for e in one["edges"] if "action" in e})
    ]
    return json.dumps(
        {
            "jani-version": 1,
            "name": "program",
            "type": "mdp",
            "actions": [{"name": action} for action in actions],
            "features": ["derived-operators"],
            "variables": variables,
            "properties": [],
            "automata": automata,
            "system": {
                "elements": [{"automaton": one["name"]} for one in automata],
                "syncs": alone if syncs is None else syncs,
            },
            **more,
        }
    )


def walk(*ends: Json) -> str:
    """Two ways from 0 to 3; the short one has the ends given."""
    return model(
        [whole("s", 0, 4), truth("done", transient=True), paid("time")],
        [
            automaton(
                "walk",
                [
                    edge("short", op("=", "s", 0), *ends, time=1.5),
                    edge("long", op("=", "s", 0), to(0.5, s=1), to(0.5, s=0), time=1),
                    edge("long", op("=", "s", 1), to(0.75, s=3), to(0.25, s=0), time=1),
                    edge("stop", op(">", "s", 2), to()),
                ],
                locations=[{"name": "l", "transient-values": [{"ref": "done", "value": op("=", "s", 3)}]}],
            )
        ],
    )


def with_own(common: list[Json], own: list[Json]) -> str:
    """A walk whose variables are those of the model and those of its automaton."""
    edges = [
        edge("a", op("<", "x", 3), to(0.4, x=op("+", "x", 1)), to(0.6, b=True)),
        edge("r", "b", to(b={"op": "¬", "exp": "b"}, x=0)),
        edge("z", op("=", "x", 3), to()),
    ]
    return model([truth("b"), *common], [automaton("m", edges, own)])


SIXTH = 0.16666666666666666
CASES: dict[str, Case] = {
    "sum 0.8 + 0.1 + 0.1": Case(
        walk(to(0.8, s=3), to(0.1, s=4), to(0.1, s=0)),
        (*reach("s=3"), *reach('"done"'), *reach("done"), cost("s>2", "time")),
    ),
    "sum 0.6 + 0.3 + 0.1": Case(
        walk(to(0.6, s=3), to(0.3, s=4), to(0.1, s=0)), (*reach("s=4"), gain("s>2", "time"), *until("s!=1", "done"))
    ),
    "sum of six 1/6": Case(walk(*(to(op("/", 1, 6), s=n) for n in (0, 1, 0, 3, 4, 3))), reach("s=4")),
    "six rounded decimals": Case(
        walk(*(to(SIXTH, s=n) for n in (0, 0, 0, 3, 4, 3))),
        (*reach("s=4"), cost("s>2", "time")),
        for_storm=walk(*(to(op("/", 1, 6), s=n) for n in (0, 0, 0, 3, 4, 3))),
    ),
    "constants": Case(
        model(
            [whole("x", 0, "N"), paid("r")],
            [
                automaton(
                    "m",
                    [
                        edge("a", op("<", "x", "N"), to("p", x=op("+", "x", 1)), to(op("-", 1, "p"), x=0), r=1),
                        edge("b", op("∧", op("<", "x", "M"), "slow"), to(x=op("+", "x", 1)), r=2.5),
                        edge("c", op("=", "x", "N"), to()),
                    ],
                )
            ],
            constants=[
                {"name": "N", "type": "int"},
                {"name": "p", "type": "real"},
                {"name": "slow", "type": "bool", "value": True},
                {"name": "M", "type": "int", "value": op("-", "N", 1)},
            ],
        ),
        (*reach("x=N"), *reach("x=M & slow"), cost("x>=max(M,N)", "r")),
        constants={"N": 4, "p": 0.3},
    ),
    "locations": Case(
        model(
            [whole("n", 0, 5), paid("time")],
            [
                automaton(
                    "machine",
                    [
                        edge("start", True, to(location="busy")),
                        edge(
                            "work", op("<", "n", 5), to(0.7, n=op("+", "n", 1)), to(0.3, "broken"), location="busy"
                        ),
                        edge("rest", op("=", "n", 5), to(location="busy"), location="busy"),
                        edge("repair", True, to(0.6, "busy"), to(0.3, "broken"), to(0.1), location="broken"),
                    ],
                    locations=[
                        {"name": "l"},
                        {"name": "busy", "transient-values": [{"ref": "time", "value": 1}]},
                        {"name": "broken", "transient-values": [{"ref": "time", "value": 4}]},
                    ],
                )
            ],
            features=["derived-operators", "state-exit-rewards"],
        ),
        (*reach("n=5"), cost("n=5", "time"), gain("n=5", "time")),
    ),
    "synchronisation": Case(
        model(
            [whole("x", 0, 2), whole("y", 0, 2)],
            [
                automaton("left", [edge("t", op("<", "x", 2), to(0.8, x=op("+", "x", 1)), to(0.2, x=0))]),
                automaton(
                    "right",
                    [
                        edge("t", op("<", "y", 2), to(0.6, y=op("+", "y", 1)), to(0.3, y=0), to(0.1)),
                        edge("u", op("<", "y", 2), to(y=2)),
                        edge("v", op("=", "y", 2), to()),
                    ],
                ),
            ],
            syncs=[
                {"synchronise": ["t", "t"], "result": "both"},
                {"synchronise": [None, "u"], "result": "u"},
                {"synchronise": [None, "v"], "result": "v"},
            ],
            named={"both"},
        ),
        (*reach("x=2"), *reach("x=2 & y=1"), *until("y<2", "x=1")),
    ),
    "edges without actions": Case(
        model(
            [whole("x", 0, 2), whole("y", 0, 2)],
            [
                automaton("a", [edge(None, op("<", "x", 2), to(0.5, x=op("+", "x", 1)), to(0.5, x=0))]),
                automaton(
                    "b", [edge(None, op("<", "y", 2), to(y=op("+", "y", 1))), edge(None, op("=", "y", 2), to())]
                ),
            ],
        ),
        (*reach("x=2 & y=0"), *reach("y=2 & x=0")),
    ),
    "variables of an automaton": Case(
        with_own([], [whole("x", -1, 3, -1)]),
        (*reach("x=3 & !b"), *until("!b", "x=3"), *reach("x=2 & b")),
        for_storm=with_own([whole("x", -1, 3, -1)], []),
    ),
    "a restriction on the initial states": Case(
        model(
            [
                {"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}},
                {"name": "b", "type": "bool"},
            ],
            [
                automaton(
                    "m",
                    [
                        edge("a", op("<", "x", 3), to(0.5, x=op("+", "x", 1)), to(0.5, x=0, b=True)),
                        edge("c", op("∨", op("=", "x", 3), "b"), to()),
                    ],
                )
            ],
            **{"restrict-initial": {"exp": op("∧", op("<", "x", 2), {"op": "¬", "exp": "b"})}},
        ),
        (*reach("x=3 & !b"), *reach("x=3")),
    ),
    "operators": Case(
        model(
            [whole("x", 0, 9), truth("b"), paid("r")],
            [
                automaton(
                    "m",
                    [
                        edge(
                            "a",
                            op("∧", op("<", "x", 9), op("⇒", "b", op(">", "x", 0))),
                            to(0.5, x=op("min", 9, op("+", "x", 2))),
                            to(0.5, b=op("∨", op("=", op("%", "x", 2), 1), op("≠", "x", 4))),
                            r={"op": "floor", "exp": op("/", "x", 2)},
                        ),
                        edge(
                            "d",
                            op("≤", "x", 8),
                            to(op("/", 1, op("pow", 2, op("max", 1, op("-", "x", 4)))), x=op("+", "x", 1)),
                            to(op("-", 1, op("/", 1, op("pow", 2, op("max", 1, op("-", "x", 4))))), x=0, b=False),
                            r=ite("b", op("*", 2, "x"), {"op": "ceil", "exp": op("/", "x", 3)}),
                        ),
                        edge("c", op("≥", "x", 9), to()),
                    ],
                )
            ],
        ),
        (*reach("x=9 & b"), *reach("b <=> x=7", "((x=7)=b)"), *reach("mod(x,5)=3 & (b => x>4)"), gain("x=9", "r")),
    ),
    "rewards on edges and ends": Case(
        model(
            [whole("x", 0, 2), paid("r")],
            [
                automaton(
                    "m",
                    [
                        edge("a", op("<", "x", 2), to(0.25, x=op("+", "x", 1), r=8), to(0.75, r="x"), r=1),
                        edge("b", op("<", "x", 2), to(0.5, x=2, r=40), to(0.5, x=0, r=1)),
                        edge("c", op("=", "x", 2), to()),
                    ],
                )
            ],
        ),
        (cost("x=2", "r"), *reach("x=1")),
    ),
    "functions": Case(
        model(
            [whole("x", 0, 6)],
            [
                automaton(
                    "m",
                    [
                        edge(
                            "a",
                            op("<", "x", 6),
                            to(0.5, x={"op": "call", "function": "next", "args": ["x", 2]}),
                            to(0.5, x=0),
                        ),
                        edge(
                            "b",
                            op("<", "x", 6),
                            to(0.9, x={"op": "call", "function": "next", "args": ["x", 1]}),
                            to(0.1, x=0),
                        ),
                        edge("c", op("=", "x", 6), to()),
                    ],
                )
            ],
            features=["derived-operators", "functions"],
            functions=[
                {
                    "name": "next",
                    "type": "int",
                    "parameters": [{"name": "from", "type": "int"}, {"name": "by", "type": "int"}],
                    "body": op("min", 6, op("+", "from", "by")),
                }
            ],
        ),
        (*reach("x=5"), *reach("x=6")),
    ),
    "a chain": Case(
        model(
            [whole("x", 0, 3), paid("n")],
            [
                automaton(
                    "m",
                    [
                        edge(None, op("=", "x", 0), to(0.8, x=1), to(0.1, x=2), to(0.1), n=1),
                        edge(None, op("=", "x", 1), to(0.6, x=0), to(0.3, x=3), to(0.1, x=2), n=1),
                        edge(None, op(">", "x", 1), to()),
                    ],
                )
            ],
            type="dtmc",
        ),
        (
            ("P=? [F x=3]", {"goal": "x=3", "reward": "reach"}),
            ('R{"n"}=? [F x>1]', {"goal": "x>1", "reward": "n", "sense": "min"}),
        ),
    ),
    "integers without bounds": Case(
        model(
            [{"name": "x", "type": "int", "initial-value": 2}],
            [
                automaton(
                    "m",
                    [
                        *(
                            edge(
                                name,
                                op("∧", op("≥", "x", stake), op("<", "x", 5)),
                                to(0.4, x=op("+", "x", stake)),
                                to(0.6, x=op("-", "x", stake)),
                            )
                            for name, stake in (("a", 1), ("b", 2))
                        ),
                        edge("c", op("∨", op("≤", "x", 0), op("≥", "x", 5)), to()),
                    ],
                )
            ],
        ),
        reach("x>=5"),
    ),
}
