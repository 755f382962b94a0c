"""Pictures with Matplotlib (`pip install 'spotree[plot]'`): the tree, how it was found, and methods side by side.

Each function draws into `ax`, or into a figure of its own, and returns the Axes. Costs are shown as costs.
"""

from spotree.plot.against_leaves import frontier as frontier
from spotree.plot.drawing import tree as tree
from spotree.plot.over_time import progress as progress
from spotree.plot.side_by_side import comparison as comparison
