// Makes a data set with a known truth: two chromosomes with three genes each, variants of one or both copies
// in the genes, reads with errors, and a file in ClinVar's format that lists two thirds of the variants and
// as many that the reads do not have. The same arguments give the same files on every machine.
// usage: 09_genomics_data FOLDER [READS [BASES_OF_A_GENE [SEED]]]
// writes genome.fa, reads.fq, truth.vcf and clinvar.vcf. Exit status: 0 success, 1 a file failed, 2 usage.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t read_length = 100, between_genes = 300, between_variants = 150;
constexpr double error_rate = 0.005;
constexpr const char* significances[] = {
    "Pathogenic", "Likely_pathogenic", "Uncertain_significance", "Likely_benign", "Benign", "drug_response"};

/// S. Vigna's splitmix64.
class random_numbers {
public:
  explicit random_numbers(std::uint64_t seed) : m_state(seed) {}
  std::uint64_t below(std::uint64_t limit) {
    std::uint64_t z = m_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % limit;
  }
  char base() { return "ACGT"[below(4)]; }
  char other_base(char than) {
    char out = base();
    while (out == than) out = base();
    return out;
  }
  bool chance(double share) { return double(below(1000000)) < share * 1e6; }

private:
  std::uint64_t m_state;
};

struct change {
  std::size_t position; // from 0, of before[0]
  std::string before, after;
  bool both_copies;
  std::size_t gene;
};
struct chromosome {
  std::string name, bases, copies[2];
  std::vector<change> changes;
};

/// A change at the position, as VCF writes it: the leftmost of those with the same result.
change any_change(const std::string& bases, std::size_t at, std::size_t gene, random_numbers& random) {
  const bool both = random.chance(0.5);
  const std::uint64_t kind = random.below(10);
  if (kind < 6) return {at, bases.substr(at, 1), std::string(1, random.other_base(bases[at])), both, gene};
  const std::size_t length = 1 + random.below(3);
  if (kind < 8) {
    while (bases[at + length] == bases[at]) ++at;
    return {at, bases.substr(at, 1 + length), bases.substr(at, 1), both, gene};
  }
  std::string inserted;
  for (std::size_t i = 1; i < length; ++i) inserted += random.base();
  inserted += random.other_base(bases[at]);
  return {at, bases.substr(at, 1), bases[at] + inserted, both, gene};
}

chromosome any_chromosome(std::size_t number, std::size_t bases_of_a_gene, random_numbers& random) {
  chromosome out{"chr" + std::to_string(number), {}, {}, {}};
  const std::size_t size = 3 * (bases_of_a_gene + between_genes) + between_genes;
  for (std::size_t i = 0; i < size; ++i) out.bases += random.base();
  for (std::size_t gene = 0; gene < 3; ++gene) {
    const std::size_t begin = between_genes + gene * (bases_of_a_gene + between_genes);
    for (std::size_t at = begin; at + between_variants / 2 < begin + bases_of_a_gene; at += between_variants)
      out.changes.push_back(any_change(out.bases, at + random.below(between_variants / 2),
                                       3 * (number - 1) + gene + 1, random));
  }
  for (std::size_t copy = 0; copy < 2; ++copy) {
    std::size_t done = 0;
    for (const change& c : out.changes) {
      if (copy == 1 && !c.both_copies) continue;
      out.copies[copy] += out.bases.substr(done, c.position - done) + c.after;
      done = c.position + c.before.size();
    }
    out.copies[copy] += out.bases.substr(done);
  }
  return out;
}

std::string reversed(const std::string& read) {
  std::string out;
  for (auto c = read.rbegin(); c != read.rend(); ++c)
    out += *c == 'A' ? 'T' : *c == 'C' ? 'G' : *c == 'G' ? 'C' : 'A';
  return out;
}

