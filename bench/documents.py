"""The figures that the five documents promise (docs/from-the-documents.md), measured on this machine: ./prism bench --documents. Processor
time where the work is this process's own, since other processes disturb the wall clock; the least of several runs."""
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bindings/python"))
import prism

ISAS = ("baseline", "v3", "v4")
ROUNDS = 5
SIZE = 1 << 20


def best(run, clock=time.process_time, seconds=0.2):
    """The least time of one call in seconds, of as many calls as fit the time, at least three."""
    run()
    out, end = float("inf"), time.perf_counter() + seconds
    count = 0
    while count < 3 or time.perf_counter() < end:
        begin = clock()
        run()
        out, count = min(out, clock() - begin), count + 1
    return out


def done(x):
    x.pointer # evaluates and waits


def simd_times():
    """{operation: seconds of processor time} on the host device with the instruction set of PRISM_HOST_ISA."""
    if not any(each.backend == "host" for each in prism.devices()):
        sys.exit("this processor does not have these instructions, so there is no host device")
    with prism.device("host"):
        x = prism.linspace(0, 1, SIZE, dtype=prism.float32)
        m = prism.reshape(prism.linspace(0, 1, 384 * 384, dtype=prism.float32), (384, 384))
        return dict(zip(OPERATIONS, (best(lambda: done(x + x)), best(lambda: done(m @ m)), best(lambda: float(prism.sum(x))), best(lambda: done(x.copy())))))


OPERATIONS = ("element-wise add", "matrix multiply", "reduction", "memory copy")


def scalar_times():
    """{operation: seconds of processor time} of loops in C without SIMD; None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "scalar")
        subprocess.run([compiler, "-O2", "-fno-tree-vectorize", "-fno-tree-loop-distribute-patterns", ROOT / "bench/documents_scalar.c", "-o", program], check=True)
        ran = subprocess.run([program], capture_output=True, text=True, check=True)
    return dict(zip(OPERATIONS, map(float, ran.stdout.split())))


def row(promise, promised, measured, why=""):
    print(f"| {promise} | {promised} | {measured} | {why} |", flush=True)


def isa_times(isa):
    """simd_times() of a process with this instruction set and PRISM's own kernels; a text for one that this processor does not have."""
    ran = subprocess.run([sys.executable, "-B", __file__, "--simd"], env={**os.environ, "PRISM_HOST_ISA": isa, "PRISM_PROVIDER": "prism"},
                         capture_output=True, text=True)
    return json.loads(ran.stdout) if ran.returncode == 0 else (ran.stderr.strip().splitlines() or ["no message"])[-1].replace("|", "/")


def simd():
    """A scalar loop and each instruction set, in turn; the median of the ratios of each turn, with the least and the largest."""
    if scalar_times() is None:
        return row("S4: instruction sets against a scalar loop", "", "not measured", "no C compiler (cc)")
    turns, missing = {isa: [] for isa in ISAS}, {}
    for _ in range(ROUNDS):
        scalar = scalar_times()
        for isa in ISAS:
            times = missing.get(isa) or isa_times(isa)
            if isinstance(times, str):
                missing[isa] = times
            else:
                turns[isa].append({name: scalar[name] / times[name] for name in OPERATIONS})
    for name, figures in zip(OPERATIONS, ("4-8, 8-16", "10-20, 20-40", "4-8, 8-16", "1.2, 1.5")):
        ratios = {isa: sorted(turn[name] for turn in each) for isa, each in turns.items() if each}
        row(f"S4: {name}, AVX2 and AVX-512 against a scalar loop", figures,
            ", ".join(f"{isa} {each[len(each) // 2]:.1f} ({each[0]:.1f} to {each[-1]:.1f})" for isa, each in ratios.items()),
            "the loop is in C without SIMD; baseline has SSE2, v3 AVX2, v4 AVX-512; own kernels, processor time" +
            (": adds and copies wait for memory" if name in ("element-wise add", "memory copy") else ""))
    for isa, why in missing.items():
        row(f"instruction set {isa}", "", "not measured", why)


