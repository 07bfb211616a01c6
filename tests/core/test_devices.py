import pytest

from swgui.core.devices import DeviceChoice, device_ids, device_text
from swgui.settings import PairSettings, SearchSettings


@pytest.mark.parametrize(
    ("text", "ids"), [("", ()), ("0", ("0",)), ("0,1,cpu", ("0", "1", "cpu")), (" 0 , 1,", ("0", "1")), (",", ())]
)
def test_devices_are_read_from_text_and_written_back(text, ids):
    assert device_ids(text) == ids
    assert device_ids(device_text(ids)) == ids


def test_settings_keep_the_text_of_older_files():
    search, pair = SearchSettings(engine="cuda", device="1,2"), PairSettings(device="0,1")
    assert search.run_on == DeviceChoice("cuda", ("1", "2"))
    assert pair.gpus == ("0", "1")
    search.run_on, pair.gpus = DeviceChoice("cuda", ("0", "1")), ()
    assert (search.engine, search.device, pair.device) == ("cuda", "0,1", "")
