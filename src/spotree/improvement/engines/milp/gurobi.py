"""Gurobi, behind one function; the only file that imports gurobipy."""

from collections.abc import Callable
from typing import Any

import numpy as np

from spotree.errors import MissingExtraError
from spotree.improvement.engines.milp.highs_process import End, Listener, News, Orders
from spotree.improvement.engines.milp.linear_program import LinearProgram

TIGHTEST = 1e-9  # tolerance that Gurobi takes
GIGABYTE = 1e9  # its unit of memory


def gurobi(recipe: Callable[[], LinearProgram], orders: Orders, listen: Listener) -> End:
    """Solve the program that `recipe` makes; Gurobi keeps its time limit, so it runs in this process."""
    try:
        import gurobipy as gp
    except ImportError as error:
        raise MissingExtraError("gurobipy", "gurobi", "solver='gurobi'") from error
    program = recipe()
    with gp.Env(params={"OutputFlag": 0}) as env, gp.Model(env=env) as model:
        x: Any = model.addMVar(
            program.num_variables,
            lb=program.lower,
            ub=program.upper,
            obj=program.objective,
            vtype=np.where(program.integer, "B", "C").tolist(),
        )
        model.ModelSense = gp.GRB.MAXIMIZE
        rows = program.matrix
        for sign, side in ((1, program.row_upper), (-1, -program.row_lower)):
            some = np.isfinite(side)
            if some.any():
                model.addConstr(sign * rows[some] @ x <= side[some])
        if program.start is not None:
            x.Start = program.start
        tight = max(orders.tolerance, TIGHTEST)
        parameters: dict[str, Any] = {"MIPGap": 0, "MIPGapAbs": 0, "IntFeasTol": tight, "FeasibilityTol": tight}
        if orders.seconds is not None:
            parameters["TimeLimit"] = orders.seconds
        if orders.threads is not None:
            parameters["Threads"] = orders.threads
        if orders.memory is not None:
            parameters["SoftMemLimit"] = orders.memory / GIGABYTE
        for name, value in parameters.items():
            model.setParam(name, value)
        enough = False

        def hear(running: Any, where: int) -> None:
            nonlocal enough
            if where == gp.GRB.Callback.MIPSOL:
                bound = running.cbGet(gp.GRB.Callback.MIPSOL_OBJBND)
                enough |= listen(News(bound, np.array(running.cbGetSolution(x))))
            elif where == gp.GRB.Callback.MIP:
                enough |= listen(News(running.cbGet(gp.GRB.Callback.MIP_OBJBND)))
            if enough:
                running.terminate()

        model.optimize(hear)
        if model.Status == gp.GRB.INFEASIBLE:
            return End.INFEASIBLE
        listen(News(model.ObjBound, x.X if model.SolCount else None, int(model.NodeCount)))
        if enough:
            return End.ENOUGH
        ends = {
            gp.GRB.OPTIMAL: End.PROVED,
            gp.GRB.INTERRUPTED: End.INTERRUPTED,  # Gurobi catches Ctrl-C itself
            gp.GRB.MEM_LIMIT: End.LOST,
        }
        return ends.get(model.Status, End.TIME)
