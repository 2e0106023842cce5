"""The files of samples/05_quantum_field: the animated PNG and the page. quantum_field_test.py BUILD

On the host and PoCL. A script clicks in the page in headless Chromium."""
import html
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

BUILD = pathlib.Path(sys.argv.pop()).resolve()
FRAMES, POINTS = 12, 96
CLICKS = """
<script>
const seen = [], wait = () => new Promise(done => setTimeout(done, 3 * delay));
const record = what => seen.push({ what, caption: get("caption").textContent, button: get("play").textContent, picture: get("picture").src });
const choose = (list, value) => { get(list).value = value; get(list).dispatchEvent(new Event("change")); };
(async () => {
  record("first"); await wait(); record("plays");
  get("play").click(); record("paused"); await wait(); record("still paused");
  choose("frequency", "unity"); record("unity"); choose("frequency", "love"); record("love");
  choose("device", get("device").options[1].value); record("second device"); choose("device", get("device").options[0].value); record("first device");
  get("play").click(); await wait(); record("plays again");
  const out = document.createElement("pre");
  out.id = "seen"; out.textContent = JSON.stringify({ seen, ...Object.fromEntries(["frequency", "device"].map(list => [list, [...get(list).options].map(o => o.value)])) });
  document.body.append(out);
})();
</script>
"""


def chunks(data):
    """(type, content) of each chunk of a PNG, whose sums are checked."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + content) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0], kind
        yield kind.decode(), content
        at += 12 + size


class quantum_field(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        done = subprocess.run([str(BUILD / "bin/05_quantum_field"), "love", "1", "64"], cwd=cls.folder, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PRISM_DEVICE_SELECTOR": "host;opencl:name=Portable"})
        assert done.returncode == 0, done.stdout + done.stderr
        cls.output = done.stdout
        cls.page = (cls.folder / "quantum_field.html").read_text()
        cls.devices = list(dict.fromkeys(re.findall(r'\{device: "(.*?)", frequency', cls.page)))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_the_animated_png_holds_every_frame_in_full(self):
        parts = list(chunks((self.folder / "quantum_field_animation.png").read_bytes()))
        self.assertEqual([k for k, _ in parts][:2], ["IHDR", "acTL"])
        self.assertEqual(parts[-1][0], "IEND")
        self.assertEqual(struct.unpack(">II", dict(parts)["acTL"]), (FRAMES, 0))
        numbers = [struct.unpack(">I", c[:4])[0] for k, c in parts if k in ("fcTL", "fdAT")]
        self.assertEqual(numbers, list(range(2 * FRAMES - 1)))
        images = [zlib.decompress(c if k == "IDAT" else c[4:]) for k, c in parts if k in ("IDAT", "fdAT")]
        self.assertEqual([len(i) for i in images], [POINTS * (3 * POINTS + 1)] * FRAMES)
        self.assertEqual(len(set(images)), FRAMES, "the field moves")

    def test_every_frame_names_its_time_device_and_coherence(self):
        self.assertEqual(len(re.findall(r"frame at [\d.]+ s +[\d.]+ ms +error .* right$", self.output, re.M)), 2 * FRAMES * len(self.devices))
        self.assertRegex(self.output, r"a frame of 5 kernels costs the submitting thread [\d.]+ us as a graph, [\d.]+ us as commands")
        self.assertRegex(self.output, r"\n +64 x 64 +([\d.]+ +){4}-> ")
        self.assertRegex(self.output, r"\ntile \d+ x \d+ \((fibonacci|powers of two)\)")
        self.assertRegex(self.output, rf"\nshares of {len(self.devices)} devices: guided [\d.]+ ms, even [\d.]+ ms, powers of 1 / phi [\d.]+ ms; "
                                      r"best: (guided|even|powers of 1 / phi)\n")

    def test_the_page_plays_pauses_and_changes_frequency_and_device(self):
        browser = next(filter(None, map(shutil.which, ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"))), None)
        if not browser:
            self.skipTest("Chromium is not installed")
        if len(self.devices) < 2:
            self.skipTest("there is one device only")
        page = self.folder / "clicked.html"
        page.write_text(self.page.replace("</body>", CLICKS + "</body>"))
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom", page.as_uri()]
        dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
        found = json.loads(html.unescape(re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S)[1]))
        self.assertEqual(found["device"], self.devices)
        self.assertEqual(found["frequency"], ["love", "unity"])
        seen = {each["what"]: each for each in found["seen"]}
        for each in seen.values():
            self.assertRegex(each["caption"], r"^t = [\d.]+ s, [\d.e+-]+ ms on .+, coherence 0?\.?\d")
            self.assertTrue(each["picture"].startswith("data:image/png;base64,"))
        self.assertNotEqual(seen["first"]["picture"], seen["plays"]["picture"])
        self.assertEqual([seen[name]["button"] for name in ("plays", "paused", "plays again")], ["pause", "play", "pause"])
        self.assertEqual(seen["paused"]["picture"], seen["still paused"]["picture"])
        self.assertNotEqual(seen["unity"]["picture"], seen["paused"]["picture"])
        self.assertEqual(seen["love"]["caption"], seen["paused"]["caption"])
        for name, device in (("love", 0), ("second device", 1), ("first device", 0)):
            self.assertIn(f" ms on {self.devices[device]}, coherence", seen[name]["caption"])
        self.assertEqual(seen["second device"]["caption"].split(",")[0], seen["love"]["caption"].split(",")[0], "the same time")
        self.assertNotEqual(seen["plays again"]["caption"].split(",")[0], seen["first device"]["caption"].split(",")[0])

    def test_wrong_arguments_are_named(self):
        done = subprocess.run([str(BUILD / "bin/05_quantum_field"), "loud"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no frequency named 'loud'; there are: create ground heart love", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
