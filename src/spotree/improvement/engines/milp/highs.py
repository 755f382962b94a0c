"""HiGHS, behind one function; the only file that imports highspy."""

import time
from collections.abc import Callable
from typing import Any

import highspy
import numpy as np

from spotree.improvement.engines.milp.highs_process import End, News, Orders
from spotree.improvement.engines.milp.linear_program import LinearProgram

BOUND_EVERY = 0.05  # seconds between messages that carry a bound alone


def highs(program: LinearProgram, orders: Orders, tell: Callable[[News], bool]) -> End:
    """Solve a program; each better solution or bound is told on the way, the last ones at the end.

    HiGHS looks at its clock only now and then: where time matters, call this through `child.run`.
    """
    highspy.Highs.resetGlobalScheduler(True)  # or the number of threads of an earlier call stays
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    options = {
        "output_flag": False,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.0,
        "mip_feasibility_tolerance": orders.tolerance,
        "primal_feasibility_tolerance": orders.tolerance,
        "dual_feasibility_tolerance": orders.tolerance,
        "time_limit": np.inf if orders.seconds is None else orders.seconds,
        "threads": orders.threads or 0,
    }
    for option, value in options.items():
        solver.setOptionValue(option, value)
    solver.passModel(
        program.num_variables,
        program.num_rows,
        len(program.column),
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        program.objective,
        program.lower,
        program.upper,
        program.row_lower,
        program.row_upper,
        program.row_start.astype(np.int32),
        program.column,
        program.coefficient,
        program.integer.astype(np.int32),
    )
    if program.start is not None:
        every = np.arange(program.num_variables, dtype=np.int32)
        solver.setSolution(program.num_variables, every, program.start)
    listener = _Listener(tell)
    solver.cbMipImprovingSolution.subscribe(listener.solution)
    solver.cbMipInterrupt.subscribe(listener.tick)
    solver.run()
    return _ended(solver, tell, listener)


class _Listener:
    """Turns HiGHS's events into news; solutions at once, bounds not too often."""

    def __init__(self, tell: Callable[[News], bool]) -> None:
        self.tell = tell
        self.enough = False
        self.bound = np.inf
        self.told = 0.0

    def solution(self, event: Any) -> None:
        data = event.data_out
        self.bound = min(self.bound, data.mip_dual_bound)
        self.enough |= self.tell(News(self.bound, np.array(data.mip_solution), int(data.mip_node_count)))

    def tick(self, event: Any) -> None:
        data, now = event.data_out, time.perf_counter()
        if data.mip_dual_bound < self.bound and now > self.told + BOUND_EVERY:
            self.bound, self.told = data.mip_dual_bound, now
            self.enough |= self.tell(News(self.bound, None, int(data.mip_node_count)))
        if self.enough:
            event.data_in.user_interrupt = True


def _ended(solver: Any, tell: Callable[[News], bool], listener: _Listener) -> End:
    status, info = solver.getModelStatus(), solver.getInfo()
    if status == highspy.HighsModelStatus.kInfeasible:
        return End.INFEASIBLE
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    solution = np.array(solver.getSolution().col_value) if found else None
    bound = min(listener.bound, info.mip_dual_bound)
    tell(News(bound, solution, max(int(info.mip_node_count), 0)))
    if status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty):
        return End.PROVED
    return End.ENOUGH if listener.enough else End.TIME
