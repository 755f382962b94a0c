"""PRISM programs, each with the constructs that its name says."""

from tests.readers.corpus.case import Case, cost, gain, reach, until

# Two ways from 0: a short one that may fall into the pit 4, and a long one that stumbles.
WALK = """mdp
module walk
  s : [0..4] init 0;
  [short] s=0 -> {short};
  [long]  s=0 -> 0.5:(s'=1) + 0.5:(s'=0);
  [long]  s=1 -> 0.75:(s'=2) + 0.25:(s'=0);
  [long]  s=2 -> 0.5:(s'=3) + 0.5:(s'=4);
  [stop]  s>2 -> true;
endmodule
label "done" = s=3;
rewards "time"
  s<3 : 1;
  [short] true : 0.5;
endrewards
"""


def walk(short: str) -> str:
    return WALK.replace("{short}", short)


PARALLEL = """mdp
module a
  x : [0..2] init 0;
  [t] x<2 -> 0.5:(x'=x+1) + 0.5:(x'=0);
  [u] x=2 -> true;
endmodule
module b
  y : [0..2] init 0;
  [t] y<2 -> 0.9:(y'=y+1) + 0.1:(y'=y);
  [v] y=2 -> true;
endmodule
"""

ORDER = """mdp
module m
  x : [0..9] init 0;
  y : [-20..20] init 0;
  [a] x<9 -> 0.5:(x'=x+1)&(y'=2*x-3-1) + 0.5:(y'=-x+4*2/2);
  [b] x<9 & !y=5 -> 0.2:(x'=min(9,x+2))&(y'=-(x-1)) + 0.8:(x'=0);
  [c] x=9 | !(x<9) & true -> true;
endmodule
"""

