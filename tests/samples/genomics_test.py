"""09_genomics on made reads with planted variants: genomics_test.py BUILD [SELECTOR]. The pipeline finds exactly what was
planted, on the selected device, and prints the work of each stage. Exit status 77 when no device matches."""
import gzip
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

SELECTOR = sys.argv.pop() if len(sys.argv) > 2 else "host"
BUILD = pathlib.Path(sys.argv.pop()).resolve()
ENVIRONMENT = {**os.environ, "PRISM_DEVICE_SELECTOR": SELECTOR}
LENGTH, READ, DEPTH = 900, 100, 24
OTHER = {"A": "CGT", "C": "AGT", "G": "ACT", "T": "ACG"}


def sample(seed):
    """(genome, changed genome, [(position from 1, before, after)]) with gaps at unambiguous positions."""
    rng = random.Random(seed)
    genome = "".join(rng.choice("ACGT") for _ in range(LENGTH))
    changed, planted = list(genome), []
    for at in range(120, LENGTH - 120, 75):
        kind = rng.choice(["substitution", "substitution", "deletion", "insertion"])
        if kind == "substitution":
            changed[at] = rng.choice(OTHER[genome[at]])
            planted.append((at + 1, genome[at], changed[at]))
            continue
        while kind == "deletion" and (genome[at + 2] == genome[at] or genome[at + 1] == genome[at + 3]):
            at += 1
        if kind == "deletion":
            changed[at + 1] = changed[at + 2] = ""
            planted.append((at + 1, genome[at:at + 3], genome[at]))
        else:
            new = rng.choice([c for c in "ACGT" if c not in (genome[at], genome[at + 1])])
            changed[at] += new + new
            planted.append((at + 1, genome[at], genome[at] + new + new))
    return genome, "".join(changed), planted


def reads(text, seed):
    rng = random.Random(seed)
    complement = str.maketrans("ACGT", "TGCA")
    for number in range(len(text) * DEPTH // READ):
        at = rng.randrange(len(text) - READ)
        bases = [rng.choice(OTHER[c]) if rng.random() < 0.005 else c for c in text[at:at + READ]]
        sequence = "".join(bases)
        yield f"r{number}", sequence if rng.random() < 0.5 else sequence.translate(complement)[::-1]


class Genomics(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def call(self, genome_text, fastq, *options, status=0):
        (self.path / "genome.fa").write_text(genome_text)
        with gzip.open(self.path / "reads.fq.gz", "wt") as out:
            out.write(fastq)
        done = subprocess.run([str(BUILD / "bin/09_genomics"), "genome.fa", "reads.fq.gz", "out.vcf", *options], cwd=self.path, env=ENVIRONMENT,
                              capture_output=True, text=True, timeout=800)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_finds_exactly_the_planted_variants(self):
        genome, changed, planted = sample(5)
        fastq = "".join(f"@{name}\n{sequence}\n+\n{'I' * len(sequence)}\n" for name, sequence in reads(changed, 6))
        output = self.call(f">small\n{genome[:700]}\n{genome[700:]}\n", fastq)
        lines = [line.split("\t") for line in (self.path / "out.vcf").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual([(int(x[1]), x[3], x[4]) for x in lines], planted)
        self.assertTrue((self.path / "out.vcf").read_text().startswith("##fileformat=VCFv4.3\n"))
        self.assertTrue(all(x[9].startswith("1/1:") for x in lines if len(x[3]) == len(x[4])), lines)
        self.assertTrue(all(x[6] == "PASS" and float(x[5]) > 20 for x in lines))
        for stage in ("FASTQ", "parse", "align", "trace", "count", "genotypes"):
            self.assertIn(stage, output)
        for position, before, after in planted:
            self.assertRegex(output, rf"small:{position} {before} > {after} ")

    def test_a_change_of_one_copy_is_heterozygous(self):
        genome, changed, planted = sample(7)
        both = list(reads(changed, 8)) + [(f"other{name}", sequence) for name, sequence in reads(genome, 9)]
        self.call(f">small\n{genome}\n", "".join(f"@{name}\n{sequence}\n+\n{'I' * len(sequence)}\n" for name, sequence in both))
        lines = [line.split("\t") for line in (self.path / "out.vcf").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual([(int(x[1]), x[3], x[4]) for x in lines], planted)
        for x in lines:
            genotype, quality, likelihoods = x[9].split(":")
            costs = [int(y) for y in likelihoods.split(",")]
            self.assertEqual((genotype, costs[1], int(quality)), ("0/1", 0, min(99, costs[0], costs[2])))

    def test_alignments_of_the_sam_file_have_the_scores_they_state(self):
        genome, changed, _ = sample(11)
        given = dict(reads(changed, 12))
        fastq = "".join(f"@{name}\n{sequence}\n+\n{'I' * len(sequence)}\n" for name, sequence in given.items())
        self.call(f">small\n{genome}\n", fastq, "--sam", "out.sam")
        complement = str.maketrans("ACGT", "TGCA")
        lines = (self.path / "out.sam").read_text().splitlines()
        self.assertEqual(lines[1], f"@SQ\tSN:small\tLN:{len(genome)}")
        records = [line.split("\t") for line in lines if not line.startswith("@")]
        self.assertEqual(sorted(x[0] for x in records), sorted(given))
        for x in records:
            flags, position, sequence = int(x[1]), int(x[3]) - 1, x[9]
            self.assertEqual(sequence, given[x[0]].translate(complement)[::-1] if flags & 16 else given[x[0]])
            if flags & 4:
                continue
            score = at = 0
            for count, operation in re.findall(r"(\d+)([MIDS])", x[5]):
                count = int(count)
                if operation == "M":
                    score += sum(2 if a == b else -2 for a, b in zip(sequence[at:at + count], genome[position:position + count]))
                elif operation != "S":
                    score -= 3 + count - 1
                at += count if operation != "D" else 0
                position += count if operation in "MD" else 0
            self.assertEqual((at, f"AS:i:{score}"), (len(sequence), x[11]), x)
        self.assertLess(sum(int(x[1]) & 4 for x in records), len(records) // 4)

    def test_errors_name_stage_and_item(self):
        output = self.call(">small\nACGTACGTACGTTTGACA\n", "@r\nACGT\n+\nIIII\nthis is\nno record\nat\nall\n", status=1)
        self.assertIn('stage "parse"', output)
        self.assertIn("this is not a FASTQ record", output)
        self.assertIn("no device fits", self.call(">small\nACGT\n", "@r\nACGT\n+\nIIII\n", "--align", "require=time_travel", status=1))
        self.assertIn("no device fits", self.call(">small\nACGT\n", "@r\nACGT\n+\nIIII\n", "--genotypes", "require=time_travel", status=1))


if __name__ == "__main__":
    if subprocess.run([str(BUILD / "bin/prism-info")], env=ENVIRONMENT, capture_output=True).returncode == 1:
        print(f"no device matches {SELECTOR}: its driver is not installed")
        sys.exit(77)
    unittest.main(verbosity=1)