void write_reads(std::ostream& out, const std::vector<chromosome>& all, std::size_t count,
                 random_numbers& random) {
  const std::string quality(read_length, 'I');
  for (std::size_t number = 0; number < count; ++number) {
    const std::string& from = all[random.below(all.size())].copies[random.below(2)];
    std::string read = from.substr(random.below(from.size() - read_length + 1), read_length);
    for (char& base : read)
      if (random.chance(error_rate)) base = random.other_base(base);
    out << "@read" << number << '\n'
        << (random.chance(0.5) ? read : reversed(read)) << "\n+\n"
        << quality << '\n';
  }
}

void write_truth(std::ostream& out, const std::vector<chromosome>& all) {
  out << "##fileformat=VCFv4.3\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n";
  for (const chromosome& c : all) out << "##contig=<ID=" << c.name << ",length=" << c.bases.size() << ">\n";
  out << "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tplanted\n";
  for (const chromosome& c : all)
    for (const change& v : c.changes)
      out << c.name << '\t' << v.position + 1 << "\t.\t" << v.before << '\t' << v.after
          << "\t.\tPASS\t.\tGT\t" << (v.both_copies ? "1/1" : "0/1") << '\n';
}

/// ClinVar writes chromosomes without "chr".
void write_known(std::ostream& out, const std::vector<chromosome>& all, random_numbers& random) {
  out << "##fileformat=VCFv4.1\n"
         "##INFO=<ID=CLNDN,Number=.,Type=String,Description=\"Disease\">\n"
         "##INFO=<ID=CLNSIG,Number=.,Type=String,Description=\"Significance\">\n"
         "##INFO=<ID=GENEINFO,Number=1,Type=String,Description=\"Gene and its number\">\n"
         "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
  std::size_t id = 1000;
  const auto write = [&](const chromosome& c, const change& v) {
    const std::string gene = std::to_string(v.gene);
    ++id;
    out << c.name.substr(3) << '\t' << v.position + 1 << '\t' << id << '\t' << v.before << '\t' << v.after
        << "\t.\t.\tALLELEID=" << id << ";CLNDN=Planted_disease_" << gene
        << "|not_provided;CLNSIG=" << significances[random.below(std::size(significances))]
        << ";GENEINFO=PLANT" << gene << ":90" << gene << '\n';
  };
  for (const chromosome& c : all)
    for (std::size_t i = 0; i < c.changes.size(); ++i) {
      if (i % 3 != 2) write(c, c.changes[i]);
      change none = c.changes[i]; // nearby, and not in the reads
      none.position += 20;
      none.before = c.bases.substr(none.position, 1);
      none.after = random.other_base(none.before[0]);
      write(c, none);
    }
}

template <typename Write>
void write_file(const std::string& name, const Write& write) {
  std::ofstream out(name);
  if (out) write(out);
  if (!out.flush()) throw std::runtime_error("cannot write " + name);
}

} // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, unsigned long otherwise) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
  };
  const std::size_t reads = number(2, 6000), bases_of_a_gene = number(3, 3000);
  if (argc < 2 || argc > 5 || reads == 0 || bases_of_a_gene < between_variants) {
    std::cerr << "usage: 09_genomics_data FOLDER [READS [BASES_OF_A_GENE [SEED]]]\n";
    return 2;
  }
  try {
    random_numbers random(number(4, 1));
    std::vector<chromosome> all;
    for (std::size_t c = 1; c <= 2; ++c) all.push_back(any_chromosome(c, bases_of_a_gene, random));
    const std::string folder = std::string(argv[1]) + "/";
    write_file(folder + "genome.fa", [&](std::ostream& out) {
      for (const chromosome& c : all) {
        out << '>' << c.name << '\n';
        for (std::size_t at = 0; at < c.bases.size(); at += 70) out << c.bases.substr(at, 70) << '\n';
      }
    });
    write_file(folder + "truth.vcf", [&](std::ostream& out) { write_truth(out, all); });
    write_file(folder + "clinvar.vcf", [&](std::ostream& out) { write_known(out, all, random); });
    write_file(folder + "reads.fq", [&](std::ostream& out) { write_reads(out, all, reads, random); });
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "09_genomics_data: " << e.what() << '\n';
    return 1;
  }
}
