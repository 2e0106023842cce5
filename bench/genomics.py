"""Reads a second from FASTQ to VCF: ./prism bench --genomics [READS]. The sample 09_genomics on each device, with reads of its own generator (100 MB
where no number is given), alongside ssw-align and bwa, which align only, where they are installed. Processor time of all threads, since other processes
disturb the wall clock. ssw-align takes a part of the reads, because it is slow.

Then scores alone, on one core: cells of the matrices a second by prism.genomics, ssw-align and parasail, with the same costs and the same sum of scores."""
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get("PRISM_BUILD_DIR", "build")).resolve()
BASES_OF_A_GENE, BYTES_OF_A_READ = 600, 215.7
READS_OF_100_MB = round(100_000_000 / BYTES_OF_A_READ)
DEVICES = (("host", "host"), ("PoCL", "opencl:name=Portable"))
# Scores alone: reads of 100 bases against a genome. Programs start and read files too, so a run of one read is subtracted.
GENOME_BASES, SCORED_READS, SCORED_ROUNDS = 200_000, 256, 5
SCORE = """import sys, prism.genomics as g
reads = [each.bases for each in g.load_sequences(sys.argv[1])]
print(sum(each.score for each in g.align(reads, g.load_reference("scored.fa"))))
"""


def processor_seconds(command, folder, **environment):
    """(seconds of processor time, output) of a command."""
    def used():
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        return now.ru_utime + now.ru_stime
    before = used()
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()[-300:]}")
    return used() - before, done.stdout


def row(what, reads, seconds, note=""):
    print(f"| {what} | {reads} | {seconds:.1f} | {reads / seconds:.0f} | {note} |", flush=True)


def first_reads(folder, count):
    with open(folder / "reads.fq") as source, open(folder / "part.fq", "w") as out:
        for _ in range(4 * count):
            out.write(source.readline())


def write_scored(folder):
    """A random genome, and reads of it with a hundredth of the bases changed: all of them, and the first alone."""
    rng = random.Random(1)
    genome = "".join(rng.choices("ACGT", k=GENOME_BASES))
    (folder / "scored.fa").write_text(f">genome\n{genome}\n")
    reads = []
    for _ in range(SCORED_READS):
        at = rng.randrange(GENOME_BASES - 100)
        reads.append("".join(rng.choice("ACGT") if rng.random() < 0.01 else base for base in genome[at:at + 100]))
    for name, count in (("all", SCORED_READS), ("one", 1)):
        (folder / f"{name}.fq").write_text("".join(f"@{i}\n{read}\n+\n{'I' * 100}\n" for i, read in enumerate(reads[:count])))
        (folder / f"{name}.fa").write_text("".join(f">{i}\n{read}\n" for i, read in enumerate(reads[:count])))


def scorers():
    """(name, strands, command with READS for the file's name, environment, how the output gives the sum of the scores) of the programs that are here."""
    python = {"PYTHONPATH": f"{BUILD / 'lib/python'}:{pathlib.Path(__file__).resolve().parents[1] / 'bindings/python'}"}
    for device, selector in DEVICES:
        yield (f"prism.genomics, {device}", 2, ["taskset", "-c", "0", sys.executable, "-c", SCORE, "READS.fq"],
               {**python, "PRISM_DEVICE_SELECTOR": selector}, int)
    if shutil.which("ssw-align"):
        yield ("ssw-align -r", 2, ["taskset", "-c", "0", "ssw-align", "-r", "-m", "2", "-x", "2", "-o", "3", "-e", "1", "scored.fa", "READS.fa"], {},
               lambda text: sum(map(int, re.findall(r"(?m)^optimal_alignment_score: (\d+)", text))))
    if shutil.which("parasail_aligner"):
        yield ("parasail, sw_striped_sat", 1, ["taskset", "-c", "0", "sh", "-c", "parasail_aligner -x -d -t 1 -a sw_striped_sat -M 2 -X 2 -o 3 -e 1 "
                                               "-f scored.fa -g parasail.csv < READS.fa && cat parasail.csv"], {},
               lambda text: sum(int(line.split(",")[4]) for line in text.splitlines() if re.fullmatch(r"[\d,]+", line)))


def compare_scores(folder):
    write_scored(folder)
    print(f"\nScores of {SCORED_READS} reads of 100 bases against {GENOME_BASES} bases, one core, best of {SCORED_ROUNDS} rounds in turns\n")
    print("| program | billion cells a second of processor time | sum of scores |\n|---|---|---|")
    best, sums = {}, {}
    for _ in range(SCORED_ROUNDS):
        for name, strands, command, environment, total in scorers():
            spent = {}
            for reads in ("all", "one"):
                spent[reads], output = processor_seconds([part.replace("READS", reads) for part in command], folder, **environment)
                if reads == "all":
                    sums[name] = total(output)
            rate = strands * (SCORED_READS - 1) * 100 * GENOME_BASES / max(spent["all"] - spent["one"], 1e-9) / 1e9
            best[name] = max(best.get(name, 0), rate)
    for name, rate in best.items():
        print(f"| {name} | {rate:.1f} | {sums[name]} |", flush=True)


def main(reads):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([BUILD / "bin/09_genomics_data", folder, str(reads), str(BASES_OF_A_GENE)], check=True)
        megabytes = (folder / "reads.fq").stat().st_size / 1e6
        print(f"{reads} reads of 100 bases, {megabytes:.0f} MB; two chromosomes of {3 * (BASES_OF_A_GENE + 300) + 300} bases\n")
        print("| program | reads | processor seconds | reads a second | |\n|---|---|---|---|---|")
        for device, selector in DEVICES:
            if subprocess.run([BUILD / "bin/prism-info"], env={**os.environ, "PRISM_DEVICE_SELECTOR": selector}, capture_output=True).returncode:
                print(f"| 09_genomics, {device} | | | | no such device |")
                continue
            seconds, output = processor_seconds([BUILD / "bin/09_genomics", "genome.fa", "reads.fq", "out.vcf", "--truth", "truth.vcf"], folder,
                                                PRISM_DEVICE_SELECTOR=selector)
            memory = re.search(r"most memory in use: (.*)", output)[1]
            accuracy = re.search(r"\(recall ([\d.]+)\).*\(precision ([\d.]+)\)", output)
            row(f"09_genomics, {device}", reads, seconds, f"whole; {memory}; recall {accuracy[1]}, precision {accuracy[2]}")
        part = max(1, reads // 20)
        first_reads(folder, part)
        if shutil.which("ssw-align"):
            row("ssw-align -r -c", part, processor_seconds(["ssw-align", "-r", "-c", "genome.fa", "part.fq"], folder)[0], "alignments with paths")
        if shutil.which("bwa"):
            processor_seconds(["bwa", "index", "genome.fa"], folder)
            row("bwa mem", reads, processor_seconds(["bwa", "mem", "-t", "1", "genome.fa", "reads.fq"], folder)[0],
                "alignments; by an index, not by all bases of the genome")
        compare_scores(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else READS_OF_100_MB)
