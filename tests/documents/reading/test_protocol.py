"""What crosses the border between reader and child: kept whole, bounded, and never believed."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.einvoices import Invoice, Syntax
from documents.ocr.words import Word
from documents.reading.errors import LimitExceeded, NeedsPassword, ReadError, Unreadable
from documents.reading.messages import Facts, Limits, Note, PageRead, Part, Picture, ReadOptions
from documents.reading.parts import Conversation, error_to_frame, part_to_frame
from documents.reading.protocol import (
    Frame,
    ProtocolError,
    StreamEnded,
    decode_options,
    encode_options,
    receive_frame,
    send_frame,
)

WEBP = b"RIFF\x00\x00\x00\x00WEBP"
INVOICE = Invoice(
    syntax=Syntax.CII,
    number="4711",
    issued=date(2018, 2, 13),
    seller="Größe & Söhne",
    gross=Decimal("-99.00"),
    currency="EUR",
)
FACTS = Facts(3, "application/pdf", "Angebot", date(2018, 2, 13), "Jürgen", INVOICE)
PARTS: list[Part] = [
    FACTS,
    Note("open", "repaired"),
    PageRead(1, "Größe\n\nzwei", "layer", None, 0.5),
    PageRead(3, "x", "ocr", 0.93, 2.0, (Word("x", 0.93, 1, 2, 3, 4, 0),)),
    Picture("thumbnail", "image/webp", WEBP, 10, 20),
]


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def received(data: bytes) -> Frame:
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def send() -> None:
            theirs.sendall(data)
            theirs.close()

        sender = threading.Thread(target=send)
        sender.start()
        try:
            return receive_frame(ours, 5)
        finally:
            ours.close()
            sender.join()


def test_parts_arrive_as_they_were_sent(ends: tuple[socket.socket, socket.socket]) -> None:
    conversation = Conversation(ReadOptions("application/pdf"))
    for part in PARTS:
        send_frame(ends[1], part_to_frame(part))
        assert conversation.understand(receive_frame(ends[0], 5)) == part


@pytest.mark.parametrize("error", [NeedsPassword(), LimitExceeded("pages", 5000), Unreadable("it is empty")])
def test_errors_arrive_as_they_were_sent(error: ReadError) -> None:
    with pytest.raises(type(error)) as caught:
        Conversation(ReadOptions("")).understand(error_to_frame(error))
    assert str(caught.value) == str(error)


def test_a_large_body_arrives_whole() -> None:
    body = bytes(range(256)) * 20_000
    header = json.dumps({"kind": "page"}).encode()
    assert received(struct.pack("!II", len(header), len(body)) + header + body).body == body


def test_a_frame_that_does_not_come_is_not_waited_for(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[1].sendall(b"\x00\x00")
    with pytest.raises(TimeoutError):
        receive_frame(ends[0], 0.05)


def test_the_end_of_the_stream_is_noticed_within_a_frame() -> None:
    for data in (b"", b"\x00\x00\x00\x05\x00\x00\x00\x00{}"):
        with pytest.raises(StreamEnded):
            received(data)


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("!II", 0xFFFFFFFF, 0),
        struct.pack("!II", 2, 0xFFFFFFFF) + b"{}",
        struct.pack("!II", 2, 0) + b"{]",
        struct.pack("!II", 2, 0) + b"[]",
        struct.pack("!II", 2, 0) + b"{}",
        struct.pack("!II", 10, 0) + b'{"kind":1}',
        struct.pack("!II", 24, 0) + b'{"kind":"a","b":Infinit}',
        struct.pack("!II", 60_000, 0) + b"[" * 60_000,
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_nonsense_is_refused(data: bytes) -> None:
    with pytest.raises((ProtocolError, StreamEnded)):
        received(data)


def page(**fields: object) -> Frame:
    usual = {"number": 1, "source": "ocr", "confidence": 0.5, "seconds": 1.0, "words": []}
    return Frame("page", {**usual, **fields}, b"text")


@pytest.mark.parametrize(
    "frame",
    [
        part_to_frame(FACTS),
        page(number=4),
        page(number=0),
        page(number=2),
        page(number=True),
        page(number="1"),
        page(number=1.0),
        page(source="magic"),
        page(confidence=1.5),
        page(confidence=float("nan")),
        page(seconds=-1),
        page(words="words"),
        page(words=[["x"]]),
        page(words=[["x", 2.0, 1, 2, 3, 4, 5]]),
        page(words=[["x", 0.5, 1, 2, 3, 4, 1 << 40]]),
        Frame("page", page().fields, b"\xff"),
        Frame("picture", {"width": 1, "height": 1}, b"<svg/>"),
        Frame("picture", {"width": 1 << 20, "height": 1}, WEBP),
        Frame("note", {"step": "x", "message": 5}),
        Frame("note", {"step": "x", "message": "x" * 1001}),
        Frame("error", {"error": "limit", "which": "patience", "value": 1}),
        Frame("error", {}),
        Frame("shell", {"command": "id"}),
    ],
)
def test_what_does_not_fit_is_refused(frame: Frame) -> None:
    conversation = Conversation(ReadOptions("", skip_pages=frozenset({2})))
    conversation.understand(part_to_frame(FACTS))
    with pytest.raises(ProtocolError):
        conversation.understand(frame)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("syntax", "pdf"),
        ("number", None),
        ("seller", "x" * 256),
        ("currency", "EURO"),
        ("due", "tomorrow"),
        ("issued", 5),
        ("net", "NaN"),
        ("tax", "1e400"),
        ("gross", 9.5),
        ("shell", "id"),
    ],
)
def test_an_invoice_that_does_not_fit_is_refused(field: str, value: object) -> None:
    frame = part_to_frame(FACTS)
    frame.fields["invoice"][field] = value
    with pytest.raises(ProtocolError):
        Conversation(ReadOptions("")).understand(frame)


@given(
    st.dictionaries(st.sampled_from(sorted(asdict(INVOICE))), st.none() | st.text(max_size=30) | st.floats())
)
def test_any_invoice_is_understood_or_refused(fields: dict[str, object]) -> None:
    frame = part_to_frame(FACTS)
    frame.fields["invoice"] |= fields
    with suppress(ProtocolError):
        Conversation(ReadOptions("")).understand(frame)


def test_pages_come_once_and_in_order_after_the_facts() -> None:
    with pytest.raises(ProtocolError):
        Conversation(ReadOptions("")).understand(page())
    conversation = Conversation(ReadOptions(""))
    conversation.understand(part_to_frame(FACTS))
    conversation.understand(page(number=2))
    for number in (1, 2):
        with pytest.raises(ProtocolError):
            conversation.understand(page(number=number))


def test_there_is_an_end_to_notes_and_to_text() -> None:
    conversation = Conversation(ReadOptions("", limits=Limits(text_chars_total=5)))
    conversation.understand(part_to_frame(FACTS))
    conversation.understand(page(number=1))
    with pytest.raises(LimitExceeded):
        conversation.understand(page(number=2))
    note = part_to_frame(Note("x", "y"))
    with pytest.raises(ProtocolError):
        for _ in range(10_000):
            conversation.understand(note)


def test_a_hostile_text_is_cleaned_by_the_child_as_well() -> None:
    conversation = Conversation(ReadOptions(""))
    conversation.understand(part_to_frame(FACTS))
    part = conversation.understand(Frame("page", page().fields, b"a\x00b\x1bc\r\nd"))
    assert isinstance(part, PageRead)
    assert part.text == "abc\nd"


FIELDS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=8),
    max_leaves=12,
)


@given(
    st.sampled_from(["facts", "page", "picture", "note", "error", "end", ""]),
    st.dictionaries(
        st.sampled_from(["pages", "media_type", "number", "source", "words", "step", "issued"]),
        FIELDS,
    ),
    st.binary(max_size=50),
)
def test_any_frame_is_understood_or_refused(kind: str, fields: dict[str, object], body: bytes) -> None:
    conversation = Conversation(ReadOptions(""))
    for _ in range(2):
        try:
            conversation.understand(Frame(kind, fields, body))
        except (ProtocolError, ReadError):
            conversation.understand(part_to_frame(FACTS)) if conversation.facts is None else None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_refused(data: bytes) -> None:
    with suppress(ProtocolError, StreamEnded):
        received(data)


@given(st.frozensets(st.integers(1, 5000), max_size=500))
def test_options_arrive_as_they_were_sent(skipped: frozenset[int]) -> None:
    options = ReadOptions("image/png", ("eng",), skipped, thumbnail=False, limits=Limits(pages=7))
    assert decode_options(encode_options(options)) == options
    assert len(encode_options(ReadOptions("", skip_pages=frozenset(range(1, 5000))))) < 1000
