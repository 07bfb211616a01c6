"""The JSON export agrees with its schema, and the schema does not accept anything else."""

import copy
import io
import json

import jsonschema
import pytest

from swgui.io.export import HIT_COLUMNS, ExportOptions, write_hits
from swgui.io.export.json_format import json_schema


@pytest.fixture(scope="module")
def schema():
    jsonschema.Draft202012Validator.check_schema(json_schema())
    return jsonschema.Draft202012Validator(json_schema())


def written(result, hits, columns=None):
    file = io.StringIO()
    write_hits("json", result, iter(hits), file, ExportOptions(columns))
    return json.loads(file.getvalue())


def test_every_field_is_in_the_schema(schema, proteins, nucleotides):
    for result, hits in (proteins, nucleotides):
        schema.validate(written(result, hits))
        schema.validate(written(result, hits, tuple(HIT_COLUMNS)))
        schema.validate(written(result, hits, ("sseqid",)))


@pytest.mark.parametrize("change", [
    lambda made: made["hits"][0].update(score="63"),
    lambda made: made["hits"][0].update(unheard_of=1),
    lambda made: made["queries"][0].pop("qlen"),
    lambda made: made.update(format_version=2),
])  # fmt: skip
def test_anything_else_is_not(schema, proteins, change):
    made = copy.deepcopy(written(*proteins))
    change(made)
    with pytest.raises(jsonschema.ValidationError):
        schema.validate(made)
