"""Errors speak the command line's words, and every way out that they offer is one."""

import shlex
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from command_line import spotree
from spotree.cli.words import flags, in_flags

COIN = """
mdp
const int B;
const int N;
module coin
    s : [0..3] init 0;
    [toss] s=0 -> 0.5:(s'=1) + 0.5:(s'=2);
    [wait] s=0 -> true;
    [again] s=1 -> (s'=0);
    [stop] s=1 -> (s'=3);
    [stop] s=2 -> (s'=2);
    [again] s=2 -> (s'=0);
    [stop] s=3 -> true;
endmodule
label "tails" = s=2;
label "over" = s=3;
rewards "tosses"
    [toss] true : B;
endrewards
rewards "time"
    true : N;
endrewards
"""


@pytest.mark.parametrize(
    ("python", "here"),
    [
        ("pass constants={'B': ...}", "pass --constants B=..."),
        ("constants={'B': 2, 'N': 'x'} means nothing", "--constants B=2,N=x means nothing"),
        ("say which with goal=...", "say which with --goal ..."),
        ("goal='s = 9' holds nowhere", "--goal 's = 9' holds nowhere"),
        ("goal='x': no label 'x'", "--goal x: no label 'x'"),
        ('goal="it\'s": no', "--goal 'it'\"'\"'s': no"),
        ("choose with reward=NAME, several", "choose with --reward NAME, several"),
        ("reward=('a', 'b') is", "--reward a,b is"),
        ("drop_actions=('a', 'b c') means", "--drop-action a --drop-action 'b c' means"),
        ("drop_actions: there is no action 'x'", "--drop-action: there is no action 'x'"),
        ("use engine='exact'", "use --engine exact"),
        ("max_leaves is 3", "--max-leaves is 3"),
        ("time_limit is nan", "--time is nan"),
        ("missing='random', 'end' or 'stay'", "--missing random, 'end' or 'stay'"),
        ("the array 'missing_reward' is missing", "the array 'missing_reward' is missing"),
        ("the goal, the depth and the reward", "the goal, the depth and the reward"),
        ("folder/goal=1.npz: no such file", "folder/goal=1.npz: no such file"),
    ],
)
def test_an_option_is_spelled_as_its_flag(python: str, here: str) -> None:
    assert in_flags(python) == here
    assert in_flags(here) == here


def test_the_users_own_words_stay() -> None:
    assert in_flags("goal=1.npz: no; goal='x'", ["info", "goal=1.npz"]) == "goal=1.npz: no; --goal x"


def test_every_reading_option_of_python_has_a_flag() -> None:
    from dataclasses import fields

    from spotree.readers.options import ReadOptions

    assert {option.name for option in fields(ReadOptions)} - flags().keys() == {"reachable", "name"}


def run(line: str, folder: Path) -> CompletedProcess[str]:
    (folder / "coin.prism").write_text(COIN)
    return spotree(*shlex.split(line), cwd=folder)


GIVEN = "coin.prism --constants B=1,N=1"
WAYS_OUT = [
    ("info coin.prism", "--constants B=...", ["info coin.prism --constants B=1 --constants N=2 --reward sum"]),
    (
        f"info {GIVEN}",
        "choose with --reward NAME, several names, 'sum' for all, 'reach' (1 for the goal), 'steps', or a label",
        [
            f"info {GIVEN} --reward {name}"
            for name in ("time", "time,tosses", "sum", "'reach' --goal over", "steps", "tails")
        ],
    ),
    (f"info {GIVEN} --reward reach", "say which with --goal ...", [f"info {GIVEN} --reward reach --goal s=3"]),
    (
        f"info {GIVEN} --reward time --goal x",
        "--goal x: 'x' is no label",
        [f"info {GIVEN} --reward time --goal over"],
    ),
    (
        f"info {GIVEN} --reward time --drop-action fly",
        "--drop-action: there is no action 'fly'; known: again, stop, toss, wait",
        [f"info {GIVEN} --reward time --drop-action wait"],
    ),
    (
        f"info {GIVEN} --reward reach --goal over --discount 2",
        "pass for example 0.99, or 1 for the total until the end",
        [f"info {GIVEN} --reward reach --goal over --discount {number}" for number in ("0.99", "1")],
    ),
    (
        f"improve {GIVEN} --reward time --missing forbid",
        "--missing random, 'end' or 'stay'",
        [f"improve {GIVEN} --reward time --missing {rule}" for rule in ("random", "end", "stay")],
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("line", "words", "ways"), WAYS_OUT, ids=[words for _, words, _ in WAYS_OUT])
def test_every_way_out_that_is_offered_for_a_file_is_one(
    line: str, words: str, ways: list[str], tmp_path: Path
) -> None:
    pytest.importorskip("stormpy", reason="the extra 'prism' is not installed")
    done = run(line, tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    for way in ways:
        out = run(way, tmp_path)
        assert out.returncode == 0, out.stderr


@pytest.mark.parametrize(
    ("line", "words", "way"),
    [
        ("info xor --goal x --drop-action y", "drop --goal, --drop-action", "info xor"),
        (
            "solve frozenlake_4x4 -t 0.2 -m viper --preset paper",
            "drop --preset",
            "solve frozenlake_4x4 -t 0.2 -m viper",
        ),
        ("improve xor -e exhaustive -d 9", "use --engine exact", "improve xor --engine exact -d 9 -t 1"),
    ],
)
def test_every_way_out_that_is_offered_for_a_shipped_model_is_one(
    line: str, words: str, way: str, tmp_path: Path
) -> None:
    done = run(line, tmp_path)
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(words)
    assert run(way, tmp_path).returncode == 0


def test_a_tolerance_is_not_offered_where_no_flag_sets_it() -> None:
    said = in_flags("what counts as better (1.8e+02); give a tolerance of 4.4e-03 or more or a lower discount")
    assert said == "what counts as better (1.8e+02); give a lower discount"
