"""Reads, genomes, alignments and variants in Python: python_genomics_test.py PACKAGE_FOLDER."""
import gzip
import html.parser
import pathlib
import random
import sys
import tempfile
import time
import unittest

FOLDER = pathlib.Path(sys.argv[1]).resolve()
del sys.argv[1:]
sys.path.insert(0, str(FOLDER))
import prism
from prism import genomics

CLOUD = FOLDER.parents[1] / "samples/fleet/cloud.yaml"
READ = "@r1 lane 1\nACGTAC\n+\nIIIIII\n"


def any_bases(count, seed):
    return "".join(random.Random(seed).choices("ACGT", k=count))


def best_score(read, genome):
    """Local alignment with affine gaps, cell by cell."""
    h, e, best = [0] * (len(read) + 1), [0] * (len(read) + 1), 0
    for base in genome:
        diagonal, f = 0, 0
        for i, letter in enumerate(read, 1):
            e[i] = max(h[i] - 3, e[i] - 1)
            f = max(h[i - 1] - 3, f - 1)
            here = max(0, diagonal + (0 if "N" in (base, letter) else 2 if base == letter else -2), e[i], f)
            diagonal, h[i] = h[i], here
            best = max(best, here)
    return best


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, data):
        path = pathlib.Path(self.folder.name, name)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def test_reads_come_from_fastq_and_fasta_plain_and_compressed(self):
        wanted = [genomics.Sequence("r1", "ACGTAC")]
        self.assertEqual(genomics.load_sequences(self.file("a.fastq", READ)), wanted)
        self.assertEqual(genomics.load_sequences(self.file("a.fastq.gz", gzip.compress(READ.encode()))), wanted)
        self.assertEqual(genomics.load_sequences(self.file("a.fa", ">r1 x\nACG\ntac\n")), wanted)
        self.assertEqual(genomics.load_reference(self.file("g.fa", ">chr1\nAC\nGT\n>chr2\nA\n")), ("chr1", "ACGT"))

    def test_wrong_files_are_named_with_their_line(self):
        for text, part in (("@r\nAC\n+\nI\n", "line 4: 2 bases, but 1"), ("@r\nAC\n", "line 3"), (READ + "ACGT\n", "line 5"), ("ACGT\n", "line 1")):
            with self.assertRaisesRegex(prism.InvalidError, part):
                genomics.load_sequences(self.file("w.fastq", text))
        with self.assertRaisesRegex(prism.InvalidError, "no sequence"):
            genomics.load_reference(self.file("empty.fa", ""))
        with self.assertRaisesRegex(prism.NotFoundError, "none.fa"):
            genomics.load_reference(pathlib.Path(self.folder.name, "none.fa"))
        with self.assertRaisesRegex(prism.InvalidError, "no text"):
            genomics.load_sequences(self.file("cut.gz", gzip.compress(any_bases(1000, 3).encode())[:40]))


