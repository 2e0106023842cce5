"""Writes packages again so that equal contents are equal bytes: finish.py PACKAGE... (tools/package/finish.cmake calls it).

CPack puts files into an archive in the order of the file system, with the user who packs, and states as the size of a Debian package what
the file system says of its folders. Here the members of an archive are sorted and belong to root, and the size is what Debian's
dpkg-gencontrol states: each file in whole KiB, and one KiB for each folder and link. Times are those that prepare.py has set.

CPack adds scripts that run ldconfig, which Debian leaves to a trigger (cmake/PrismPackage.cmake states it); these scripts are left out.
"""
import gzip
import io
import pathlib
import re
import sys
import tarfile

HEAD = 60  # bytes of a member's head in an ar archive


def members_of(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return [(member, archive.extractfile(member).read() if member.isfile() else b"") for member in archive]


def compressed(members):
    """The bytes of a .tar.gz with these members, in this order."""
    text = io.BytesIO()
    with tarfile.open(fileobj=text, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for member, data in members:
            member.uid = member.gid = 0
            member.uname = member.gname = "root"
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(text.getvalue(), 9, mtime=0)


def installed_size(members):
    return sum(-(-member.size // 1024) if member.isfile() else 1 for member, _ in members)


def finished_archive(data):
    return compressed(sorted(members_of(data), key=lambda each: each[0].name.split("/")))


def ar_members(data):
    """(head, bytes) of each member of an ar archive."""
    at = len(b"!<arch>\n")
    while at < len(data):
        size = int(data[at + 48:at + 58])
        yield data[at:at + HEAD], data[at + HEAD:at + HEAD + size]
        at += HEAD + size + size % 2


def control_files(members):
    """Without scripts that do what the package's trigger does."""
    has_trigger = any(member.name.split("/")[-1] == "triggers" and b"ldconfig" in text for member, text in members)
    return [(member, text) for member, text in members
            if not (has_trigger and member.name.split("/")[-1] in ("postinst", "postrm") and b"ldconfig" in text)]


def finished_package(data):
    """A Debian package: debian-binary, control.tar.gz, data.tar.*."""
    members = list(ar_members(data))
    size = next(installed_size(members_of(inside)) for head, inside in members if head.startswith(b"data.tar"))
    written = b"!<arch>\n"
    for head, inside in members:
        if head.startswith(b"control.tar.gz"):
            inside = compressed([(member, re.sub(rb"(?m)^Installed-Size: \d+$", b"Installed-Size: %d" % size, text))
                                 for member, text in control_files(members_of(inside))])
        written += head[:48] + b"%-10d" % len(inside) + head[58:] + inside + b"\n" * (len(inside) % 2)
    return written


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        data = path.read_bytes()
        path.write_bytes(finished_package(data) if path.suffix == ".deb" else finished_archive(data))


if __name__ == "__main__":
    main()
