"""The JSON Schema of a record and its rows, for any language: `python -m dnc_metrics.record_schema`."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from dnc_metrics.record import READABLE, Outcome, Record


def schema() -> dict[str, Any]:
    """Return the schema of `record.json`; `$defs/Outcome` is that of a line of the rows file.

    >>> schema()["$ref"]
    '#/$defs/Record'
    """
    (record, _), definitions = msgspec.json.schema_components(
        [Record, Outcome], ref_template="#/$defs/{name}"
    )
    for definition in definitions.values():
        definition["additionalProperties"] = False
    definitions["Record"]["properties"]["schema"]["enum"] = list(READABLE)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "DNC record",
        **record,
        "$defs": definitions,
    }


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1))
