"""Many runs in one table: each model, depth and seed once, whatever happens meanwhile."""
