from swgui.core.devices import ClusterAddress
from swgui.settings import ClusterChoice


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
