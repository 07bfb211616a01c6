import pytest

from swgui.core.devices import ClusterAddress, DeviceChoice, device_ids, device_text
from swgui.settings import ClusterChoice, PairSettings, SearchSettings


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


def test_only_what_is_given_is_told():
    assert ClusterAddress().settings == {}
    assert ClusterAddress("a:1", ca="ca.pem", allow_plain=True).settings == {
        "scheduler": "a:1",
        "tls-ca": "ca.pem",
        "allow-plain": "on",
    }
    assert ClusterAddress("a:1", key="k.pem").encrypted
    assert not ClusterAddress("a:1").encrypted


def test_settings_remember_an_address_and_the_agreement_to_it():
    kept = ClusterChoice(plain_allowed=["a:1"])
    kept.address = ClusterAddress("a:1", "ca.pem", "c.pem", "k.pem")
    assert (kept.scheduler, kept.ca, kept.certificate, kept.key) == ("a:1", "ca.pem", "c.pem", "k.pem")
    assert kept.address == ClusterAddress("a:1", "ca.pem", "c.pem", "k.pem", allow_plain=True)
    kept.address = ClusterAddress("b:1")
    assert kept.address == ClusterAddress("b:1")