class Alignments(unittest.TestCase):
    def setUp(self):
        self.genome = genomics.Sequence("g", any_bases(1200, 1))
        whole = self.genome.bases
        self.reads = [genomics.Sequence("exact", whole[200:260]), genomics.Sequence("other strand", genomics.reverse_complement(whole[900:960])),
                      genomics.Sequence("gap", whole[500:530] + whole[533:563]), genomics.Sequence("unknown", whole[10:20] + "N" + whole[21:31]),
                      genomics.Sequence("foreign", any_bases(30, 2))]

    def test_scores_and_places_are_those_of_the_recurrence_on_every_device(self):
        wanted = [max(best_score(each.bases, self.genome.bases), best_score(genomics.reverse_complement(each.bases), self.genome.bases))
                  for each in self.reads]
        self.assertEqual(wanted[:3], [120, 120, 115])
        for device in prism.devices():
            with prism.device(device):
                for strategy in ("performance", "basic"):
                    found = genomics.SequenceAligner("smith-waterman", adaptation_strategy=strategy).align(self.reads, self.genome)
                    self.assertEqual([each.score for each in found], wanted, device)
                    self.assertEqual([each.reverse for each in found[:4]], [False, True, False, False])
                    for each, start in zip(found, (200, 900, 500)):
                        self.assertTrue(each.begin <= start and start + 60 <= each.end, each)

    def test_the_other_strand_is_reversed_and_complemented(self):
        self.assertEqual(genomics.reverse_complement("AACGTN"), "NACGTT")

    def test_the_variant_follows_the_device(self):
        prism.initialize(CLOUD)
        self.addCleanup(prism.initialize)
        aligner = genomics.SequenceAligner(algorithm="smith-waterman", adaptation_strategy="performance")
        names = {path: aligner.variant(prism.find_device(path))["name"] for path in ("nvidia.h100", "aws.graviton", "aws.trainium")}
        self.assertEqual(names, {"nvidia.h100": "short pieces", "aws.graviton": "long pieces", "aws.trainium": "basic"})

    def test_a_variant_with_requirements_joins_the_database(self):
        variants = genomics.algorithm_database["smith-waterman"]["variants"]
        variants.insert(0, {"name": "cuda-optimized", "hardware_requirements": {"backend": "nvidia", "compute_capability": 9.0}, "parameters": {"pieces": 256}})
        self.addCleanup(variants.pop, 0)
        prism.initialize(CLOUD)
        self.addCleanup(prism.initialize)
        aligner = genomics.SequenceAligner()
        self.assertEqual(aligner.variant(prism.find_device("nvidia.h100"))["name"], "cuda-optimized")
        self.assertEqual(aligner.variant(prism.find_device("nvidia.a100"))["name"], "short pieces")

    def test_performance_models_choose_by_the_size_of_the_work(self):
        variants = genomics.algorithm_database["smith-waterman"]["variants"]
        added = [{"name": "quick to start", "hardware_requirements": {}, "parameters": {"pieces": 256}, "performance_model": {"seconds_per_cell": 1e-9}},
                 {"name": "fast", "hardware_requirements": {}, "parameters": {"pieces": 512}, "performance_model": {"seconds": 1e-3, "seconds_per_cell": 1e-10}},
                 {"name": "on no device", "hardware_requirements": {"backend": "tpu"}, "parameters": {"pieces": 512}, "performance_model": {}}]
        variants.extend(added)
        self.addCleanup(lambda: variants.__delitem__(slice(-len(added), None)))
        aligner = genomics.SequenceAligner()
        names = [aligner.variant(cells=cells)["name"] for cells in (1e5, 1e8)]
        self.assertEqual(names, ["quick to start", "fast"])
        self.assertNotIn(aligner.variant()["name"], ("quick to start", "fast"))
        self.assertEqual(aligner.align(self.reads, self.genome)[0].score, 120)
        added[0]["performance_model"]["flops"] = 1
        with self.assertRaisesRegex(prism.InvalidError, "'quick to start' has 'flops'; it may have \"seconds\" and"):
            aligner.align(self.reads, self.genome)

    def test_a_tuned_configuration_is_used(self):
        config = prism.AutoTuner(algorithm="sequence-alignment", search="exhaustive", repetitions=1).tune((self.reads, self.genome))
        self.assertIn(config["pieces"], (256, 1024, 2048))
        self.assertEqual(len(config.trials), 3)
        found = genomics.SequenceAligner(config=config).align(self.reads, self.genome)
        self.assertEqual(found, genomics.SequenceAligner(config={"pieces": config["pieces"]}).align(self.reads, self.genome))
        self.assertEqual(found[0].score, 120)

    def test_texts_align_within_a_function_and_nothing_gives_nothing(self):
        @prism.function
        def analyse(reads, genome):
            return [each.score for each in genomics.align(reads, genome)]
        self.assertEqual(analyse(["ACGT"], "ttacgtt"), [8])
        self.assertEqual(genomics.align([], "ACGT"), [])

    def test_wrong_uses_are_named(self):
        with self.assertRaisesRegex(LookupError, "guess.*smith-waterman"):
            genomics.align(["A"], "A", algorithm="guess")
        with self.assertRaisesRegex(ValueError, "adaptation_strategy"):
            genomics.SequenceAligner(adaptation_strategy="luck")
        with self.assertRaisesRegex(prism.InvalidError, "257 bases"):
            genomics.align(["A" * 257], "ACGT")
        with self.assertRaisesRegex(prism.InvalidError, "genome has no bases"):
            genomics.align(["A"], "")
        with self.assertRaisesRegex(prism.InvalidError, "has \"pieces\", a number of bases, not {'block': 3}; AutoTuner"):
            genomics.SequenceAligner(config={"block": 3}).align(["A"], "ACGT")
        with self.assertRaisesRegex(TypeError, "a text of bases, not 3"):
            genomics.align([3], "ACGT")
        with self.assertRaisesRegex(prism.InvalidError, "pieces of 5"):
            genomics.SequenceAligner(config={"pieces": 5}).align(["A"], "ACGT")


