"""What can go wrong with a backup. The text of each is for the person who called."""


class BackupError(Exception):
    """The backup cannot be made or restored; the message says why and what to do."""


class BackupDiffers(BackupError):
    """What was restored is not what was saved."""
