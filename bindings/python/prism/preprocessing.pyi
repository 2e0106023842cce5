from .genomics import parse_fasta as parse_fasta, parse_fastq as parse_fastq
