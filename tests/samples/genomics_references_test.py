"""09_genomics next to independent programs: genomics_references_test.py BUILD. samtools and bcftools read its files, `samtools mpileup` counts the same
depths, and bwa with `bcftools call` finds the same variants in the same reads. Exit status 77 where one of them is not installed."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
ENVIRONMENT = {**os.environ, "PRISM_DEVICE_SELECTOR": "host"}


class References(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name)
        subprocess.run([BUILD / "bin/09_genomics_data", cls.path, "3600", "1200", "5"], check=True)
        cls.sh("exec '%s' genome.fa reads.fq out.vcf --sam out.sam --pile-up pile.tsv --annotation clinvar.vcf" % (BUILD / "bin/09_genomics"))
        cls.sh("samtools sort out.sam -o out.bam")

    @classmethod
    def sh(cls, command):
        done = subprocess.run(["bash", "-o", "pipefail", "-ec", command], cwd=cls.path, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def test_samtools_and_bcftools_read_the_files_without_a_warning(self):
        self.sh("samtools quickcheck -v out.sam")
        self.assertEqual(self.sh("samtools view -c out.sam").strip(), "3600")
        warnings = subprocess.run(["samtools", "view", "-o", "/dev/null", "out.sam"], cwd=self.path, capture_output=True, text=True).stderr
        self.assertEqual(warnings, "")
        checked = subprocess.run(["bcftools", "view", "out.vcf"], cwd=self.path, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        ours = [line.split("\t")[:5] for line in (self.path / "out.vcf").read_text().splitlines() if line[0] != "#"]
        self.assertEqual([line.split("\t")[:5] for line in checked.stdout.splitlines() if line[0] != "#"], ours)
        normal = self.sh("bcftools norm -f genome.fa -c e out.vcf 2>/dev/null") # leftmost, and the genome has the bases
        self.assertEqual([line.split("\t")[:5] for line in normal.splitlines() if line[0] != "#"], ours)

    def test_samtools_counts_the_same_depth_at_each_position(self):
        theirs = [line.split("\t") for line in self.sh("samtools mpileup -A -B -Q 0 -d 0 out.bam 2>/dev/null").splitlines()]
        ours = [line.split("\t") for line in (self.path / "pile.tsv").read_text().splitlines() if line[0] != "#"]
        self.assertEqual([(x[0], x[1], x[3]) for x in ours], [(x[0], x[1], x[3]) for x in theirs])

    def test_bwa_and_bcftools_find_the_same_variants(self):
        self.sh("bwa index genome.fa 2>/dev/null && bwa mem genome.fa reads.fq 2>/dev/null | samtools sort -o bwa.bam && "
                "bcftools mpileup -f genome.fa bwa.bam 2>/dev/null | bcftools call -mv 2>/dev/null | bcftools norm -f genome.fa -m - 2>/dev/null > bwa.vcf")
        files = {name: {tuple(line.split("\t")[i] for i in (0, 1, 3, 4)) for line in (self.path / f"{name}.vcf").read_text().splitlines() if line[0] != "#"}
                 for name in ("out", "bwa", "truth")}
        scores = {name: (len(files[name] & files["truth"]) / len(files["truth"]), len(files[name] & files["truth"]) / len(files[name]))
                  for name in ("out", "bwa")}
        print("recall and precision: 09_genomics %.3f %.3f, bwa and bcftools %.3f %.3f" % (*scores["out"], *scores["bwa"]), file=sys.stderr)
        self.assertGreater(len(files["out"] & files["bwa"]), 0.9 * len(files["out"]))
        self.assertGreaterEqual(scores["out"][0], scores["bwa"][0] - 0.03)
        self.assertGreaterEqual(scores["out"][1], scores["bwa"][1] - 0.03)


if __name__ == "__main__":
    missing = [name for name in ("bwa", "samtools", "bcftools") if not shutil.which(name)]
    if missing:
        print(f"skipped: no {missing[0]} (./prism setup installs its package)")
        sys.exit(77)
    unittest.main(verbosity=1)
