"""One shape of JSON for all commands, exit codes that say how it went, and what a shell completes."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import spotree
from command_line import spotree as in_process
from spotree import Solution, load, solve
from spotree.cli.app import app
from spotree.cli.options import engine_names, method_names, model_names
from spotree.errors import SpotreeError


def run(*arguments: object, code: int = 0, **env: str) -> str:
    done = CliRunner().invoke(
        app, [str(word) for word in arguments], catch_exceptions=False, env=env, prog_name="spotree"
    )
    assert done.exit_code == code, done.output
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shape")
    solve(load("xor"), 1, max_rounds=1, threads=1, time_limit=5).save(folder / "run.json")
    run("certify", "frozenlake_4x4", "-d", 1, "-t", 20, "-c", folder / "run.cert")
    return folder


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("solve xor -d 1 -t 0.3", "solution"),
        ("certify frozenlake_4x4 -d 1 -t 20", "solution"),
        ("smallest xor -t 0.3", "smallest"),
        ("frontier xor -k 2 -t 0.3", "frontier"),
        ("simplify xor run.json -t 0.3", "smallest"),
        ("show run.json", "solution"),
        ("compare xor -d 1 -t 0.3 --methods neighbourhood,viper", "comparison"),
        ("sweep xor -d 1 -t 0.3", "sweep"),
        ("check run.cert frozenlake_4x4", "verdict"),
        ("evaluate xor run.json", "evaluation"),
        ("simulate xor run.json -n 10", "simulation"),
        ("diff xor run.json run.json", "difference"),
        ("info xor", "info"),
        ("models", "models"),
        ("improve xor -d 1", "step"),
    ],
)
def test_every_document_says_what_it_is(
    line: str, kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    document = json.loads(run(*line.split(), "--json"), parse_constant=pytest.fail)
    assert list(document)[:3] == ["format", "version", "spotree"]
    head = (document["format"], document["version"], document["spotree"])
    assert head == (f"spotree-{kind}", 1, spotree.__version__)


def test_a_solution_document_says_what_the_text_shows(folder: Path) -> None:
    solution = Solution.load(folder / "run.json")
    document = json.loads((folder / "run.json").read_text(), parse_constant=pytest.fail)
    assert document["format"] == "spotree-solution"
    for name in ("of_optimum", "over_random", "gap", "proved_optimal"):
        assert document[name] == getattr(solution, name)
    assert (document["status_text"], document["cost"]) == (str(solution.status), None)
    assert document["text"] == str(solution.policy)


def test_what_is_infinite_is_null_in_a_file_and_infinite_when_read(folder: Path, tmp_path: Path) -> None:
    from dataclasses import replace
    from math import inf

    replace(Solution.load(folder / "run.json"), random_value=-inf, error=inf).save(tmp_path / "run.json")
    text = (tmp_path / "run.json").read_text()
    assert "Infinity" not in text
    assert json.loads(text)["random_value"] is None
    again = Solution.load(tmp_path / "run.json")
    assert (again.random_value, again.error) == (-inf, inf)


def test_exit_code_tells_proved_from_found() -> None:
    run("solve", "tiger_vs_antelope", "-d", 3, "-t", 0.2, "--exit-code", code=10)
    run("certify", "tiger_vs_antelope", "-d", 4, "-t", 0.2, "--exit-code", code=10)
    run("solve", "tiger_vs_antelope", "-d", 3, "-t", 0.2)
    run("solve", "frozenlake_4x4", "-d", 1, "-t", 20, "--exit-code")


def test_help_and_version_say_what_one_looks_for() -> None:
    assert run("--version") == f"spotree {spotree.__version__}\n"
    words = " ".join(run("--help").split())
    for code in ("0 an answer", "2 bad input", "3 something", "10 not proved", "130 interrupted"):
        assert code in words
    assert "--install-completion" in words


def test_a_shell_completes_models_methods_and_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"_SPOTREE_COMPLETE": "complete_bash"}
    words = run(COMP_WORDS="spotree info frozen", COMP_CWORD="2", **asked)
    assert words.split() == ["frozenlake_12x12", "frozenlake_4x4", "frozenlake_8x8"]
    assert run(COMP_WORDS="spotree solve xor -m sp", COMP_CWORD="4", **asked).split() == ["spot", "spot+ws"]
    assert method_names("vi") == ["viper"]
    assert engine_names("ex") == ["exact", "exhaustive"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "mine.npz").touch()
    (tmp_path / "more" / "mine.txt").touch()
    assert model_names("mo") == ["more/"]
    assert model_names("more/m") == ["more/mine.npz"]
    assert model_names(f"{tmp_path}/more/") == [f"{tmp_path}/more/mine.npz"]
    assert model_names("nowhere/x") == []


def test_spot_takes_an_engine() -> None:
    for engine in ("exact", "rsbb"):
        line = ("solve", "frozenlake_4x4", "-d", 1, "-t", 1, "-m", "spot", "--engine", engine, "--json")
        assert json.loads(run(*line))["method"] == "spot"
    with pytest.raises(SpotreeError, match="engine 'magic' is unknown"):
        run("solve", "xor", "-m", "spot", "--engine", "magic")


def test_shipped_models_take_discount_and_rule() -> None:
    facts = json.loads(run("info", "frozenlake_4x4", "--discount", 0.5, "--missing", "end", "--json"))
    assert (facts["discount"], facts["missing"]) == (0.5, "end")


def test_environments_take_keyword_arguments() -> None:
    pytest.importorskip("gymnasium")
    facts = json.loads(run("info", "FrozenLake-v1", "--env", "map_name=8x8,is_slippery=false", "--json"))
    assert facts["states"] == 64
    assert (
        facts["transitions"] == facts["choices"] - facts["missing_pairs"]
        or facts["transitions"] <= facts["choices"]
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("solve xor --preset paper", "add -m spot, or drop --preset"),
        ("solve xor -m viper --engine rsbb", "add -m spot, or drop --engine"),
        (
            "info xor --missing-reward -5",
            "--missing-reward -5.0 means nothing with --missing random; pass --missing end",
        ),
        ("info xor --goal x", "takes --discount, --missing, --missing-reward alone; drop --goal"),
        ("info xor --env a=1", "drop --env"),
        ("info FrozenLake-v1 --env slip=1", "cannot be made with --env slip=1"),
        ("info FrozenLake-v1 --env slip", "'slip' is not of the form name=value"),
        ("evaluate xor none.json", "none.json"),
        ("evaluate xor none.json --missing-rule magic", "'magic' is not one of all, none, random"),
        ("simulate xor none.json --trajectories no/where.csv", "--trajectories no/where.csv"),
    ],
)
def test_bad_input_is_refused_in_the_words_of_the_command_line(line: str, words: str, tmp_path: Path) -> None:
    done = in_process(*line.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == []
