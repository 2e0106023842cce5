"""Debian systems in folders: of other versions of Debian than this machine's, to try what must work there, and of other architectures, to build
programs for them. mmdebstrap makes them, chroot enters those of this machine's architecture; both need root, and the first needs a network.
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
    return all(os.path.lexists(root / "usr/share/doc" / package) for package in packages)


def make_links_relative(root):
    """Links that begin at the root of the system, such as libm.so: a linker that runs outside would follow them into its own system."""
    for folder, folders, files in os.walk(root):
        for link in (os.path.join(folder, name) for name in folders + files):
            if os.path.islink(link) and (to := os.readlink(link)).startswith("/"):
                os.unlink(link)
                os.symlink(os.path.relpath(f"{root}{to}", folder), link)


def make_library_link(root):
    """The link /lib, which base-files has, for packages of Debian 13 and later: they have their files in /usr/lib only."""
    if not os.path.lexists(root / "lib"):
        os.symlink("usr/lib", root / "lib")


def make(suite, packages, target, architecture=""):
    """Makes the system `suite` with the packages in the folder, or the archive if it ends in .tar. A folder that has them stays as it is.
    The packages for another architecture, which cannot run here, are only unpacked.

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
    kind = ["--variant=extract", f"--architectures={architecture}"] if architecture else ["--variant=apt"]
    # Without the suites of updates: mirrors change them at any time, and their lists then do not match for a while.
    source = f"deb http://deb.debian.org/debian {suite} main"
    aged = ["--aptopt=Acquire::Check-Valid-Until \"false\""]  # of a mirror that stands still; the signatures are checked
    done = subprocess.run(["mmdebstrap", *kind, "--mode=root", *aged, *include, suite, str(part), source], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(part, ignore_errors=True)
        part.unlink(missing_ok=True)
        reasons = [line for line in done.stderr.splitlines() if line.startswith("E: ")] or ["E: no reason"]
        return f"mmdebstrap could not make Debian {suite}: {reasons[0][3:]}"
    if architecture:
        make_links_relative(part)
        make_library_link(part)
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)
    return ""


def command_in(root, command, shared=()):
    """The words that run a line of sh inside of the system. The folders `shared` are there under their own paths."""
    return ["unshare", "--mount", "sh", "-ec", ENTER, str(root), command, *map(str, shared)]
