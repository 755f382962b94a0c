"""What a person sees of an answer."""
