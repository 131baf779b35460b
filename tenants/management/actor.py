"""Who acts when a command is run."""

import getpass
import socket

from tenants.audit import Actor


def command_actor() -> Actor:
    """Return the account of the system that runs the command, and the host."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):
        account = "unknown"
    return Actor(f"command:{account}", socket.gethostname())
