// Which variants do these reads have against this genome, and what is known of them? See `usage` below.
// Exit status: 0 success, 1 a file or the device failed, 2 usage.
#include "samples/genomics/report.hpp"

#include <malloc.h>

#include <fstream>
#include <iostream>

namespace {

constexpr char usage[] =
    R"(usage: 09_genomics GENOME.fa[.gz] READS.fq[.gz] OUT.vcf [OPTION VALUE]...
  --sam FILE         also write the alignments
  --pile-up FILE     also write the bases that the reads have at each position
  --annotation FILE  known variants in the format of ClinVar's VCF: significance, gene, disease
  --truth FILE       VCF of planted variants: the report has precision and recall
  --report FILE      the report: a page if the name ends in .html, else text; on the standard output in any case
  --journal FILE     records complete batches; a run with the same journal goes on after them
  --memory MIB       for reads in work, for a file of any size (64)
  --batch READS      most reads in a batch (1024)
  --align POLICY     the device of the alignments, for example prefer=opencl:cpu
  --genotypes POLICY the device of the genotypes
example: 09_genomics lambda.fa.gz reads.fq.gz calls.vcf --align priority=energy --report calls.html
)";

/// The options and their values; throws std::invalid_argument for others.
std::map<std::string, std::string> options_of(int argc, char** argv) {
  std::map<std::string, std::string> out;
  const std::string all = usage;
  for (int i = 4; i < argc; i += 2) {
    if (all.find("  " + std::string(argv[i]) + " ") == std::string::npos || argv[i][0] != '-')
      throw std::invalid_argument("there is no option " + std::string(argv[i]));
    if (i + 1 == argc) throw std::invalid_argument(std::string(argv[i]) + " needs a value");
    out[argv[i]] = argv[i + 1];
  }
  return out;
}

std::size_t number(const std::string& text, const std::string& option) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos ||
      std::stoul(text) == 0)
    throw std::invalid_argument(option + " needs a number, not " + text);
  return std::stoul(text);
}

genomics::settings settings_of(const std::map<std::string, std::string>& given) {
  genomics::settings how;
  for (const auto& [option, value] : given)
    if (option == "--annotation") how.annotation = value;
    else if (option == "--journal") how.journal = value;
    else if (option == "--memory") how.memory = number(value, option) << 20;
    else if (option == "--batch") how.batch = number(value, option);
    else if (option == "--align") how.align.policy = prism::parse_policy(value);
    else if (option == "--genotypes") how.genotypes.policy = prism::parse_policy(value);
  return how;
}

template <typename Write>
void write_file(const std::string& name, const Write& write) {
  std::ofstream out(name);
  if (out) write(out);
  if (!out.flush()) throw std::runtime_error("cannot write " + name);
}

/// In KiB. Not by getrusage, whose figure includes the process that started this one.
std::size_t most_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;)
    if (std::size_t value = 0; key == "VmHWM:" && status >> value) return value;
  return 0;
}

bool is_page(const std::string& name) {
  return name.size() > 5 && name.compare(name.size() - 5, 5, ".html") == 0;
}

void run(char** files, const std::map<std::string, std::string>& given) {
  genomics::settings how = settings_of(given);
  const genomics::genome reference = genomics::read_genome(files[0]);
  const auto file_of = [&](const char* option) {
    const auto there = given.find(option);
    return there == given.end() ? std::string() : there->second;
  };
  std::ofstream sam;
  const std::string sam_name = file_of("--sam");
  if (!sam_name.empty()) {
    sam.open(sam_name);
    how.sam = &sam;
  }
  genomics::outcome found = genomics::run(files[1], reference, how);
  if (!sam_name.empty() && !sam.flush()) throw std::runtime_error("cannot write " + sam_name);
  write_file(files[2], [&](std::ostream& out) { write_vcf(out, reference, found.variants); });
  if (const std::string name = file_of("--pile-up"); !name.empty())
    write_file(name, [&](std::ostream& out) { write_pile_up(out, reference, found.pile); });
  genomics::report report{reference, found, {}};
  if (const std::string truth = file_of("--truth"); !truth.empty())
    report.against_truth = genomics::compare(found.variants, reference, truth);
  if (const std::string name = file_of("--report"); !name.empty())
    write_file(name,
               [&](std::ostream& out) { is_page(name) ? write_html(out, report) : write_text(out, report); });
  write_text(std::cout, report);
  if (found.resumed != 0) std::cout << found.resumed << " reads were in the journal\n";
  std::cout << "most memory in use: " << most_memory() / 1024 << " MiB\n";
}

} // namespace

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX,
          1); // a batch passes through threads, and each one's own arena would keep what it frees
  try {
    if (argc < 4) throw std::invalid_argument("three files are needed");
    run(argv + 1, options_of(argc, argv));
    return 0;
  } catch (const std::invalid_argument& e) {
    std::cerr << "09_genomics: " << e.what() << '\n' << usage;
    return 2;
  } catch (const std::exception& e) {
    std::cerr << "09_genomics: " << e.what() << '\n';
    return 1;
  }
}