CASES: dict[str, Case] = {
    "sum 0.8 + 0.1 + 0.1": Case(walk("0.8:(s'=3) + 0.1:(s'=4) + 0.1:(s'=0)"), (*reach("s=3"), cost("s>2", "time"))),
    "sum 0.6 + 0.3 + 0.1": Case(walk("0.6:(s'=3) + 0.3:(s'=4) + 0.1:(s'=0)"), (*reach("s=4"), gain("s>2", "time"))),
    "sum of six 1/6": Case(
        """mdp
module die
  d : [0..6] init 0;
  n : [0..3] init 0;
  [roll] n<3 -> 1/6:(d'=1)&(n'=n+1) + 1/6:(d'=2)&(n'=n+1) + 1/6:(d'=3)&(n'=n+1)
              + 1/6:(d'=4)&(n'=n+1) + 1/6:(d'=5)&(n'=n+1) + 1/6:(d'=6)&(n'=n+1);
  [keep] d>0 & n<3 -> (n'=3);
  [done] n=3 -> true;
endmodule
rewards "eyes"
  [keep] true : d;
  [done] true : d;
endrewards
""",
        (*reach("n=3 & d=6"), *reach("d=1"), gain("n=3", "eyes")),
    ),
    "rounded decimals": Case(
        walk("0.1666666666666667:(s'=3) + 0.1666666666666667:(s'=4) + 0.6666666666666667:(s'=0)"),
        reach("s=3"),
        for_storm=walk("1/6:(s'=3) + 1/6:(s'=4) + 2/3:(s'=0)"),
    ),
    "sums of synchronised commands": Case(
        """mdp
module left
  x : [0..2] init 0;
  [go] x<2 -> 0.8:(x'=x+1) + 0.1:(x'=x) + 0.1:(x'=0);
  [end] x=2 -> true;
endmodule
module right
  y : [0..2] init 0;
  [go] y<2 -> 0.6:(y'=y+1) + 0.3:(y'=0) + 0.1:(y'=y);
  [skip] y<2 -> (y'=2);
  [end] true -> true;
endmodule
""",
        (*reach("x=2"), *reach("x=2 & y=0")),
    ),
    "probabilities that depend on the state": Case(
        """mdp
module m
  x : [1..9] init 1;
  [go] x<9 -> x/10:(x'=x+1) + 1-x/10:(x'=1);
  [leap] x<9 -> pow(0.1,x):(x'=9) + 1-pow(0.1,x):(x'=min(9,x+1));
  [stay] x=9 -> true;
endmodule
rewards
  x<9 : x;
endrewards
""",
        (*reach("x=9"), cost("x=9"), gain("x=9")),
    ),
    "probability 0": Case(walk("0:(s'=4) + 1/3:(s'=3) + 2/3:(s'=0)"), (*reach('"done"', None), *reach("s=4"))),
    "constants": Case(
        """mdp
const int N = 3;
const M = N+1;
const double p = 1/4;
const double q = 1-p;
const bool quick = N<M;
module m
  x : [0..M] init 0;
  [a] x<M -> p:(x'=x+1) + q:(x'=max(0,x-1));
  [b] quick & x<N -> 0.5:(x'=N) + 0.5:(x'=x);
  [c] x=M -> true;
endmodule
rewards "r"
  x<M : N/M;
endrewards
""",
        (*reach("x=M"), cost("x=M & quick", "r"), *until("x!=N", "x=M")),
    ),
    "open constants": Case(
        """mdp
const int N;
const double p;
const bool slow;
module m
  x : [0..N] init 0;
  [a] x<N -> p:(x'=x+1) + 1-p:(x'=0);
  [b] x<N & slow -> (x'=x+1);
  [c] x=N -> true;
endmodule
rewards "r"
  [a] true : 1;
  [b] true : 2.5;
endrewards
""",
        (*reach("x=N"), cost("x=N", "r"), *reach("x=N-1 & slow")),
        constants={"N": 4, "p": 0.3, "slow": True},
    ),
    "enumeration by constants": Case(
        """mdp
const int idle = 0;
const int busy = 1;
const int broken = 2;
module machine
  mode : [idle..broken] init idle;
  jobs : [0..3] init 0;
  [start] mode=idle & jobs<3 -> (mode'=busy);
  [work] mode=busy -> 0.7:(mode'=idle)&(jobs'=jobs+1) + 0.3:(mode'=broken);
  [careful] mode=busy -> 0.4:(mode'=idle)&(jobs'=jobs+1) + 0.05:(mode'=broken) + 0.55:(mode'=busy);
  [repair] mode=broken -> 0.5:(mode'=idle) + 0.5:(mode'=broken);
  [rest] mode=idle & jobs=3 -> true;
endmodule
rewards "time"
  jobs<3 : 1;
  [repair] true : 4;
endrewards
""",
        (*reach("mode=broken"), cost("jobs=3", "time"), *until("mode!=broken", "jobs=3")),
    ),
    "formulas": Case(
        """mdp
formula total = x+y;
formula even = mod(total,2)=0;
formula full = total>=N & even;
const int N = 4;
module m
  x : [0..3] init 0;
  y : [0..3] init 0;
  [x] !full & x<3 -> 0.9:(x'=x+1) + 0.1:(y'=min(3,y+1));
  [y] !full & y<3 -> 0.5:(y'=y+1) + 0.5:(x'=0);
  [w] full | x=3 & y=3 -> true;
endmodule
label "full" = full;
rewards "odd"
  !full & !even : total;
  !full & even : 0.5;
endrewards
""",
        (
            *reach("full", '"full"'),
            *reach("total=3 & !even", "(x+y=3)"),
            cost("full", "odd"),
            *until("total<=N", "full & x=y"),
        ),
    ),
    "renamed modules": Case(
        """mdp
const double p1 = 0.5;
const double p2 = 0.25;
formula safe = a<2 & b<2;
module one
  a : [0..3] init 0;
  [up1] a<3 -> p1:(a'=a+1) + 1-p1:(a'=0);
  [meet] a=1 -> (a'=2);
  [end1] a=3 -> true;
endmodule
module two = one [a=b, b=a, p1=p2, p2=p1, up1=up2, end1=end2] endmodule
rewards "n"
  [up1] true : 1;
  [up2] true : 2;
endrewards
""",
        (*reach("a=3 & b=3"), *until("safe | a=b", "b=3 & a<3"), cost("a=3 & b=3", "n")),
    ),
    "synchronisation of three modules": Case(
        """mdp
module a
  x : [0..2] init 0;
  [t] x<2 -> 0.5:(x'=x+1) + 0.5:(x'=x);
  [r] x>0 -> (x'=0);
  [t] x=2 -> true;
endmodule
module b
  y : [0..1] init 0;
  [t] y=0 -> (y'=1);
  [t] y=1 -> 0.2:(y'=0) + 0.8:true;
endmodule
module c
  z : [0..3] init 0;
  [t] z<3 -> 0.75:(z'=z+1) + 0.25:true;
  [r] z<3 -> true;
  [e] z=3 -> true;
endmodule
rewards "t"
  [t] true : 1;
  [r] true : 0.25;
endrewards
""",
        (*reach("x=2 & y=0"), cost("z=3", "t"), *reach("z=3 & x=2 & y=1")),
    ),
    "interleaving without labels": Case(
        """mdp
module a
  x : [0..2] init 0;
  [] x<2 -> 0.5:(x'=x+1) + 0.5:(x'=0);
  [] x=1 -> (x'=2);
endmodule
module b
  y : [0..2] init 0;
  [] y<2 -> (y'=y+1);
  [] y=2 -> true;
endmodule
rewards "r"
  [] x<2 : 1;
endrewards
""",
        (*reach("x=2 & y=0"), *reach("y=2 & x=0"), cost("x=2", "r")),
    ),
    "several commands under one label": Case(
        """mdp
module m
  x : [0..3] init 0;
  [a] x=0 -> (x'=1);
  [a] x=0 -> 0.5:(x'=2) + 0.5:(x'=3);
  [a] x=1 -> 0.9:(x'=2) + 0.1:(x'=3);
  [a] x>1 -> true;
endmodule
""",
        reach("x=2"),
    ),
    "global variables": Case(
        """mdp
global turn : [1..2] init 1;
global alarm : bool init false;
module a
  x : [0..3] init 0;
  [] turn=1 & x<3 -> 0.8:(x'=x+1)&(turn'=2) + 0.2:(alarm'=true)&(turn'=2);
  [] turn=1 -> (turn'=2);
endmodule
module b
  y : [0..3] init 0;
  [] turn=2 & y<3 -> 0.7:(y'=y+1)&(turn'=1) + 0.3:(turn'=1);
  [] turn=2 & y=3 -> (turn'=1);
endmodule
""",
        (*reach("alarm"), *until("!alarm", "x=3 & y=3"), *reach("y=3 & x=0")),
    ),
    "truth variables": Case(
        """mdp
module m
  b : bool init false;
  c : bool;
  n : [0..4] init 0;
  [flip] n<4 -> 0.5:(b'=!b)&(n'=n+1) + 0.5:(c'=b)&(n'=n+1);
  [copy] n<4 -> (b'=c=b)&(c'=b&!c | c&!b)&(n'=n+1);
  [done] n=4 -> true;
endmodule
""",
        (*reach("n=4 & b & c"), *reach("n=4 & b & !c"), *reach("n=4 & (b | c)")),
    ),
    "unbounded integers": Case(
        """mdp
module m
  x : int init 2;
  [win] x>0 & x<5 -> 0.4:(x'=x+1) + 0.6:(x'=x-1);
  [bold] x>1 & x<5 -> 0.4:(x'=x+2) + 0.6:(x'=x-2);
  [end] x<=0 | x>=5 -> true;
endmodule
rewards "n"
  x>0 & x<5 : 1;
endrewards
""",
        (*reach("x>=5"), cost("x<=0 | x>=5", "n"), gain("x<=0 | x>=5", "n")),
    ),
    "negative ranges": Case(
        """mdp
module m
  x : [-3..3] init -1;
  [l] x>-3 & x<3 -> 0.6:(x'=x-1) + 0.4:(x'=x+1);
  [r] x>-3 & x<3 -> 0.45:(x'=-x) + 0.55:(x'=x+1);
  [e] x=3 | x=-3 -> true;
endmodule
""",
        (*reach("x=3"), *reach("x=-3"), *until("x<=0", "x=-3")),
    ),
    "several initial states": Case(
        """mdp
module m
  x : [0..4];
  b : bool;
  [a] x<4 -> 0.5:(x'=x+1) + 0.5:(x'=0)&(b'=true);
  [b] x<4 & !b -> 0.9:(x'=x+1) + 0.1:(b'=true);
  [c] x=4 -> true;
endmodule
init
  x<3 & !b
endinit
rewards "n"
  x<4 : 1;
endrewards
""",
        (*reach("x=4 & !b"), cost("x=4", "n")),
    ),
    "init with <=>": Case(
        """mdp
module m
  x : [0..2];
  b : bool;
  [a] x<2 -> 0.3:(x'=2) + 0.7:(b'=!b);
  [s] x=2 | b -> true;
endmodule
init x<2 & (x=0 <=> b) | false endinit
""",
        reach("x=2"),
        for_storm="""mdp
module m
  x : [0..2];
  b : bool;
  [a] x<2 -> 0.3:(x'=2) + 0.7:(b'=!b);
  [s] x=2 | b -> true;
endmodule
init x<2 & ((x=0)=b) endinit
""",
    ),
    "rewards on states and commands": Case(
        """mdp
module m
  x : [0..2] init 0;
  [a] x<2 -> 0.5:(x'=x+1) + 0.5:true;
  [b] x<2 -> (x'=x+1);
  [] x=1 -> 0.2:(x'=2) + 0.8:(x'=0);
  [c] x=2 -> true;
endmodule
rewards "mixed"
  x=0 : 2;
  x=1 : 1;
  [a] x=0 : 0.5;
  [a] true : 0.25;
  [b] true : 4-x;
  [] true : 0.125;
endrewards
rewards "none"
  false : 1;
endrewards
""",
        (cost("x=2", "mixed"), *reach("x=2")),
    ),
    "rewards without a name": Case(
        """mdp
module m
  x : [0..1] init 0;
  [a] x=0 -> 0.125:(x'=1) + 0.875:true;
  [b] x=0 -> 0.5:(x'=1) + 0.5:true;
  [c] x=1 -> true;
endmodule
rewards
  [a] true : 1;
  [b] true : 5;
endrewards
""",
        (cost("x=1"),),
    ),
    "rewards as expressions": Case(
        """mdp
const double unit = 0.5;
formula load = x*x;
module m
  x : [0..3] init 3;
  [a] x>0 -> 0.5:(x'=x-1) + 0.5:true;
  [b] x>0 -> 0.1:(x'=0) + 0.9:true;
  [c] x=0 -> true;
endmodule
rewards "r"
  x>0 : unit*load + max(0, x-2) + (mod(x,2)=1 ? 0.25 : 0);
endrewards
""",
        (cost("x=0", "r"), gain("x=0", "r")),
    ),
    "a chain": Case(
        """dtmc
module m
  x : [0..3] init 0;
  [] x=0 -> 0.8:(x'=1) + 0.1:(x'=2) + 0.1:(x'=0);
  [] x=1 -> 0.6:(x'=0) + 0.3:(x'=3) + 0.1:(x'=2);
  [] x>1 -> true;
endmodule
rewards "n"
  x<2 : 1;
endrewards
""",
        (
            ("P=? [F x=3]", {"goal": "x=3", "reward": "reach"}),
            ('R{"n"}=? [F x>1]', {"goal": "x>1", "reward": "n", "sense": "min"}),
        ),
    ),
    "a chain in which several commands are enabled": Case(
        """dtmc
module a
  x : [0..2] init 0;
  [] x<2 -> 0.5:(x'=x+1) + 0.5:true;
endmodule
module b
  y : [0..2] init 0;
  [] y<2 -> (y'=y+1);
  [] x=0 & y=1 -> (y'=0);
endmodule
""",
        (("P=? [F (x=2 & y<2)]", {"goal": "x=2 & y<2", "reward": "reach"}),),
    ),
    "a state without commands": Case(
        """mdp
module m
  x : [0..3] init 0;
  [a] x=0 -> 0.5:(x'=1) + 0.5:(x'=2);
  [b] x=0 -> 0.9:(x'=3) + 0.1:(x'=1);
  [a] x=1 -> (x'=3);
endmodule
""",
        (*reach("x=3"), *reach("x=2"), *reach('"deadlock" & x=2', "x=2")),
    ),
    "updates at the same time": Case(
        """mdp
module m
  x : [0..5] init 1;
  y : [0..5] init 4;
  [swap] x<y -> (x'=y)&(y'=x);
  [step] x<5 & y>0 -> 0.5:(x'=x+1)&(y'=y-1) + 0.5:(x'=y)&(y'=y);
  [stop] x>=y -> true;
endmodule
""",
        (*reach("x=y"), *reach("x=4 & y=1"), *reach("x=3 & y=2")),
    ),
    "min and max": Case(
        """mdp
module m
  x : [0..9] init 0;
  [a] x<9 -> 0.7:(x'=min(9,x+3)) + 0.3:(x'=max(0,x-2,1));
  [b] x<9 -> 0.5:(x'=max(x,min(5,x+1,7))) + 0.5:(x'=0);
  [c] x=9 -> true;
endmodule
rewards "n"
  x<9 : min(x,4) + 1;
endrewards
""",
        (*reach("min(x,8)=8"), *reach("max(x,3,5)=7"), cost("x=9", "n")),
    ),
    "mod and floor": Case(
        """mdp
module m
  x : [0..11] init 0;
  n : [0..4] init 0;
  [a] n<4 -> 0.5:(x'=mod(x+5,12))&(n'=n+1) + 0.5:(x'=mod(3*x+1,12))&(n'=n+1);
  [b] n<4 -> 0.25:(x'=floor(x/2))&(n'=n+1) + 0.75:(x'=ceil(x/3))&(n'=n+1);
  [c] n=4 -> true;
endmodule
""",
        (
            *reach("n=4 & mod(x,5)=1"),
            *reach("floor(x/4)=2"),
            *reach("n=4 & ceil(x/4)=1"),
            *reach("n=4 & round(x/3)=1"),
        ),
    ),
    "pow and log": Case(
        """mdp
module m
  x : [0..3] init 1;
  [a] x<3 & x>0 -> 1/pow(2,x):(x'=x+1) + 1-1/pow(2,x):(x'=0);
  [b] x<3 & x>0 -> 0.3:(x'=3) + 0.7:(x'=0);
  [c] x=3 | x=0 -> true;
endmodule
""",
        (*reach("pow(x,2)=9"), *reach("x>0 & pow(2,x)=8"), *reach("x>0 & log(x,2)>1.5", "x=3")),
    ),
    "conditional expressions": Case(
        """mdp
module m
  x : [0..6] init 0;
  b : bool init false;
  [a] x<6 -> (b ? 0.9 : 0.4):(x'=b ? x+1 : min(6,x+2)) + (b ? 0.1 : 0.6):(b'=x>3 ? false : true);
  [d] x<6 -> 0.5:(x'=x+1) + 0.5:(x'=0)&(b'=false);
  [c] x=6 -> true;
endmodule
""",
        (*reach("(b ? x : 6-x) = 2"), *reach("x=6 & (b ? true : false)"), *until("b ? x<6 : true", "x=6")),
    ),
    "implications": Case(
        """mdp
module m
  x : [0..3] init 0;
  b : bool init false;
  [a] x<3 & (b => x>0) -> 0.5:(x'=x+1) + 0.5:(b'=true)&(x'=min(3,x+1));
  [r] x<3 & b & x>0 -> (b'=(x=1 => b))&(x'=0);
  [n] x=0 & b -> 0.5:(b'=false) + 0.5:(x'=3);
  [c] x=3 -> true;
endmodule
""",
        (*reach("x=3 & (b => x<3)"), *until("b => x<2", "x=3"), *reach("!(x>=2 => b)")),
    ),
    "equivalences": Case(
        """mdp
formula same = b <=> c;
const bool yes = true <=> !false;
module m
  x : [0..3] init 0;
  b : bool init false;
  c : bool init true <=> false;
  [a] x<3 & yes -> 0.5:(b' = b <=> c)&(x'=x+1) + 0.5:(c'=!c)&(x'=x+1); // <=> in a comment
  [d] x<3 & (b <=> c => x>0) -> (b' = x=1 | c <=> b)&(x'=x+1);
  [e] x=3 -> true;
endmodule
label "same" = x=3 & same;
rewards "r"
  x<3 & b <=> c & x<3 : 1;
endrewards
""",
        (
            *reach("x=3 & same", '"same"'),
            *reach("(x=3) <=> b & c", "((x=3) = (b&c))"),
            *reach('"same" <=> x=3', "((x=3 & (b=c)) = (x=3))"),
        ),
        for_storm="""mdp
formula same = b = c;
module m
  x : [0..3] init 0;
  b : bool init false;
  c : bool init false;
  [a] x<3 -> 0.5:(b' = (b=c))&(x'=x+1) + 0.5:(c'=!c)&(x'=x+1);
  [d] x<3 & ((b=c) => x>0) -> (b' = ((x=1 | c)=b))&(x'=x+1);
  [e] x=3 -> true;
endmodule
label "same" = x=3 & same;
rewards "r"
  ((x<3 & b) = (c & x<3)) : 1;
endrewards
""",
    ),
    "operators and their order": Case(
        ORDER,
        (
            *reach("!x<5 & y=x-4 | x=9 & y!=4", "(!(x<5) & y=x-4 | x=9 & y!=4)"),
            *reach("!x<5 & !y=1 & x<7", "(x>=5 & y!=1 & x<7)"),
            *reach("y<=-3 | y>=9"),
            *reach("!(x=1) & -y=2*3-4"),
            *reach("x/2=2.5"),
        ),
        for_storm=ORDER.replace("!y=5", "!(y=5)"),
    ),
    "labels": Case(
        walk("0.8:(s'=3) + 0.1:(s'=4) + 0.1:(s'=0)").replace('label "done"', 'label "pit" = s=4;\nlabel "done"'),
        (
            *reach("done", '"done"'),
            *reach('"pit" & !"done"'),
            *reach('"done" | s=2'),
            *reach('("done" => s=2) & !"init"', "(s=1 | s=2 | s=4)"),
            *until('!"pit"', '"done"'),
        ),
    ),
    "a system of parallel modules": Case(
        PARALLEL + "system\n  a || (b)\nendsystem\n",
        (*reach("x=2"), *reach("y=2 & x<2")),
        for_storm=PARALLEL,
    ),
    "comments and spacing": Case(
        """// a comment at the top
mdp // after the kind
module   m   // a module
x:[0..2]init 0;[a]x<2->0.8:(x'=x+1)+0.1:(x'=x)+0.1:(x'=0);
  // [b] x<2 -> true;
  [b]
    x<2
    ->   1/3 : (x'=2)
       + 2/3 : (x'=0) ;
[c]x=2->true;endmodule
rewards"n"x<2:1;endrewards
""",
        (*reach(" x = 2 "), cost("x=2", "n"), gain("x=2", "n")),
    ),
    "a label, a variable and a formula of one name": Case(
        """mdp
formula late = x=2;
module m
  x : [0..3] init 0;
  won : bool init false;
  [a] x<3 -> 0.5:(x'=x+1) + 0.5:(won'=true)&(x'=3);
  [b] x<3 -> 0.1:(won'=true)&(x'=x+1) + 0.9:(x'=x+1);
  [c] x=3 -> true;
endmodule
label "won" = won;
label "late" = x=2;
label "x" = x=1;
""",
        (*reach("won"), *reach("late", '"late"'), *reach("x", '"x"'), *reach('"x" & !won'), *reach("x=1 & won")),
    ),
}

