// Which variants do these reads have against this genome? Reads FASTQ.gz, writes VCF, SAM and a report; the
// stages run concurrently. usage: 09_genomics GENOME.fa[.gz] READS.fq[.gz] OUT.vcf [OUT.sam] [POLICY]
// (a policy such as "prefer=opencl:cpu") Exit status: 0 success, 1 a file or the device failed, 2 usage.
#include "samples/genomics/genomics.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
  const auto is_sam = [](const std::string& name) {
    return name.size() > 4 && name.compare(name.size() - 4, 4, ".sam") == 0;
  };
  const std::string sam_name = argc > 4 && is_sam(argv[4]) ? argv[4] : "";
  const int policy = sam_name.empty() ? 4 : 5;
  if (argc < 4 || argc > policy + 1) {
    std::cerr << "usage: 09_genomics GENOME.fa[.gz] READS.fq[.gz] OUT.vcf [OUT.sam] [POLICY]\n"
                 "example: 09_genomics lambda.fa.gz reads.fq.gz calls.vcf 'priority=energy'\n";
    return 2;
  }
  try {
    const genomics::genome reference = genomics::read_genome(argv[1]);
    genomics::settings how;
    if (argc > policy) how.policy = prism::parse_policy(argv[policy]);
    std::ofstream sam;
    if (!sam_name.empty()) {
      sam.open(sam_name);
      how.sam = &sam;
    }
    const genomics::outcome found = genomics::run(argv[2], reference, how);
    std::ofstream vcf(argv[3]);
    genomics::write_vcf(vcf, reference, found.variants);
    if (!sam_name.empty() && !sam.flush()) throw std::runtime_error("cannot write " + sam_name);
    if (!vcf.flush()) throw std::runtime_error(std::string("cannot write ") + argv[3]);
    std::printf("%s: %zu bases; %zu reads, %zu placed, mean depth %.1f\n", reference.name.c_str(),
                reference.sequence.size(), found.reads, found.placed, found.mean_depth);
    for (const genomics::variant& v : found.variants)
      std::printf("  %8zu  %s -> %s  in %zu of %zu reads\n", v.position + 1, v.before.c_str(),
                  v.after.c_str(), v.support, v.depth);
    std::printf("%zu variants in %s\n%s", found.variants.size(), argv[3], found.report.text().c_str());
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "09_genomics: " << e.what() << '\n';
    return 1;
  }
}
