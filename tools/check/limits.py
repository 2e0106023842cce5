"""A small program under limits of resources, on each backend; `./prism check --limits`.

Each row limits one resource, each column is a backend. The program must give the right result, or end with a message that says
why: a crash, a hang, a wrong result and an end without a message are findings. Every run has an empty cache folder, so that drivers
are probed and kernels are built under the limit.
"""
import contextlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import configurations

BACKENDS = {"host": "host", "PoCL": "opencl:name=Portable", "lavapipe": "vulkan:name=llvmpipe", "rusticl": "opencl:name=rusticl"}
LONGEST = 120  # seconds of one run
MIB = 1 << 20

CLOCK = r"""
// CLOCK_REALTIME runs backwards, one second a call.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long calls;
int clock_gettime(clockid_t which, struct timespec* to) {
  int status = (int)syscall(SYS_clock_gettime, which, to);
  if (which == CLOCK_REALTIME) to->tv_sec -= __atomic_add_fetch(&calls, 1, 5);
  return status;
}
time_t time(time_t* to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}
int gettimeofday(struct timeval* to, void* zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  to->tv_sec = now.tv_sec;
  to->tv_usec = now.tv_nsec / 1000;
  return 0;
}
"""


class limit:
    """How a run differs: the program's arguments, variables (None: unset), limits of the process, closed files."""

    def __init__(self, resource_name, name, arguments=(), environment=None, bounds=(), closed=(), output=None, user=None, prepare=None):
        self.resource, self.name, self.arguments = resource_name, name, list(arguments)
        self.environment, self.bounds, self.closed = environment or {}, bounds, closed
        self.output, self.user, self.prepare = output, user, prepare

    def enter(self):
        """Runs in the child, before the program."""
        for which, most in self.bounds:
            resource.setrlimit(which, (most, most))
        for number in self.closed:
            os.close(number)


def limits(folder):
    """All rows. `folder`: for files that they need."""
    rows = [limit("address space", f"{size} MiB", bounds=[(resource.RLIMIT_AS, size * MIB)]) for size in (100, 200, 400, 800, 1600, 3200)]
    rows += [limit("data", f"{size} MiB", bounds=[(resource.RLIMIT_DATA, size * MIB)]) for size in (10, 50, 200)]
    rows += [limit("stack", f"{size} KiB", bounds=[(resource.RLIMIT_STACK, size << 10)]) for size in (128, 512)]
    rows += [limit("files", f"{most}", bounds=[(resource.RLIMIT_NOFILE, most)]) for most in (4, 6, 8, 12, 16, 24, 40)]
    if os.geteuid() == 0:  # root has no limit of processes, so these rows run as another user
        rows += [limit("threads", f"{most}", bounds=[(resource.RLIMIT_NPROC, most)], user=54321) for most in (1, 2, 4, 8, 16)]
    else:
        rows += [limit("threads", f"{most}", bounds=[(resource.RLIMIT_NPROC, most)]) for most in (1,)]
    rows += [limit("locked memory", "0", bounds=[(resource.RLIMIT_MEMLOCK, 0)]),
             limit("file size", "0", bounds=[(resource.RLIMIT_FSIZE, 0)]),
             limit("file size", "1 KiB", bounds=[(resource.RLIMIT_FSIZE, 1024)])]
    missing, plain = str(folder / "missing" / "folder"), str(folder / "plain file")
    pathlib.Path(plain).write_text("not a folder\n")
    for name, place in (("unset", None), ("empty", ""), ("/proc", "/proc"), ("missing", missing), ("a file", plain)):
        rows.append(limit("HOME", name, environment={"HOME": place, "XDG_CACHE_HOME": None, "PRISM_CACHE_DIR": None}))
    for name, place in (("/proc", "/proc/x"), ("a file", plain)):
        rows.append(limit("PRISM_CACHE_DIR", name, environment={"PRISM_CACHE_DIR": place}))
    rows.append(limit("TMPDIR", "missing", environment={"TMPDIR": missing}))
    rows += [limit("locale", name, environment={"LC_ALL": name, "LANG": name}) for name in ("C", "de_DE.UTF-8", "tr_TR.UTF-8", "xx_YY.nothing")]
    clock = folder / "clock.so"
    (folder / "clock.c").write_text(CLOCK)
    if shutil.which("cc") and not subprocess.run(["cc", "-shared", "-fPIC", "-o", clock, folder / "clock.c"]).returncode:
        rows.append(limit("clock", "backwards", environment={"LD_PRELOAD": str(clock)}))
    rows += [limit("signals", how, [how]) for how in ("alarms", "blocked", "children")]
    rows += [limit("standard files", "all closed", closed=(0, 1, 2)), limit("standard files", "output full", output="/dev/full"),
             limit("standard files", "input closed", closed=(0,))]
    return rows


