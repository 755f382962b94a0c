"""OMDT, the occupancy program as one MILP."""
