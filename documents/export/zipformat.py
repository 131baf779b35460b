"""The records of a ZIP file (pure), as PKWARE's APPNOTE 6.3 has them; nothing is compressed.

`zipfile` keeps a record of every file in memory, and cannot go on with an archive that was not ended.
"""

import struct

_MOST_32 = 0xFFFF_FFFF
_MOST_16 = 0xFFFF
_PLAIN, _ZIP64 = 20, 45
_MADE_BY_UNIX = 3 << 8 | _ZIP64
_UTF8 = 0x0800
#: 1 January 1980, midnight: the day of a paper stands in its name.
_TIME, _DATE = 0, 0x0021
_MODE = 0o100600 << 16


def local_header(path: str, *, size: int, crc: int) -> bytes:
    """Return what stands before the bytes of a file. Its length does not depend on `crc`."""
    name = path.encode()
    large = size >= _MOST_32
    extra = struct.pack("<HHQQ", 1, 16, size, size) if large else b""
    shown = _MOST_32 if large else size
    return (
        struct.pack(
            "<IHHHHHIIIHH",
            0x0403_4B50,
            _ZIP64 if large else _PLAIN,
            _UTF8,
            0,
            _TIME,
            _DATE,
            crc,
            shown,
            shown,
            len(name),
            len(extra),
        )
        + name
        + extra
    )


def central_header(path: str, *, size: int, crc: int, start: int) -> bytes:
    """Return the entry of a file in the directory at the end; `start` is where its local header begins."""
    name = path.encode()
    large = [size, size] if size >= _MOST_32 else []
    large += [start] if start >= _MOST_32 else []
    extra = struct.pack(f"<HH{len(large)}Q", 1, 8 * len(large), *large) if large else b""
    shown = min(size, _MOST_32)
    return (
        struct.pack(
            "<IHHHHHHIIIHHHHHII",
            0x0201_4B50,
            _MADE_BY_UNIX,
            _ZIP64 if large else _PLAIN,
            _UTF8,
            0,
            _TIME,
            _DATE,
            crc,
            shown,
            shown,
            len(name),
            len(extra),
            0,
            0,
            0,
            _MODE,
            min(start, _MOST_32),
        )
        + name
        + extra
    )


def end_records(*, count: int, start: int, stop: int) -> bytes:
    """Return what ends the file: a directory of `count` entries lies from `start` to `stop`."""
    size = stop - start
    records = b""
    if count >= _MOST_16 or size >= _MOST_32 or start >= _MOST_32:
        records = struct.pack(
            "<IQHHIIQQQQ", 0x0606_4B50, 44, _MADE_BY_UNIX, _ZIP64, 0, 0, count, count, size, start
        ) + struct.pack("<IIQI", 0x0706_4B50, 0, stop, 1)
    return records + struct.pack(
        "<IHHHHIIH",
        0x0605_4B50,
        0,
        0,
        min(count, _MOST_16),
        min(count, _MOST_16),
        min(size, _MOST_32),
        min(start, _MOST_32),
        0,
    )