def dispatch():
    work = prism.Workload("gemm", flops=1e9, bytes=1e8)
    row("S2: dispatch below 1 ms", "< 1 ms", f"{1e6 * best(lambda: prism.decide('priority=speed', work, devices=prism.devices())):.0f} µs",
        "a decision from Python; a warm one in C++ 0.31 µs (docs/selection-measured.md)")

    def scope():
        with prism.device("host"):
            pass
    row("S0: a scope of a named device", "", f"{1e6 * best(scope):.0f} µs")


def fusion():
    for device in prism.devices():
        if "llvmpipe" in device.name:
            continue # it compiles for seconds
        with prism.device(device):
            x = prism.linspace(0, 1, SIZE, dtype=prism.float32)

            def fused():
                done(((x * 2 + 1) * x) - x)

            def apart():
                y = x * 2
                done(y)
                y = y + 1
                done(y)
                y = y * x
                done(y)
                done(y - x)
            row(f"S1: a chain of four on {device.backend}, fused against apart", "less", f"{best(fused) / best(apart):.2f}")


def graph_execution():
    """100 fills of 4 KiB, recorded once and run as a graph, against submitted one by one."""
    library, call, fills = prism._c.library, prism._c.call, 100
    for device in prism.devices():
        queue = prism._c.handle(library.prism_queue_create, device._handle.value, 1) # PRISM_IN_ORDER
        memory, one = prism.Memory.empty((1024,), "float32", device=device), (ctypes.c_float * 1)(1)

        def submit():
            for _ in range(fills):
                call(library.prism_fill, queue.value, memory.pointer, one, 4, 1024, None, 0, None)

        def submitted():
            submit()
            call(library.prism_queue_wait, queue.value)

        graph = prism._c.handle(library.prism_graph_begin, queue.value)
        submit()
        call(library.prism_graph_end, graph.value)

        def executed():
            call(library.prism_graph_run, queue.value, graph.value, None, 0, None)
            call(library.prism_queue_wait, queue.value)
        row(f"S2: {fills} small commands on {device.backend} ({device.name}), graph execution against submission", "less", f"{best(executed) / best(submitted):.2f}",
            "kernels are in docs/performance.md")
    animated = [(device.backend, prism.quantum_field.Animation(96, 96, device=device).compare_submission()) for device in prism.devices()]
    row("S2: a frame of the field, graph execution against five commands", "less", ", ".join(f"{name} {each.replay / each.resubmission:.2f}" for name, each in animated),
        "time of the submitting thread")


def scaling():
    """Over described devices by the sample; over host and OpenCL at once against the faster one alone."""
    program = pathlib.Path(os.environ["PRISM_BUILD_DIR"], "bin/10_scaling")
    promise = "S2: near-linear scaling over 64 described devices"
    if program.exists():
        ran = subprocess.run([program], capture_output=True, text=True)
        found = re.search(r"^1e15 flops:.* 64 (\d+)% of (\d+)%", ran.stdout, re.M)
        row(promise, "near-linear", f"{found[1]} % of linear" if found and not ran.returncode else "failed",
            f"{found[2]} % is the limit of equal parts" if found else ran.stderr.strip().replace("|", "/"))
    else:
        row(promise, "near-linear", "not measured", "no sample 10_scaling in this build; ./prism build makes it")
    devices = [each for each in prism.devices() if each.backend in ("host", "opencl")][:2]
    if len(devices) < 2:
        return row("S2: near-linear scaling over two real devices", "near-linear", "not measured", "only one device")

    @prism.function
    def waves(x):
        for _ in range(20): # much work for each element that moves
            x = prism.sin(prism.exp(x))
        return x
    x, alone = prism.linspace(0, 1, SIZE, dtype=prism.float32, device=devices[0]), []
    for device in devices:
        with prism.device(device):
            alone.append(best(lambda: done(waves(x)), time.perf_counter))
    strategy = prism.ExecutionStrategy()
    strategy.assign("waves", [each._selector() for each in devices], distribution="data_parallel",
                    split_ratio=[alone[1] / sum(alone), alone[0] / sum(alone)]) # the faster one has more
    together = best(lambda: prism.Executor(strategy).run(waves, x), time.perf_counter)
    row("S2: near-linear scaling over two real devices, host and OpenCL", f"{min(alone) / alone[0] + min(alone) / alone[1]:.2f} of the faster one",
        f"{min(alone) / together:.2f}", "both compute on the same processor, and the parts are copied and joined")


