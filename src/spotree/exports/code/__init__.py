"""Source code exports: C, Rust, Python."""
