"""Small PRISM and JANI programs, one a construct of the language, with questions that Storm answers too."""