KNOWN = """##fileformat=VCFv4.1
#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO
1\t301\t11\t{snp}\t.\t.\tCLNDN=Planted_disease|not_provided;CLNSIG=Likely_pathogenic;GENEINFO=GENE1:5|GENE2:6
1\t301\t12\t{other}\t.\t.\tCLNSIG=Benign
1\t600\t13\t{gap}\t.\t.\tCLNDN=50%25_more;CLNSIG=Uncertain_significance;GENEINFO=GENE3:7
"""


class Variants(unittest.TestCase):
    """A genome with two planted changes: of one base in one copy, and three bases fewer in both."""

    @classmethod
    def setUpClass(cls):
        whole = any_bases(1000, 4)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        whole = whole[:599] + "CTAG" + whole[603:] # the gap has one position
        cls.genome = genomics.Sequence("chr1", whole)
        cls.base = next(c for c in "ACGT" if c != whole[300])
        cls.other = next(c for c in "ACGT" if c not in (whole[300], cls.base))
        copies = [whole[:600] + whole[603:], whole[:300] + cls.base + whole[301:600] + whole[603:]]
        rng = random.Random(8)
        cls.reads = []
        for number in range(320):
            at = rng.randrange(900)
            read = copies[number % 2][at:at + 90]
            cls.reads.append(genomics.Sequence(f"r{number}", read if rng.random() < 0.5 else genomics.reverse_complement(read)))
        cls.planted = [("chr1", 301, whole[300], cls.base, "0/1"), ("chr1", 600, whole[599:603], whole[599], "1/1")]
        known = KNOWN.format(snp=f"{whole[300]}\t{cls.base}", other=f"{whole[300]}\t{cls.other}",
                             gap=f"{whole[599:604]}\t{whole[599] + whole[603]}") # with one base more than needed
        cls.clinvar = pathlib.Path(cls.folder.name, "clinvar.vcf.gz")
        cls.clinvar.write_bytes(gzip.compress(known.encode()))

    def called(self):
        return genomics.call_variants(genomics.align(self.reads, self.genome))

    def test_planted_changes_are_called_with_their_genotypes_on_every_device(self):
        for device in prism.devices():
            with prism.device(device):
                found = self.called()
            self.assertEqual([(v.chromosome, v.position, v.before, v.after, v.genotype) for v in found], self.planted, device)
            for v in found:
                self.assertTrue(4 <= v.support <= v.depth and v.quality > 20 and v.genotype_quality > 20, v)

    def test_known_variants_are_annotated_and_others_are_not(self):
        first, second = genomics.annotate_variants(self.called(), self.clinvar)
        self.assertEqual((first.id, first.significance, first.gene, first.disease), ("11", "Likely pathogenic", "GENE1, GENE2", "Planted disease, not provided"))
        self.assertEqual((second.id, second.significance, second.gene, second.disease), ("13", "Uncertain significance", "GENE3", "50% more"))
        [other] = genomics.annotate_variants([first._replace(chromosome="chr2", id="", significance="")], self.clinvar)
        self.assertEqual((other.id, other.significance), ("", ""))

    def test_the_example_of_the_documents_runs_as_it_stands(self):
        genomics.register_annotation("clinvar", self.clinvar)

        @prism.function
        def analyze_variants(seq, ref):
            alignments = prism.genomics.align(seq, ref, algorithm="smith-waterman")
            variants = prism.genomics.call_variants(alignments)
            return prism.genomics.annotate_variants(variants, "clinvar")
        self.assertEqual([v.gene for v in analyze_variants(self.reads, self.genome)], ["GENE1, GENE2", "GENE3"])

        @prism.pipeline
        def genomic_pipeline(input_data, reference_genome):
            with prism.stage("preprocessing"):
                parsed = prism.preprocessing.parse_fastq(input_data)
            with prism.stage("alignment", dispatch="auto"):
                alignments = prism.genomics.align_sequences(parsed, reference_genome, algorithm="smith-waterman")
            with prism.stage("variant_calling"):
                variants = prism.genomics.call_variants(alignments)
            with prism.stage("reporting"):
                return prism.postprocessing.generate_report(variants)
        text = "".join(f"@{r.name}\n{r.bases}\n+\n{'I' * len(r.bases)}\n" for r in self.reads)
        self.assertIn("variants: 2\nnot listed: 2\n", genomic_pipeline(text, self.genome))
        reads, genome = (pathlib.Path(self.folder.name, each) for each in ("reads.fastq", "genome.fa"))
        reads.write_text(text), genome.write_text(f">chr1\n{self.genome.bases}\n")
        self.assertIn("variants: 2\nnot listed: 2\n", genomic_pipeline(input_data=str(reads), reference_genome=genome))

    def test_a_missing_file_and_an_address_are_named(self):
        with self.assertRaisesRegex(prism.NotFoundError, "no/such.fastq cannot be read"):
            prism.preprocessing.parse_fastq("no/such.fastq")
        for read in (prism.preprocessing.parse_fastq, genomics.load_sequences, genomics.load_reference, lambda at: genomics.align(["ACGT"], at)):
            with self.assertRaisesRegex(prism.NotFoundError, "s3://samples/1.fa is an address.*copy it here, and give its path"):
                read("s3://samples/1.fa")

    def test_a_report_groups_variants_by_significance_and_names_the_slowest_stage(self):
        @prism.pipeline
        def slow(item):
            with prism.stage("first"):
                pass
            with prism.stage("long <one>"):
                time.sleep(0.02)
            return item
        slow.run([1, 2])
        variants = genomics.annotate_variants(self.called(), self.clinvar)[::-1] + [self.called()[0]]
        page = pathlib.Path(self.folder.name, "report.html")
        text = prism.postprocessing.generate_report(variants, page, stages=slow.report)
        self.assertLess(text.index("likely pathogenic: 1"), text.index("uncertain: 1"))
        self.assertLess(text.index("uncertain: 1"), text.index("not listed: 1"))
        self.assertIn("GENE3  50% more  1/1", text)
        self.assertIn("the bottleneck is long <one>", text)
        tags, words = [], []

        class Reader(html.parser.HTMLParser):
            def handle_starttag(self, tag, attributes):
                tags.append(tag)

            def handle_data(self, data):
                words.append(data)
        Reader().feed(page.read_text())
        self.assertEqual(tags.count("h2"), 4)
        self.assertIn("GENE1, GENE2", words)
        self.assertIn("long <one>", words)
        plain = pathlib.Path(self.folder.name, "report.txt")
        self.assertEqual(prism.postprocessing.generate_report([], plain), "variants: 0\n")
        self.assertEqual(plain.read_text(), "variants: 0\n")

    def test_wrong_uses_are_named(self):
        with self.assertRaisesRegex(TypeError, "what align"):
            genomics.call_variants([])
        with self.assertRaisesRegex(prism.NotFoundError, "register_annotation"):
            genomics.annotate_variants([], "dbsnp")
        self.assertEqual(genomics.call_variants(genomics.align([], "ACGT")), [])
        for name, text, part in (("a.vcf", "ACGT\n", "no VCF file"), ("b.vcf", "##fileformat=VCFv4.1\n1\tx\n", "line 2")):
            file = pathlib.Path(self.folder.name, name)
            file.write_text(text)
            with self.assertRaisesRegex(prism.InvalidError, part):
                genomics.annotate_variants([], file)


unittest.main()
