"""The tree as code does in every state what the tree does."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import spotree
from spotree.errors import InvalidProblemError
from spotree.exports.code import to_c, to_python, to_rust
from spotree.exports.formatting import identifiers
from spotree.trees.tree import make_tree

C_MAIN = """
#include <stdio.h>
int main(void)
{
    double x[COUNT + 1];
    for (;;) {
        for (int i = 0; i < COUNT; ++i) {
            if (scanf("%lf", &x[i]) != 1) return 0;
        }
        printf("%d\\n", policy(x));
        if (COUNT == 0) return 0;
    }
}
"""
RUST_MAIN = """
fn main() {
    use std::io::Read;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    for line in text.lines() {
        let values: Vec<f64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let x: [f64; COUNT] = values.try_into().unwrap();
        let done = std::panic::catch_unwind(|| policy(&x) as i32);
        println!("{}", done.unwrap_or(-1));
    }
}
"""
NEEDED = {"c": "gcc", "rust": "rustc"}


def python(policy: spotree.TreePolicy, _folder: Path) -> Callable[[np.ndarray], list[int]]:
    names: dict = {"__builtins__": {"float": float, "ValueError": ValueError}}  # no import can work
    exec(compile(to_python(policy), "policy.py", "exec", dont_inherit=True), names)
    assert names["FEATURES"] == policy.feature_names
    assert names["ACTIONS"] == policy.action_names

    def run(rows: np.ndarray) -> list[int]:
        found = []
        for row in rows.tolist():
            try:
                found.append(names["policy"](*row))
            except ValueError:
                found.append(-1)
        return found

    return run


def c(policy: spotree.TreePolicy, folder: Path) -> Callable[[np.ndarray], list[int]]:
    (folder / "policy.c").write_text(to_c(policy), encoding="utf-8")
    strict = ["gcc", "-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99"]
    subprocess.run([*strict, "-c", "policy.c"], cwd=folder, check=True)
    main = f"#define COUNT {len(policy.feature_names)}\n" + '#include "policy.c"\n' + C_MAIN
    (folder / "main.c").write_text(main)
    subprocess.run([*strict, "-Wno-type-limits", "-o", "run", "main.c"], cwd=folder, check=True)
    return lambda rows: answers(folder, rows)


def rust(policy: spotree.TreePolicy, folder: Path) -> Callable[[np.ndarray], list[int]]:
    (folder / "policy.rs").write_text(to_rust(policy), encoding="utf-8")
    main = to_rust(policy) + RUST_MAIN.replace("COUNT", str(len(policy.feature_names)))
    (folder / "main.rs").write_text(main, encoding="utf-8")
    strict = ["rustc", "--edition", "2021", "-D", "warnings"]
    subprocess.run([*strict, "--crate-type", "lib", "--emit", "metadata", "policy.rs"], cwd=folder, check=True)
    subprocess.run([*strict, "-o", "run", "main.rs"], cwd=folder, check=True)
    return lambda rows: answers(folder, rows)


def answers(folder: Path, rows: np.ndarray) -> list[int]:
    text = "\n".join(" ".join(map(repr, row)) for row in rows.tolist()) + "\n"
    done = subprocess.run([folder / "run"], input=text, capture_output=True, text=True, check=True)
    found = [int(line) for line in done.stdout.split()]
    return found if rows.shape[1] else [found[0]] * len(rows)


@pytest.fixture(params=[python, c, rust], ids=lambda language: language.__name__)
def language(request: pytest.FixtureRequest) -> Callable:
    program = NEEDED.get(request.param.__name__)
    if program and shutil.which(program) is None:
        pytest.skip(f"there is no {program} here")
    return request.param


def test_code_takes_the_action_of_the_tree_in_every_state_and_refuses_nan(language, case, tmp_path) -> None:
    run = language(case.policy, tmp_path)
    ends = np.array([[end] * case.rows.shape[1] for end in (np.inf, -np.inf)])
    rows = np.concatenate([case.rows, ends])
    with_nan = case.rows[:1].repeat(case.rows.shape[1], axis=0).copy()
    np.fill_diagonal(with_nan, np.nan)
    expected = case.policy.actions(rows).tolist()
    for row in with_nan:
        try:
            expected.append(int(case.policy.actions(row[None])[0]))
        except InvalidProblemError:
            expected.append(-1)
    assert run(np.concatenate([rows, with_nan])) == expected
    assert case.policy.num_leaves == 1 or -1 in expected


@pytest.mark.parametrize("to", ["python", "c", "rust"])
def test_a_tree_too_deep_for_code_is_refused_with_a_way_out(to: str) -> None:
    chain = range(65)
    tree = make_tree(
        [part for _ in chain for part in (0, -1)] + [-1],
        [0.0] * 131,
        [part for k in chain for part in (2 * k + 1, -1)] + [-1],
        [part for k in chain for part in (2 * k + 2, -1)] + [-1],
        [part for _ in chain for part in (-1, 0)] + [0],
    )
    with pytest.raises(InvalidProblemError, match=r"depth 65; as code it may have 64: .* 'json'"):
        spotree.export(tree, to)


def test_identifiers_are_different_ascii_words_and_none_is_reserved() -> None:
    names = ["class", "", "1", "a b", "a_b", "a-b", "a_b_2", "ü", "x" * 200, "x" * 201, "高"]
    for style in ("snake", "UPPER", "Camel"):
        found = identifiers(names, "action", {"class", "Class", "CLASS"}, style)
        assert len(set(found)) == len(names)
        assert all(word.isidentifier() and word.isascii() and len(word) < 50 for word in found)
        assert "class" not in {word.lower() for word in found}
