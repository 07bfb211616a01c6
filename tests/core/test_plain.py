from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Literal

import pytest
from msgspec import Meta, Struct

from swgui.core.plain import Count, fill, from_plain, kept_fields, plain, replace


@dataclass
class Inner:
    kind: Literal["one", "two"] = "one"
    share: Annotated[float, Meta(ge=0, le=1)] = 0.5


@dataclass
class Outer:
    count: Count = 0
    names: tuple[str, ...] = ()
    inner: Inner = field(default_factory=Inner)
    said: list[str] = field(default_factory=list, metadata={"kept": False})


@dataclass(frozen=True, slots=True)
class Mapped:
    values: MappingProxyType[str, int]


class Counted(Struct, frozen=True):
    count: Count = 0
    name: str = ""


def test_records_of_either_kind_have_changed_copies():
    assert replace(Counted(1, "a"), count=2) == Counted(2, "a")
    assert replace(Inner("two"), share=0.1) == Inner("two", 0.1)
    with pytest.raises(TypeError):
        replace(Counted(), none=1)


def test_a_record_becomes_json_and_comes_back():
    record = Outer(3, ("a", "b"), Inner("two", 1.0))
    assert plain(record) == {"count": 3, "names": ("a", "b"), "inner": {"kind": "two", "share": 1.0}, "said": []}
    assert from_plain(Outer, {**plain(record), "names": ["a", "b"]}) == record
    assert plain(Mapped(MappingProxyType({"a": 1}))) == {"values": {"a": 1}}
    with pytest.raises(TypeError, match="object is not saved"):
        plain([object()])


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"count": True}, "count"),
        ({"count": 1.0}, "count"),
        ({"count": "1"}, "count"),
        ({"count": -1}, "count"),
        ({"names": ["a", 1]}, "names"),
        ({"names": "a"}, "names"),
        ({"inner": {"share": float("nan")}}, "inner.share"),
        ({"inner": {"kind": "three"}}, "inner.kind"),
        ([], "object"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(values, place):
    with pytest.raises(ValueError, match=place):
        from_plain(Outer, values)


def test_what_is_not_known_is_passed_over_and_what_is_missing_has_its_default():
    assert from_plain(Outer, {"colour": "red", "inner": {"share": 1}}) == Outer(inner=Inner(share=1.0))


def test_a_record_is_filled_value_by_value():
    record = Outer(count=7)
    problems = fill(record, {"count": -1, "names": ["a"], "inner": {"kind": 5, "share": 0}, "said": ["no"]}, "all.")
    assert record == Outer(7, ("a",), Inner("one", 0.0))
    assert [problem.split()[2] for problem in problems] == ["all.count", "all.inner.kind"]
    assert kept_fields(record) == ["count", "names", "inner"]
