"""Debian systems in folders, to try what must work on other versions of Debian than this machine's. mmdebstrap makes them, chroot enters
them; both need root, and the first needs a network.
"""
import os
import pathlib
import shutil
import subprocess

# unshare gives each command mounts of its own, which end with it.
ENTER = """root=$0 command=$1; shift
mount -t proc proc "$root/proc"
for folder; do mkdir -p "$root$folder"; mount --rbind "$folder" "$root$folder"; done
exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -ec "$command"
"""


def missing_for_making():
    """What this machine lacks to make and enter systems; "" if nothing."""
    if os.geteuid() != 0:
        return "making a Debian system needs root"
    return "" if shutil.which("mmdebstrap") else "mmdebstrap is not installed (./prism setup --all)"


def has_packages(root, packages):
    info = root / "var/lib/dpkg/info"
    return all(next(info.glob(f"{package}.list"), None) or next(info.glob(f"{package}:*.list"), None) for package in packages)


def make(suite, packages, target):
    """Makes the system `suite` with the packages in the folder, or the archive if it ends in .tar. A folder that has them stays as it is.

    Returns "", or why there is no such system now."""
    target = pathlib.Path(target)
    if has_packages(target, packages) and target.is_dir():
        return ""
    if lacks := missing_for_making():
        return lacks
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name("part-" + target.name)
    shutil.rmtree(part, ignore_errors=True)
    part.unlink(missing_ok=True)
    include = [f"--include={','.join(packages)}"] if packages else []
    done = subprocess.run(["mmdebstrap", "--variant=apt", "--mode=root", *include, suite, str(part)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(part, ignore_errors=True)
        part.unlink(missing_ok=True)
        reasons = [line for line in done.stderr.splitlines() if line.startswith("E: ")] or ["E: no reason"]
        return f"mmdebstrap could not make Debian {suite}: {reasons[0][3:]}"
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)
    return ""


def command_in(root, command, shared=()):
    """The words that run a line of sh inside of the system. The folders `shared` are there under their own paths."""
    return ["unshare", "--mount", "sh", "-ec", ENTER, str(root), command, *map(str, shared)]
