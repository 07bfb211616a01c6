"""Content that tests of the window put into it."""

from tests.asking import result_for

QUERY = ">q of the first\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW\n"


def result_of(request, state="complete", message="", cells=(10, 10), seconds=1.0):
    done, total = cells
    return result_for(request, state=state, message=message, cells_done=done, cells_total=total, seconds=seconds)
