"""prism-tune and prism-info on one device, in a cache of their own: tune_tool_test.py BUILD."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
FLEET = pathlib.Path(__file__).resolve().parents[2] / "samples/fleet/fleet.yaml"


class Tool(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PRISM_")}
        self.environment.update(PRISM_CACHE_DIR=self.folder.name + "/cache", PRISM_DEVICE_SELECTOR="host")

    def tearDown(self):
        self.folder.cleanup()

    def run_program(self, program, *arguments, status=0, **environment):
        done = subprocess.run([str(BUILD / "bin" / program), *arguments], env={**self.environment, **environment}, capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, status, f"{program} {arguments}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def test_a_second_run_continues_from_the_first(self):
        first = self.run_program("prism-tune", "run", "gemm", "--size", "16", "--trials", "4", "--patience", "0", "--search", "random")
        self.assertIn("4 trials (max_trials)", first)
        self.assertIn("gemm 16 on", first)
        self.assertIn(": 4 of 4, best", first, "without a terminal, progress is one line for each trial")
        again = self.run_program("prism-tune", "run", "gemm", "--size", "16", "--trials", "4", "--patience", "0", "--search", "random")
        self.assertIn("4 trials (max_trials)", again)
        shown = self.run_program("prism-tune", "show", "gemm")
        self.assertIn("gemm parameters, 2^12 items", shown)
        self.assertEqual(len([line for line in shown.splitlines() if line.startswith("  ")]), 4, "the second run tried nothing new\n" + shown)

    def test_an_interrupted_run_keeps_its_trials(self):
        running = subprocess.Popen([str(BUILD / "bin/prism-tune"), "run", "gemm", "--size", "512", "--trials", "100000", "--patience", "0", "--seconds", "400"],
                                   env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        known = ""
        for _ in range(1500):
            if "gemm parameters" in known or running.poll() is not None:
                break
            time.sleep(0.2)
            known = self.run_program("prism-tune", "show")
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=300)
        self.assertEqual(running.returncode, 130, said)
        self.assertIn("(cancelled)", said)
        self.assertIn("gemm parameters", self.run_program("prism-tune", "show", "gemm"))

    def test_a_killed_run_can_be_continued(self):
        command = ["run", "gemm", "--size", "16", "--trials", "12", "--patience", "0", "--search", "random"]
        running = subprocess.Popen([str(BUILD / "bin/prism-tune"), *command], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        known = lambda: sum(1 for t in json.loads(self.run_program("prism-tune", "export"))["trials"])
        while running.poll() is None and known() < 3:
            pass
        running.kill()
        running.wait()
        left = known()
        self.assertGreaterEqual(left, 3)
        self.assertIn("12 trials (max_trials)", self.run_program("prism-tune", *command))
        self.assertEqual(known(), 12, f"{left} were known, and none was tried again")

    def test_two_processes_tune_at_once(self):
        both = [subprocess.Popen([str(BUILD / "bin/prism-tune"), "run", "gemm", "--size", "16", "--trials", "8", "--patience", "0", "--search", "random", "--seed", str(seed)],
                                 env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for seed in (1, 2)]
        for one in both:
            said, _ = one.communicate(timeout=400)
            self.assertEqual(one.returncode, 0, said)
            self.assertIn("8 trials (max_trials)", said)
        trials = json.loads(self.run_program("prism-tune", "export"))["trials"]
        self.assertGreaterEqual(len(trials), 8)
        self.assertTrue(all(t["correct"] for t in trials))

    def test_a_damaged_database_is_refused_once_and_preserved(self):
        self.run_program("prism-tune", "run", "gemm", "--size", "16", "--trials", "4", "--patience", "0")
        file = pathlib.Path(self.environment["PRISM_CACHE_DIR"]) / "tuning/tuning.db"
        whole = file.read_bytes()
        file.write_bytes(whole[:-200] + bytes(200))
        said = self.run_program("prism-tune", "show", status=2)
        self.assertIn("it is damaged", said)
        self.assertIn(f"{file}.damaged", said)
        self.assertEqual(pathlib.Path(f"{file}.damaged").read_bytes(), whole[:-200] + bytes(200))
        self.assertIn("no results are stored", self.run_program("prism-tune", "show"))

    def test_a_terminal_shows_a_progress_bar_that_disappears(self):
        terminal, side = os.openpty()
        running = subprocess.Popen([str(BUILD / "bin/prism-tune"), "run", "gemm", "--size", "16", "--trials", "6", "--patience", "0"],
                                   env=self.environment, stdout=subprocess.PIPE, stderr=side, text=True)
        os.close(side)
        drawn = b""
        try:
            while part := os.read(terminal, 4096):
                drawn += part
        except OSError:  # the program has closed the terminal
            pass
        os.close(terminal)
        self.assertIn("6 trials", running.communicate(timeout=400)[0])
        frames = drawn.decode().split("\r\x1b[K")
        self.assertEqual(len(frames), 1 + 6 + 1, frames)
        for n in range(1, 7):
            self.assertRegex(frames[n], rf"^gemm 16 on .* \[#{{{n * 4}}}\.{{{24 - n * 4}}}\] {n}/6  .*(us|ms|s)  depth")
        self.assertEqual(frames[-1], "", "the bar is removed")

    def test_an_export_is_imported_elsewhere_and_forgotten(self):
        self.run_program("prism-tune", "variants", "reduce", "--size", "1000")
        matrix = self.run_program("prism-tune", "matrix")
        self.assertRegex(matrix, r"reduce +2\^9")
        file = self.folder.name + "/results.json"
        self.run_program("prism-tune", "export", file)
        self.assertEqual(json.load(open(file))["schema"], 1)
        other = self.folder.name + "/other.db"
        self.assertRegex(self.run_program("prism-tune", "import", file, "--database", other), r"^[1-9]\d* trials")
        self.assertEqual(self.run_program("prism-tune", "matrix", "--database", other), matrix)
        self.run_program("prism-tune", "forget", "reduce", "--database", other)
        self.assertIn("no results are stored", self.run_program("prism-tune", "show", "--database", other))

    def test_wrong_use_is_refused_by_name(self):
        self.assertIn("reduze", self.run_program("prism-tune", "run", "reduze", status=2))
        self.assertIn("no such", self.run_program("prism-tune", "import", "no such", status=2))
        self.assertIn("0", self.run_program("prism-tune", "run", "gemm", "--size", "0", status=2))
        self.assertIn("-5", self.run_program("prism-tune", "run", "gemm", "--size", "-5", status=2))
        self.assertIn("give a command; the commands are run, variants", self.run_program("prism-tune", status=2))
        self.assertIn('"gem" is no command', self.run_program("prism-tune", "gem", status=2))
        self.assertIn("not in range 0.001", self.run_program("prism-tune", "run", "gemm", "--seconds", "-1", status=2))
        odd = pathlib.Path(self.folder.name) / "odd.json"
        odd.write_text('{"a": 1}')
        self.assertIn(f"{odd}: ", self.run_program("prism-tune", "import", odd, status=2))
        self.assertRegex(self.run_program("prism-tune", "--help"), "examples:")

    def test_export_has_the_measurements_of_bench(self):
        guessed = self.run_program("prism-info", "--export")
        self.assertIn("estimated", guessed)
        both = subprocess.run([str(BUILD / "bin/prism-info"), "--bench", "--export", "--json"], env=self.environment, capture_output=True, text=True, timeout=500)
        self.assertEqual(both.returncode, 0, both.stderr)
        output = both.stderr
        self.assertEqual(json.loads(both.stdout)["devices"][0]["sources"]["peak_gflops"], "measured on this device", "standard output contains only the file")
        self.assertIn("Gflop/s", output)
        self.assertRegex(output, r"gemm +")
        measured = self.run_program("prism-info", "--export", "--json")
        device = json.loads(measured)["devices"][0]
        self.assertEqual(device["sources"]["peak_gflops"], "measured on this device")
        self.assertNotIn("launch_latency_us", device.get("estimated", []))
        file = self.folder.name + "/devices.json"
        pathlib.Path(file).write_text(measured)
        job = ["--select", "priority=speed", "--workload", "flops=1e12; bytes=1e9"]
        line = lambda text: next(x for x in text.splitlines() if "=>" in x)
        self.assertEqual(line(self.run_program("prism-info", *job)), line(self.run_program("prism-info", "--fleet", file, *job)))

    def test_prism_info_shows_the_properties_of_a_described_device(self):
        wrap = f"described({FLEET}, A100 40GB)"
        output = self.run_program("prism-info", "--export", "--json", PRISM_WRAP=wrap)
        device = json.loads(output)["devices"][0]
        self.assertEqual(device["name"], "A100 40GB")
        self.assertEqual(device["peak_gflops"]["fp32"], 19500)
        self.assertEqual(device["executes_on"], "host:0")
        self.assertIn("A100 40GB", self.run_program("prism-info", PRISM_WRAP=wrap))


if __name__ == "__main__":
    unittest.main(verbosity=1)
