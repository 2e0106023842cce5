"""09_genomics on made data of several genes: genomics_report_test.py BUILD. Pile-up, annotation, the report with precision and
recall, bounded memory, and a run that goes on after it was killed; on the host."""
import collections
import html.parser
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
ENVIRONMENT = {**os.environ, "PRISM_DEVICE_SELECTOR": "host"}
PROGRAM = str(BUILD / "bin/09_genomics")


def records(file):
    return [line.split("\t") for line in file.read_text().splitlines() if not line.startswith("#")]


class Planted(unittest.TestCase):
    """Two chromosomes with three genes each."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name)
        subprocess.run([BUILD / "bin/09_genomics_data", cls.path, "3600", "1200"], check=True)
        cls.output = cls.run_program("out.vcf", "--sam", "out.sam", "--pile-up", "pile.tsv", "--annotation", "clinvar.vcf", "--truth", "truth.vcf",
                                     "--report", "report.html")

    @classmethod
    def run_program(cls, *arguments, reads="reads.fq", genome="genome.fa", status=0, devices="host"):
        done = subprocess.run([PROGRAM, genome, reads, *arguments], cwd=cls.path, env={**ENVIRONMENT, "PRISM_DEVICE_SELECTOR": devices}, capture_output=True,
                              text=True, timeout=300)
        if done.returncode != status:
            raise AssertionError(f"status {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_most_planted_variants_are_found_and_none_is_invented(self):
        planted = {(x[0], x[1], x[3], x[4]): x[9] for x in records(self.path / "truth.vcf")}
        called = {(x[0], x[1], x[3], x[4]): x[9][:3] for x in records(self.path / "out.vcf")}
        self.assertEqual({x[0] for x in called}, {"chr1", "chr2"})
        found = set(planted) & set(called)
        self.assertGreaterEqual(len(found) / len(planted), 0.95)
        self.assertGreaterEqual(len(found) / len(called), 0.95)
        right = sum(planted[x] == called[x] for x in found)
        self.assertGreaterEqual(right / len(found), 0.95)
        self.assertIn(f"{len(found)} of {len(planted)} found (recall {len(found) / len(planted):.3f}), {len(called) - len(found)} wrong "
                      f"(precision {len(found) / len(called):.3f}), {right} genotypes right", self.output)

    def test_variants_have_what_the_file_of_known_ones_says(self):
        known = {("chr" + x[0], x[1], x[3], x[4]): x for x in records(self.path / "clinvar.vcf")}
        listed = 0
        for x in records(self.path / "out.vcf"):
            info = dict(part.split("=") for part in x[7].split(";"))
            entry = known.get((x[0], x[1], x[3], x[4]))
            self.assertEqual(x[2], entry[2] if entry else ".")
            self.assertEqual("CLNSIG" in info, entry is not None)
            if entry:
                listed += 1
                given = dict(part.split("=") for part in entry[7].split(";"))
                self.assertEqual(info["CLNSIG"], given["CLNSIG"])
                self.assertEqual(info["GENEINFO"], given["GENEINFO"].split(":")[0])
                self.assertEqual(info["CLNDN"], given["CLNDN"].replace("|", ",_"))
        self.assertGreater(listed, 20)

    def test_the_report_is_a_page_with_coverage_genes_and_stages(self):
        text = (self.path / "report.html").read_text()
        open_tags, counts, words = [], collections.Counter(), []

        class Reader(html.parser.HTMLParser):
            def handle_starttag(self, tag, attributes):
                counts[tag] += 1
                if tag != "meta":
                    open_tags.append(tag)

            def handle_startendtag(self, tag, attributes):
                counts[tag] += 1

            def handle_endtag(self, tag):
                assert open_tags.pop() == tag, tag

            def handle_data(self, data):
                words.append(data)
        Reader().feed(text)
        self.assertEqual(open_tags, [])
        self.assertEqual((counts["svg"], counts["path"]), (2, 2))
        called = records(self.path / "out.vcf")
        self.assertEqual(counts["line"], len(called))
        headings = [w for w in words if re.fullmatch(r" ?(pathogenic|likely pathogenic|uncertain|likely benign|benign|other|not listed): \d+", w)]
        self.assertEqual(sum(int(w.split()[-1]) for w in headings), len(called))
        self.assertEqual(headings[0].split()[0], "pathogenic:")
        for gene in range(1, 7):
            self.assertIn(f"PLANT{gene}", words)
        for stage in ("FASTQ", "parse", "align", "trace", "count", "genotypes", "annotate"):
            self.assertIn(stage, words)
        rows = dict(re.findall(r"<tr><td>([\w-]+)</td><td>(.+?)</td><td>\d+</td><td>\d+\.\d+</td></tr>", text)) # with a device and seconds
        self.assertEqual(rows["FASTQ"], "a thread of the host")
        slowest, place = re.search(r"The bottleneck is <b>(align|trace)</b> on (.+?)\.</p>", text).groups()
        self.assertEqual(rows[slowest], place)
        self.assertNotEqual(place, "a thread of the host")
        self.assertRegex(self.output, r"(?m)^  align .* items  (?!a thread of the host)\w")
        self.assertRegex(self.output, r"(?m)^  genotypes .* items  (?!a thread of the host)\w")

    def test_the_report_as_text_has_the_same_parts(self):
        self.run_program("text.vcf", "--annotation", "clinvar.vcf", "--truth", "truth.vcf", "--report", "report.txt")
        text = (self.path / "report.txt").read_text()
        called = records(self.path / "out.vcf")
        coverage = re.findall(r"(?m)^  (chr[12]) +\d+ bases \|(.{60})\| up to (\d+)$", text)
        deepest = collections.Counter()
        for contig, _, _, depth, *_ in records(self.path / "pile.tsv"):
            deepest[contig] = max(deepest[contig], int(depth))
        self.assertEqual([name for name, _, _ in coverage], ["chr1", "chr2"])
        for name, plot, most in coverage:
            self.assertGreater(len(set(plot)), 3, "a plot of the depth")
            self.assertLessEqual(int(most), deepest[name])
            self.assertGreater(2 * int(most), deepest[name])
        self.assertIn(f"Variants: {len(called)}\n", text)
        groups = re.findall(r"(?m)^(pathogenic|likely pathogenic|uncertain|likely benign|benign|other|not listed): (\d+)$", text)
        self.assertEqual(sum(int(count) for _, count in groups), len(called))
        self.assertEqual(len(re.findall(r"(?m)^  chr[12]:\d+ [ACGT]+ > [ACGT]+ +[01]/1  \d+ of \d+ reads, quality \d+", text)), len(called))
        self.assertRegex(text, r"(?m)^Against the truth: \d+ of \d+ found \(recall [01]\.\d+\), \d+ wrong \(precision [01]\.\d+\)")
        stages = {name: (float(seconds), place) for name, seconds, place in re.findall(r"(?m)^  ([\w-]+) +([\d.]+) s +\d+ items  (.+)$", text)}
        for stage in ("FASTQ", "parse", "align", "trace", "count", "genotypes", "annotate"):
            self.assertIn(stage, stages)
        slowest, place = re.search(r'; the bottleneck is "([\w-]+)" on (.+)', text).groups()
        self.assertEqual(stages[slowest][1], place)
        self.assertIn(slowest, ("align", "trace"))
        self.assertGreater(stages["align"][0], 0)

    def test_each_stage_runs_on_the_device_of_its_policy(self):
        devices = "host;opencl:name=Portable"
        shown = subprocess.run([str(BUILD / "bin/prism-info"), "--json"], env={**ENVIRONMENT, "PRISM_DEVICE_SELECTOR": devices}, capture_output=True, text=True).stdout
        names = {backend["name"]: backend["devices"][0]["name"] for backend in json.loads(shown)["backends"] if backend["devices"]}
        if "opencl" not in names:
            self.skipTest("there is no PoCL")
        self.assertNotEqual(names["host"], names["opencl"])
        for align, genotypes in (("opencl", "host"), ("host", "opencl")):
            output = self.run_program("policies.vcf", "--annotation", "clinvar.vcf", "--align", f"prefer={align}", "--genotypes", f"prefer={genotypes}", devices=devices)
            stages = dict(re.findall(r"(?m)^  ([\w-]+) +[\d.]+ s +\d+ items  (.+)$", output))
            self.assertEqual((stages["align"], stages["trace"], stages["genotypes"]), (names[align], names[align], names[genotypes]))
            self.assertEqual((self.path / "policies.vcf").read_bytes(), (self.path / "out.vcf").read_bytes())

    def test_names_from_a_file_are_no_tags_of_the_page(self):
        (self.path / "tags.vcf").write_text((self.path / "clinvar.vcf").read_text().replace("Planted_disease_", "<i>&_disease_"))
        self.run_program("tags-out.vcf", "--annotation", "tags.vcf", "--report", "tags.html")
        text = (self.path / "tags.html").read_text()
        self.assertIn("&lt;i&gt;&amp; disease", text)
        self.assertNotIn("<i>", text)

    def test_the_pile_up_counts_the_bases_of_the_alignments(self):
        counts = collections.defaultdict(collections.Counter)
        for line in (self.path / "out.sam").read_text().splitlines():
            x = line.split("\t")
            if line.startswith("@") or int(x[1]) & 4:
                continue
            position, at = int(x[3]), 0
            for count, operation in re.findall(r"(\d+)([MIDS])", x[5]):
                for i in range(int(count) if operation in "MD" else 0):
                    counts[x[2], position + i]["deleted" if operation == "D" else x[9][at + i]] += 1
                at += int(count) if operation != "D" else 0
                position += int(count) if operation in "MD" else 0
        lines = records(self.path / "pile.tsv")
        self.assertEqual(len(lines), len(counts))
        for contig, position, base, depth, *bases, deleted, inserted in lines:
            here = counts[contig, int(position)]
            self.assertEqual([int(n) for n in bases] + [int(deleted)], [here[k] for k in ("A", "C", "G", "T", "deleted")], (contig, position))
            self.assertEqual(int(depth), sum(here.values()))

    def test_reads_that_are_too_long_or_empty_are_not_placed_and_stay_in_the_file(self):
        genome = "".join(line for line in (self.path / "genome.fa").read_text().splitlines() if line[0] != ">")
        text = "".join(f"@{name}\n{bases}\n+\n{'I' * len(bases)}\n" for name, bases in
                       (("fits", genome[500:756]), ("long", genome[500:757]), ("none", "")))
        (self.path / "odd.fq").write_text(text)
        self.assertIn("3 reads, 1 placed", self.run_program("odd.vcf", "--sam", "odd.sam", reads="odd.fq"))
        lines = [line.split("\t") for line in (self.path / "odd.sam").read_text().splitlines() if line[0] != "@"]
        self.assertEqual([(x[0], int(x[1]) & 4, x[3], len(x[9])) for x in lines], [("fits", 0, "501", 256), ("long", 4, "0", 257), ("none", 4, "0", 1)])

    def test_a_killed_run_goes_on_after_its_last_batch_and_ends_with_the_same_files(self):
        reads = (self.path / "reads.fq").read_bytes()
        os.mkfifo(self.path / "part.fq")
        journal = self.path / "journal"
        arguments = ["killed.vcf", "--journal", "journal", "--batch", "100"]
        process = subprocess.Popen([PROGRAM, "genome.fa", "part.fq", *arguments], cwd=self.path, env=ENVIRONMENT)
        killed = threading.Event()

        def feed(): # the first half only; the process waits for more until it is killed
            with open(self.path / "part.fq", "wb") as out:
                try:
                    out.write(reads[:len(reads) // 2])
                    out.flush()
                except BrokenPipeError:
                    pass
                killed.wait()
        feeder = threading.Thread(target=feed)
        feeder.start()
        end = time.monotonic() + 120
        while (not journal.exists() or journal.read_bytes().count(b"@end ") < 3) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        self.assertEqual(process.wait(), -signal.SIGKILL)
        killed.set()
        feeder.join()
        whole = journal.read_bytes()
        done = whole.count(b"@end ")
        self.assertGreaterEqual(done, 3)
        journal.write_bytes(whole + b"read7\t0\tchr1\t12") # as if it was killed while it wrote
        self.assertFalse((self.path / "killed.vcf").exists())
        output = self.run_program("resumed.vcf", "--journal", "journal", "--sam", "resumed.sam", "--batch", "100", "--annotation", "clinvar.vcf")
        resumed = int(re.search(r"(\d+) reads were in the journal", output)[1])
        self.assertEqual(resumed, 100 * done)
        for name in ("vcf", "sam"):
            self.assertEqual((self.path / f"resumed.{name}").read_bytes(), (self.path / f"out.{name}").read_bytes())
        again = self.run_program("again.vcf", "--journal", "journal", "--annotation", "clinvar.vcf") # nothing is left to do
        self.assertIn("3600 reads were in the journal", again)
        self.assertEqual((self.path / "again.vcf").read_bytes(), (self.path / "out.vcf").read_bytes())

    def test_a_journal_of_another_run_is_refused(self):
        self.run_program("j.vcf", "--journal", "j")
        (self.path / "other.fq").write_text((self.path / "reads.fq").read_text().replace("@read7\n", "@other\n"))
        self.assertIn("journal of other reads: read 8 of it is read7", self.run_program("j.vcf", "--journal", "j", reads="other.fq", status=1))
        (self.path / "other.fa").write_text(">chr1\nACGTACGT\n")
        self.assertIn("no journal of a run with this genome", self.run_program("j.vcf", "--journal", "j", genome="other.fa", status=1))

    def test_memory_does_not_grow_with_the_file(self):
        """A file eight times the budget; a small genome, so that it takes few seconds."""
        rng = random.Random(3)
        genome = "".join(rng.choices("ACGT", k=400))
        (self.path / "tiny.fa").write_text(f">tiny\n{genome}\n")
        with open(self.path / "large.fq", "w") as out:
            for number in range(42000):
                at = rng.randrange(300)
                out.write(f"@{number}\n{genome[at:at + 100]}\n+\n{'I' * 100}\n")
        (self.path / "few.fq").write_text("".join((self.path / "large.fq").read_text().splitlines(keepends=True)[:400]))
        budget = 1
        used = {}
        for name in ("few", "large"):
            output = self.run_program("m.vcf", "--memory", str(budget), "--sam", "m.sam", reads=f"{name}.fq", genome="tiny.fa")
            used[name] = int(re.search(r"most memory in use: (\d+) MiB", output)[1])
        self.assertGreater((self.path / "large.fq").stat().st_size, 8 * (budget << 20))
        print(f"most memory in use: {used['few']} MiB with 100 reads, {used['large']} MiB with 42,000 ({budget} MiB for reads in work)", file=sys.stderr)
        self.assertLessEqual(used["large"], used["few"] + budget + 1)

    def test_wrong_arguments_and_files_are_named(self):
        self.assertIn("there is no option --pileup", self.run_program("x.vcf", "--pileup", "x", status=2))
        self.assertIn("--sam needs a value", self.run_program("x.vcf", "--sam", status=2))
        self.assertIn("--memory needs a number, not 0", self.run_program("x.vcf", "--memory", "0", status=2))
        self.assertIn("genome.fa is not a VCF file", self.run_program("x.vcf", "--annotation", "genome.fa", status=1))
        self.assertIn("cannot write none/x.vcf", self.run_program("none/x.vcf", status=1))


if __name__ == "__main__":
    unittest.main(verbosity=1)
