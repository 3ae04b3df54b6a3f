"""Safe reading of files: regular files of limited size, in trusted folders."""

import errno
import functools
import os
import stat
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
LARGEST_TEXT = 32 << 20  # bytes of a description, a scene or an SRDF


def read_plain_file(path: str | Path, most: int = LARGEST_TEXT) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes.

    Other files, such as a FIFO or a device, are rejected without waiting. Raises OSError.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is not a regular file", str(path))
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"this file has more than {most} bytes", str(path))
    return content


def user_cache() -> Path:
    """Return this package's folder in XDG_CACHE_HOME, or in ~/.cache.

    Raises RuntimeError for a user without a home directory.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    base = Path(home) if home and Path(home).is_absolute() else Path("~/.cache").expanduser()
    return base / "rigid_tree_kinematics"


class UntrustedFolderError(OSError):
    """Other users can write to a folder; the message names it and the remedy."""


@functools.cache
def check_folder(folder: Path) -> None:
    """Raise UntrustedFolderError if another user can write to a resolved folder.

    The rule is OpenSSH's for keys: only users who could replace this program anyway can write
    there. The folder, the files in it and the folders above it must belong to this user, to root
    or to the owner of this package, and only they have write permission. Sticky folders above,
    such as /tmp, can be writable for others. Folders that are also above this package are not
    checked. Windows has no such permissions: nothing is checked there.
    """
    if not hasattr(os, "geteuid"):
        return
    for place in (folder, *sorted(folder.iterdir())):
        _check(place, is_above=False)
    for place in folder.parents:
        if place not in PACKAGE.parents:
            _check(place, is_above=True)


def _check(place: Path, is_above: bool) -> None:
    try:
        status = place.lstat()
    except FileNotFoundError:  # another process's temporary file
        return
    package = PACKAGE.stat()
    if status.st_uid not in (0, os.geteuid(), package.st_uid):
        raise UntrustedFolderError(
            f"'{place}' belongs to another user, {_user(status.st_uid)}: delete it, or check it "
            "and make it yours with chown"
        )
    if stat.S_ISLNK(status.st_mode) or (is_above and status.st_mode & stat.S_ISVTX):
        return
    others = stat.S_IWOTH if _is_private(status) else stat.S_IWOTH | stat.S_IWGRP
    if status.st_gid == package.st_gid:  # a shared clone, or a file system without modes
        others &= ~package.st_mode
    if status.st_mode & others:
        raise UntrustedFolderError(
            f"other users can write to '{place}': check its files, then run: chmod go-w '{place}'"
        )


def _is_private(status: os.stat_result) -> bool:
    """Return whether a file's group has no members other than its owner and root."""
    if status.st_gid == 0:
        return True
    import grp  # Windows has neither
    import pwd

    try:
        group, owner = grp.getgrgid(status.st_gid), pwd.getpwuid(status.st_uid)
    except KeyError:
        return False
    return group.gr_name == owner.pw_name and set(group.gr_mem) <= {owner.pw_name}


def _user(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"number {number}"
