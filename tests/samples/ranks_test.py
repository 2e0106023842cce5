"""The sample with MPI on 2 and 4 ranks: ranks_test.py MPIRUN PROGRAM SELECTOR..."""
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

MPIRUN, PROGRAM, *SELECTORS = sys.argv[1:]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
COMMAND = [MPIRUN, "--bind-to", "none", "--oversubscribe"]


def ranks_with(selector, count):
    return ["-n", str(count), "-x", f"PRISM_DEVICE_SELECTOR={selector}", PROGRAM, "64", "40"]


def children_of(pid):
    tasks = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(each) for each in tasks]


def processor_seconds(pid):
    user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Ranks(unittest.TestCase):
    def run_ranks(self, *arguments):
        return subprocess.run([*COMMAND, *arguments], env=ENVIRONMENT, capture_output=True, text=True, timeout=120)

    def equals_one_device(self, arguments, ranks):
        done = self.run_ranks(*arguments)
        self.assertEqual((done.returncode, done.stdout), (0, f"{ranks} ranks, 40 steps: equals the result of one device to the bit\n"),
                         done.stderr)

    def test_two_and_four_ranks_have_the_result_of_one_device_to_the_bit(self):
        for selector in SELECTORS:
            with self.subTest(device=selector):
                self.equals_one_device(ranks_with(selector, 4), 4)
        self.equals_one_device(ranks_with("host", 2), 2)

    def test_ranks_on_different_devices_have_the_same_result(self):
        if len(SELECTORS) < 2:
            self.skipTest("there is one device")
        parts = []
        for selector in SELECTORS:
            parts += [":", *ranks_with(selector, 1)] if parts else ranks_with(selector, 1)
        self.equals_one_device(parts, len(SELECTORS))

    def test_an_error_on_all_ranks_ends_them_with_its_message(self):
        done = self.run_ranks("-n", "2", PROGRAM, "1", "40")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("each rank needs a row", done.stderr)

    def test_a_killed_rank_ends_the_others_with_an_error(self):
        program = subprocess.Popen([*COMMAND, "-n", "2", "-x", "PRISM_DEVICE_SELECTOR=host", PROGRAM, "64", "100000000"],
                                   env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            ranks, limit = [], time.monotonic() + 60
            # The start of a rank takes a quarter of this processor time: both are in their steps.
            while len(ranks) < 2 or min(map(processor_seconds, ranks)) < 0.5:
                self.assertLess(time.monotonic(), limit, "the ranks do not compute")
                time.sleep(0.01)
                ranks = children_of(program.pid)
            os.kill(ranks[-1], signal.SIGKILL)
            text, _ = program.communicate(timeout=60)
        finally:
            program.kill()
        self.assertNotEqual(program.returncode, 0)
        self.assertIn("signal 9", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
