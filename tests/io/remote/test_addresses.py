"""Addresses of other computers: what is one, and that none can be an option of ssh or leave in the clear."""

import pytest

from swgui.core.errors import InvalidParameter
from swgui.io.remote.addresses import read_address


@pytest.mark.parametrize(
    ("text", "shortest", "parts"),
    [
        ("gpu1", "gpu1", ("ssh", "gpu1", "", 0, "")),
        ("Ann@GPU-1.lab", "Ann@GPU-1.lab", ("ssh", "GPU-1.lab", "Ann", 0, "")),
        ("ssh://gpu1", "gpu1", ("ssh", "gpu1", "", 0, "")),
        ("ssh://ann@gpu1:2222", "ssh://ann@gpu1:2222", ("ssh", "gpu1", "ann", 2222, "")),
        ("ssh://gpu1/opt/swgui/bin/swgui", "ssh://gpu1/opt/swgui/bin/swgui",
         ("ssh", "gpu1", "", 0, "/opt/swgui/bin/swgui")),
        ("https://gpu1:8889/", "https://gpu1:8889", ("https", "gpu1", "", 8889, "")),
        ("http://127.0.0.1:8889", "http://127.0.0.1:8889", ("http", "127.0.0.1", "", 8889, "")),
        ("http://[::1]:8889", "http://[::1]:8889", ("http", "::1", "", 8889, "")),
    ],
)  # fmt: skip
def test_an_address_has_parts_and_a_shortest_form(text, shortest, parts):
    address = read_address(text)
    assert (address.way, address.host, address.user, address.port, address.program) == parts
    assert address.text == shortest
    assert read_address(shortest) == address


@pytest.mark.parametrize(
    "text",
    [
        "", "-oProxyCommand=touch x", "ssh://-oProxyCommand=x", "ann@-F", "-l@gpu1", "gpu1 -v", "gpu1;ls", "gpu1\nls",
        "$(ls)", "ssh://gpu1/bin/swgui;ls", "ssh://gpu1/$HOME", "ssh://gpu1:x", "ssh://gpu1:99999", "ssh://a:b@gpu1",
        "ftp://gpu1", "http://gpu1:8889", "https://ann:secret@gpu1", "https://gpu1/?x=1", "a" * 600, "gpu/../x",
    ],
)  # fmt: skip
def test_no_text_becomes_an_option_a_command_or_a_plain_connection(text):
    with pytest.raises(InvalidParameter) as fault:
        read_address(text)
    assert fault.value.name == "on"
