"""The packages of a build, and those of a second build of the same sources in another folder, have the same bytes. For `./prism check --all
same-bytes`: the second build takes as long as the first.

usage: same_bytes_test.py ROOT BUILD
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "tools/package"))
import finish

ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "CCACHE_DISABLE": "1"}  # a cache would return the first build's objects


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        raise AssertionError(f"{command} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def copy_of_sources(folder):
    names = run("git", "-C", ROOT, "ls-files", "-z").split("\0")
    for name in filter(None, names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return folder


def options():
    """The options of BUILD that choose what is built."""
    text = (BUILD / "CMakeCache.txt").read_text()
    return [f"-D{line}" for line in re.findall(r"^PRISM_(?:KERNELS|TESTS|BENCH|COMPILER|INFO|BACKEND_\w+):BOOL=\w+$", text, re.M)]


def packed(build, folder):
    for generator in ("DEB", "TGZ"):
        run("cpack", "--config", build / "CPackConfig.cmake", "-G", generator, "-B", folder)
    return {path.name: path for path in folder.iterdir() if path.is_file()}


def files_of(path):
    """What is in a package or an archive: name -> bytes."""
    data = path.read_bytes()
    parts = {head[:16].decode().strip(): inside for head, inside in finish.ar_members(data)} if path.suffix == ".deb" else {"": data}
    return {f"{part} {member.name}": text for part, inside in parts.items() if ".tar" in part or not part for member, text in finish.members_of(inside)}


class SameBytes(unittest.TestCase):
    def test_of_a_build_in_another_folder(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            source = copy_of_sources(folder / "copy of the sources")
            build = source / "deeper/build"
            run("cmake", "--preset", "package", "-S", source, "-B", build, *options())
            run("cmake", "--build", build, "--target", "prism_installed")
            first, second = packed(BUILD, folder / "first"), packed(build, folder / "second")
            self.assertEqual(sorted(first), sorted(second))
            self.assertGreater(len(first), 4)
            for each, path in sorted(first.items()):
                if path.read_bytes() != second[each].read_bytes():
                    one, two = files_of(path), files_of(second[each])
                    other = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
                    keep = BUILD / "other-bytes"
                    shutil.rmtree(keep, ignore_errors=True)
                    shutil.copytree(folder / "second", keep / "second")
                    shutil.copytree(folder / "first", keep / "first")
                    self.fail(f"{each} differs in {', '.join(other) or 'its form only'}; both are in {keep}")


if __name__ == "__main__":
    unittest.main()