# What Storm does not read, or what is no MDP: the words of the refusal.
REFUSED: dict[str, tuple[str, str]] = {
    "a system with a set of labels": (PARALLEL + "system a |[t]| b endsystem\n", "custom system compositions"),
    "a system that interleaves": (PARALLEL + "system a ||| b endsystem\n", "custom system compositions"),
    "a system that hides": (PARALLEL + "system (a || b) / {t} endsystem\n", "custom system compositions"),
    "a system that renames": (PARALLEL + "system a {t<-v} || b endsystem\n", "custom system compositions"),
    "a system without one of the modules": (PARALLEL + "system a endsystem\n", "Not every module is used"),
    "the old word for the kind of model": (PARALLEL.replace("mdp", "nondeterministic"), "expecting <model type>"),
    "functions by the word func": (PARALLEL.replace("x'=x+1", "x'=func(min,2,x+1)"), "Parsing error at 4:"),
    "continuous time": (PARALLEL.replace("mdp", "ctmc"), "a model of type CTMC"),
    "clocks": (PARALLEL.replace("mdp", "pta"), "a model of type unknown to stormpy; only MDPs and DTMCs"),
    "partial observation": (
        PARALLEL.replace("mdp", "pomdp\nobservables x endobservables"),
        "a model of type POMDP",
    ),
}
