"""Where webhooks may call, and how they are told to be ours."""

import hmac
import http.server
import ipaddress
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from documents.webhooks import CallFailed, CallRefused, send, sign, signing_key
from documents.webhooks import sending as sending_module
from documents.webhooks.addresses import AddressForbidden, is_public, resolve

LOCAL = [ipaddress.ip_network("127.0.0.0/8")]


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers each call by its path, and remembers it."""

    seen: ClassVar[list[tuple[str, dict[str, str], bytes]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append((self.path, dict(self.headers), body))
        status = int(self.path.strip("/").partition("?")[0] or 200)
        self.send_response(status)
        if status in (301, 302, 307, 308):
            self.send_header("Location", "http://169.254.169.254/latest/meta-data/")
        self.end_headers()
        self.wfile.write(b"answer")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[str]:
    Answers.seen.clear()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "::", "::1",
        "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "ff0e::1", "::ffff:127.0.0.1",
        "::ffff:169.254.169.254", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1",
        "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:1:1:1:1:80ff:fffe", "2001:db8::1", "3fff::1",
    ],
)  # fmt: skip
def test_no_address_inside_is_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "2606:2800:21f:cb07::1", "::ffff:93.184.215.14", "64:ff9b::5db8:d70e"]
)
def test_addresses_of_the_internet_are(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def answer_with(*addresses: str) -> Callable[..., list[Any]]:
    def getaddrinfo(host: str, port: int, **kwargs: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return getaddrinfo


def test_a_name_with_one_address_inside_is_refused_whatever_its_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answer_with("93.184.215.14", "10.0.0.7"))
    with pytest.raises(AddressForbidden, match=r"hook\.example leads to 10\.0\.0\.7"):
        resolve("hook.example", 443)
    assert resolve("hook.example", 443, allowed=[ipaddress.ip_network("10.0.0.0/8")])[1] is False


def test_the_name_is_asked_for_once_and_the_connection_goes_to_that_address(
    hook: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(hook.rpartition(":")[2])
    asked: list[str] = []

    def rebinding(host: str, port: int, **kwargs: Any) -> list[Any]:
        asked.append(host)
        return answer_with("127.0.0.1" if len(asked) == 1 else "10.9.9.9")(host, port)

    real = socket.create_connection
    connected: list[Any] = []

    def connect(address: Any, *args: Any, **kwargs: Any) -> socket.socket:
        connected.append(address)
        monkeypatch.setattr(socket, "getaddrinfo", real_getaddrinfo)
        return real(address, *args, **kwargs)

    real_getaddrinfo = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    monkeypatch.setattr(socket, "create_connection", connect)
    delivered = send(f"http://hook.example:{port}/200", body=b"{}", headers={}, allowed=LOCAL)
    assert (delivered.status, delivered.address) == (200, "127.0.0.1")
    assert (asked, connected) == (["hook.example"], [("127.0.0.1", port)])
    ((_, headers, _),) = Answers.seen
    assert headers["Host"] == f"hook.example:{port}"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://127.0.0.1/x", "no public address"),
        ("https://[::1]/x", "no public address"),
        ("https://169.254.169.254/latest/meta-data/", "no public address"),
        ("https://2130706433/x", "no public address"),
        ("https://0x7f.1/x", "no public address"),
    ],
)
def test_what_is_inside_is_not_called_however_it_is_written(url: str, words: str) -> None:
    with pytest.raises(CallRefused, match=words):
        send(url, body=b"", headers={})


def test_plain_http_goes_to_allowed_networks_only(hook: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert send(f"{hook}/204?a=b", body=b"body", headers={"X-Test": "1"}, allowed=LOCAL).status == 204
    ((path, headers, body),) = Answers.seen
    assert (path, headers["X-Test"], body) == ("/204?a=b", "1", b"body")
    monkeypatch.setattr(socket, "getaddrinfo", answer_with("93.184.215.14"))
    with pytest.raises(CallRefused, match="https"):
        send("http://hook.example/", body=b"", headers={}, allowed=LOCAL)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(hook: str, status: int) -> None:
    with pytest.raises(CallRefused, match="redirects are not followed"):
        send(f"{hook}/{status}", body=b"", headers={}, allowed=LOCAL)
    assert len(Answers.seen) == 1


@pytest.mark.parametrize(
    ("status", "error"), [(400, CallRefused), (410, CallRefused), (429, CallFailed), (500, CallFailed)]
)
def test_what_may_pass_is_tried_again_and_what_will_not_is_not(
    hook: str, status: int, error: type[Exception]
) -> None:
    with pytest.raises(error, match=f"{status}: answer"):
        send(f"{hook}/{status}", body=b"", headers={}, allowed=LOCAL)


def test_an_answer_that_drips_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending_module, "TOTAL_SECONDS", 0.3)
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def drip() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while not stop.wait(0.02):
                try:
                    connection.sendall(b"X-A: b\r\n")
                except OSError:
                    return

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    with pytest.raises(CallFailed, match="did not answer"):
        send(f"http://127.0.0.1:{listener.getsockname()[1]}/", body=b"", headers={}, allowed=LOCAL)
    stop.set()
    thread.join()
    listener.close()


def test_a_host_that_does_not_listen_may_later() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(CallFailed, match="did not answer"):
        send(f"http://127.0.0.1:{port}/", body=b"", headers={}, allowed=LOCAL)


def test_whoever_is_called_can_check_the_signature() -> None:
    tenant, workflow = uuid.UUID(int=1), uuid.UUID(int=2)
    key = signing_key("secret", tenant_id=tenant, workflow_id=workflow)
    swapped = signing_key("secret", tenant_id=workflow, workflow_id=tenant)
    other = signing_key("other", tenant_id=tenant, workflow_id=workflow)
    assert len({key, swapped, other}) == 3
    signature = sign(key, body=b'{"a": 1}', at=1_700_000_000)
    expected = hmac.new(key.encode(), b'1700000000.{"a": 1}', "sha256").hexdigest()
    assert signature == f"t=1700000000,v1={expected}"
