"""The default search: run context, depth search, leaf search, session, islands."""
