"""`spotree models`: what ships."""

from spotree.cli.output import AsJson, show_json, show_table


def models(as_json: AsJson = False) -> None:
    """List the models that ship with spotree."""
    from spotree.models import describe, names

    described = {name: describe(name) for name in names()}
    if as_json:
        show_json("models", {"models": described})
    else:
        show_table(["name", "what it is"], [[name, text] for name, text in described.items()])