def run(program, what, selector, folder):
    """(status, output, seconds); status None: it hung."""
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    environment = {**os.environ, "PRISM_DEVICE_SELECTOR": selector, "PRISM_CACHE_DIR": str(cache), "RUSTICL_ENABLE": "llvmpipe",
                   "PRISM_PROBE_TIMEOUT_MS": "30000", "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "xdg")}
    environment.update({k: v for k, v in what.environment.items() if v is not None})
    for name in (k for k, v in what.environment.items() if v is None):
        environment.pop(name, None)
    begin = time.monotonic()
    extra = {"user": what.user, "group": what.user, "extra_groups": []} if what.user is not None else {}
    if what.user is not None:
        os.chmod(folder, 0o777)
    with open(what.output or os.devnull, "wb") as target:
        # Pipes, because a limit of file sizes holds for the output too.
        child = subprocess.Popen([program, *what.arguments], env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 stdout=target if what.output else subprocess.PIPE, preexec_fn=what.enter, start_new_session=True, **extra)
        hangs = False
        try:
            out, errors = child.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            hangs = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # a probe that outlives the program, too
        if hangs:
            out, errors = child.communicate()
    text = ((out or b"") + errors).decode(errors="replace")
    return None if hangs else child.returncode, text, time.monotonic() - begin


# The lines of PRISM when a driver ends the process, and before it opens one with limits that are known to be too low.
NAMED = re.compile(r"^prism: error: a driver ends this process: .*?(?: in| backend) ([A-Za-z]+)", re.M)
WARNED = re.compile(r"^prism: warn: drivers of .* are known to end a process that has so little: \w+", re.M)


def verdict(what, status, text):
    """What happened, and whether it is a finding. A driver that ends the process is none if PRISM names it or warned: it cannot do more."""
    if status is None:
        return "HANG", True
    if status < 0:
        if named := NAMED.search(text):
            return f"{named[1]} is named", False
        if WARNED.search(text):
            return "warned", False
        return f"CRASH ({signal.Signals(-status).name})", True
    if "wrong" in text.split():
        return "WRONG", True
    if status == 0:
        seen = "right" in text.split() or 1 in what.closed or what.output
        return ("right", False) if seen else ("SILENCE", True)
    if 2 in what.closed:
        return "refused", False
    if "matches no device" in text:  # with the reason of the probe, or the devices that there are
        return "no device", not ("has no devices: " in text or "Found devices:" in text)
    return ("refused", False) if text.strip() else ("SILENCE", True)


def is_present(program, selector, folder):
    status, text, _ = run(program, limit("", ""), selector, folder)
    return status == 0 and "right" in text


def show(rows, columns, table):
    widths = [max(len(r.resource) for r in rows), max(len(r.name) for r in rows), *(max(len(c), 10) for c in columns)]
    line = lambda cells: "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths)).rstrip()
    print(line(["resource", "limit", *columns]))
    for r in rows:
        print(line([r.resource, r.name, *table[r]]))


def check(root, jobs, only=None):
    """0 when no run crashed, hung, was wrong or ended in silence; 1 otherwise."""
    build = root / os.environ.get("PRISM_BUILD_DIR", "build")
    log = root / "build-check" / "limits.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("")
    print("== limits: a small program with few resources", flush=True)
    if not (build / "build.ninja").exists():
        print("check: --limits needs a build: ./prism build")
        return 1
    if not configurations.run_step("building", ["cmake", "--build", build, "-j", str(jobs), "--target", "limited_program", "prism-probe"],
                                   log, os.environ)[0]:
        print(f"check: building failed; see {os.path.relpath(log, root)}")
        return 1
    program, findings = build / "bin" / "limited_program", []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = [r for r in limits(folder) if not only or any(word in r.resource for word in only)]
        columns = [b for b, selector in BACKENDS.items() if is_present(program, selector, folder)]
        table = {r: [] for r in rows}
        for r in rows:
            for column in columns:
                status, text, seconds = run(program, r, BACKENDS[column], folder)
                word, wrong = verdict(r, status, text)
                table[r].append(word)
                with open(log, "a") as out:
                    out.write(f"== {r.resource} {r.name} on {column}: {word}, status {status}, {seconds:.1f} s\n{text}\n")
                if wrong:
                    findings.append(f"{r.resource} {r.name} on {column}: {word}")
        show(rows, columns, table)
    for text in findings:
        print(f"check: {text}")
    print(f"check: {sum(len(cells) for cells in table.values())} runs, {len(findings)} findings; the output of each is in "
          f"{os.path.relpath(log, root)}")
    return 1 if findings else 0
