"""What index.json of a UMB archive must say, checked once; what spotree does not read is not looked at."""

from spotree.common.untrusted import (
    Check,
    anything,
    list_of,
    named,
    number,
    one_of,
    optional,
    record,
    text,
    truth,
    whole,
)

_COUNT = whole(0, 2**48)
_TYPE = record({"type": text()}, {"size": whole(0, 2**16)})

_SYSTEM = record(
    {"time": text(), "#players": whole(0), "#states": _COUNT, "#choices": _COUNT, "#branches": _COUNT},
    {"#observations": optional(whole(0)), "#choice-actions": _COUNT, "branch-probability-type": _TYPE},
)
_ANNOTATIONS = record(
    {},
    {
        "rewards": named(
            record(
                {"type": _TYPE, "applies-to": list_of(one_of("states", "choices", "branches"), most=3)},
                {"alias": text()},
            )
        ),
        "aps": named(record({}, {"alias": text()})),
    },
)
_VARIABLE = record({"name": text(), "type": _TYPE}, {"is-optional": truth, "offset": number()})
_PADDING = record({"padding": whole(0, 2**16)})
_OWN = record(
    {"name": text(), "notes": named(text(2**20))},
    {
        "discount": number(0, 1),
        "missing": text(),
        "missing_reward": number(),
        "must_end": truth,
        "sense": one_of("max", "min"),
        "forbidden": list_of(whole(0)),
        "sink": truth,
    },
)


def _entry(name: str, value: object) -> None:
    (_PADDING if isinstance(value, dict) and "padding" in value else _VARIABLE)(name, value)


def _parameters(name: str, value: object) -> None:
    """Free, but for what spotree itself wrote."""
    if isinstance(value, dict) and "spotree" in value:
        _OWN(f"{name}/spotree", value["spotree"])


_VALUATIONS = record({"classes": list_of(record({"variables": list_of(_entry)}), least=1)})
INDEX: Check = record(
    {"transition-system": _SYSTEM},
    {
        "format-version": anything,
        "annotations": _ANNOTATIONS,
        "valuations": record({}, {"states": optional(_VALUATIONS)}),
        "file-data": record({}, {"parameters": _parameters}),
    },
)