def sizes():
    """S4's guesses by size next to times on the host, and on OpenCL with the operand copied there and the result back."""
    devices = {each.backend: each for each in prism.devices()}
    if not {"host", "opencl"} <= set(devices):
        return row("S4: cpu or gpu by size", "a table of guesses", "not measured", "no host device or no OpenCL device")
    host, other = devices["host"], devices["opencl"]
    for name, megabytes, guess in (("add", 0.5, "cpu"), ("add", 16, "cpu"), ("add", 128, "gpu"), ("matmul", 0.5, "cpu"), ("matmul", 12, "gpu")):
        n = int((megabytes * 2 ** 20 / 4) ** 0.5)
        x = prism.reshape(prism.linspace(0, 1, n * n, dtype=prism.float32, device=host), (n, n))

        def here(run=(lambda y: y + y) if name == "add" else (lambda y: y @ y), x=x):
            done(run(x))

        def there(run=(lambda y: y + y) if name == "add" else (lambda y: y @ y), x=x):
            done(run(x.to_device(other)).to_device(host))
        times = {"cpu": best(here, time.perf_counter, 0.1), "gpu": best(there, time.perf_counter, 0.1)}
        row(f"S4: {name} of {megabytes} MB, cpu or gpu", guess, f"{min(times, key=times.get)} ({1e3 * times['cpu']:.2f} against {1e3 * times['gpu']:.2f} ms)",
            "OpenCL on the same processor stands in for the GPU, with both copies")


def tuning():
    genome = "".join("ACGT"[(i * i + i // 7) % 4] for i in range(20000))
    reads = [genome[i:i + 100] for i in range(0, 19000, 1900)]
    with prism.device("host"):
        found = prism.AutoTuner("sequence-alignment", search="exhaustive").tune((reads, genome))
    row("S0: tuned against default, alignment on the host", "faster", f"{found.gain:.2f} ({found['pieces']} instead of 1024)")


def choices():
    """Each of operations and sizes on host and OpenCL, and whether the decision names the faster one or one within a fifth of it."""
    devices = [each for each in prism.devices() if each.backend in ("host", "opencl")]
    if len(devices) < 2:
        return row("S0: choices right", "", "not measured", "only one device")
    right = cases = 0
    for n in (1 << 10, 1 << 16, 1 << 20, 1 << 22):
        for name in ("add", "exp", "sum"):
            times = []
            for device in devices:
                with prism.device(device):
                    x = prism.linspace(0, 1, n, dtype=prism.float32)
                    run = {"add": lambda: done(x + x), "exp": lambda: done(prism.exp(x)), "sum": lambda: float(prism.sum(x))}[name]
                    times.append(best(run, time.perf_counter, 0.1))
            work = prism.Workload(name, flops=n * (10 if name == "exp" else 1), bytes=4 * n * (1 if name == "sum" else 2))
            chosen = prism.decide("priority=speed", work, devices=devices).device
            cases += 1
            right += times[devices.index(chosen)] <= 1.2 * min(times)
    row("S0: choices right, host or OpenCL, add, exp and sum of four sizes", "", f"{right} of {cases}", "from estimates; prism-info --bench measures the devices first")


if __name__ == "__main__":
    if sys.argv[1:] == ["--simd"]:
        print(json.dumps(simd_times()))
    else:
        print("| promise | promised | measured | why not |\n|---|---|---|---|")
        for part in (dispatch, graph_execution, simd, fusion, tuning, choices, sizes, scaling):
            part()
        row("S2: NVIDIA 100, AMD 80, NPU 30-50, mobile 5-10, Tenstorrent 1.25-1.35 times faster", "", "not measured", "no such hardware is here")
