"""Pictures with Matplotlib (`pip install 'spotree[plot]'`): the tree, how it was found, and methods side by side.

Each function draws into `ax`, or into a figure of its own, and returns the Axes. Costs are shown as costs.
"""

from spotree.plot.run_plots import comparison as comparison
from spotree.plot.run_plots import frontier as frontier
from spotree.plot.run_plots import progress as progress
from spotree.plot.tree_plot import tree as tree
