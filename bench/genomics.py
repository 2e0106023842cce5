"""Reads a second from FASTQ to VCF: ./prism bench --genomics [READS]. The sample 09_genomics on each device, with reads of its own generator (100 MB
where no number is given), alongside ssw-align and bwa, which align only, where they are installed. Processor time of all threads, since other processes
disturb the wall clock. ssw-align takes a part of the reads, because it is slow."""
import os
import pathlib
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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else READS_OF_100_MB)
