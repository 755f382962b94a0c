"""Search on several machines: one driver, one worker per machine, exchange of the best tree."""
