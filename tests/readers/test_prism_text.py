"""What Storm does not read is spelled so that it does, and nothing else is touched."""

import pytest

from spotree.readers.storm.program_text import for_storm, with_brackets


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("a<=>b", "((a) = (b))"),
        ("a & b <=> c | d", "((a & b)  =  (c | d))"),
        ("a <=> b => c <=> d", "((a)  =  (b)) => ((c)  =  (d))"),
        ("a <=> b <=> c", "((((a)  =  (b)))  =  (c))"),
        ("a ? b<=>c : d<=>e", "a ? ((b) = (c)) : ((d) = (e))"),
        ("min(a<=>b?1:2, 3)=1", "min(((a) = (b))?1:2, 3)=1"),
        ('label "x<=>y" = a <=> b; // c <=> d', 'label "x<=>y" = ((a)  =  (b)); // c <=> d'),
        ("[a] b<=>c -> (d'=e<=>f);", "[a] ((b) = (c)) -> (d'=((e) = (f)));"),
        (
            'rewards "r" a<=>b : 1; [c] d<=>e : 2; endrewards',
            'rewards "r" ((a) = (b)) : 1; [c] ((d) = (e)) : 2; endrewards',
        ),
        ("a // why\n<=> b // so\n;", "((a) // why\n =  (b)) // so\n;"),
        ("(a <=> b", "(((a)  =  (b))"),
        ("x <= 1 => y >= 2", "x <= 1 => y >= 2"),
        ("!x=1 & b", "!(x=1) & b"),
        ("b | ! x < 2 => !y!=1", "b | ! (x < 2) => !(y!=1)"),
        ("!!x+1=2 <=> !b", "((!!(x+1=2))  =  (!b))"),
        ('!b & !(x=1) | !"l" & !max(x,1)=2', '!b & !(x=1) | !"l" & !(max(x,1)=2)'),
        ("[a] !x=1 -> (b'=!c)&(d'=!x=2);", "[a] !(x=1) -> (b'=!c)&(d'=!(x=2));"),
        ("!f(x) & !(x)=1 & !", "!f(x) & !((x)=1) & !"),
    ],
)
def test_operators_that_storm_reads_in_another_way_get_brackets(text: str, spelled: str) -> None:
    assert with_brackets(text) == spelled


def test_long_programs_take_linear_time() -> None:
    text = "[a] b -> (c'=1);\n" * 20_000 + "formula f = a <=> b;"
    assert with_brackets(text).endswith("formula f = ((a)  =  (b));")


TWO = "mdp\nmodule a\nendmodule\nmodule b = a [x=y] endmodule\n"


def test_a_system_of_all_modules_in_parallel_is_left_out() -> None:
    assert for_storm(TWO + "system\na || b\nendsystem\n") == TWO + "\n\n\n"


@pytest.mark.parametrize("system", ["a", "a ||| b", "a || b || b", "a |[t]| b", "(a || b) / {t}", "a || c"])
def test_any_other_system_is_left_to_storm(system: str) -> None:
    text = f"{TWO}system {system} endsystem\n"
    assert for_storm(text) == text


def test_a_system_in_a_comment_is_left_alone() -> None:
    text = f"{TWO}// system a || b endsystem\n"
    assert for_storm(text) == text
