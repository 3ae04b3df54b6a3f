"""Folders that other users can write to, and safe ones."""

import os

import pytest

from rigid_tree_kinematics import files
from rigid_tree_kinematics.files import UntrustedFolderError, check_folder

judge = check_folder.__wrapped__  # not what it found before
STRANGER = 12345  # a user and a group without a name


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "above" / "cache"
    made.mkdir(parents=True)
    (made / "file").write_text("")
    os.chmod(made, 0o755)
    os.chmod(made / "file", 0o644)
    os.chmod(made.parent, 0o755)
    return made


@pytest.fixture(params=["cache", "file", "above"])
def place(request, folder):
    return {"cache": folder, "file": folder / "file", "above": folder.parent}[request.param]


def test_folders_that_others_can_write_are_rejected(folder, place):
    for mode in (0o755, 0o775, 0o777, 0o1777):
        os.chmod(place, mode)
        is_sticky = mode & 0o1000 and place == folder.parent  # nothing in it can be renamed
        if mode in (0o755, 0o775) or is_sticky:  # the group is the user's own
            judge(folder)
        else:
            with pytest.raises(UntrustedFolderError, match=f"chmod go-w '{place}'"):
                judge(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_folders_of_other_users_are_rejected(folder, place):
    os.chown(place, 0, STRANGER)
    judge(folder)
    os.chmod(place, 0o775)
    with pytest.raises(UntrustedFolderError, match="other users can write"):
        judge(folder)
    os.chmod(place, 0o755)
    os.chown(place, STRANGER, STRANGER)
    with pytest.raises(UntrustedFolderError, match=f"'{place}' belongs to another user, number"):
        judge(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_of_the_package_is_trusted(folder, tmp_path, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    os.chown(package, STRANGER, STRANGER)
    os.chown(folder, STRANGER, STRANGER)
    os.chmod(folder, 0o775)
    monkeypatch.setattr(files, "PACKAGE", package)
    with pytest.raises(UntrustedFolderError):
        judge(folder)
    os.chmod(package, 0o775)
    judge(folder)
