"""Trees and policies that other tools made."""
