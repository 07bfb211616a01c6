"""What tests of the window put into it."""

from swgui.core.hits.results import SearchResult

QUERY = ">q of the first\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW\n"


def result_of(request, state="complete", message="", cells=(10, 10), seconds=1.0):
    return SearchResult(
        (), request.database, request.scheme, "plus", 10, 500, "cpu", ("Test CPU",), state, *cells, seconds, 0, "",
        message, "0", "2026-01-01T00:00:00+00:00",
    )  # fmt: skip
