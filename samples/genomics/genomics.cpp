// The pipeline.
#include "samples/genomics/genomics.hpp"

#include <chrono>

namespace genomics {

namespace {

prism::stage_options on_device(const settings& how) {
  prism::stage_options out;
  out.policy = how.policy;
  out.prefer = how.prefer;
  return out;
}

} // namespace

outcome run(const std::string& fastq, const genome& reference, const settings& how) {
  outcome out;
  if (how.sam != nullptr) write_sam_header(*how.sam, reference);
  pile counted(reference);
  auto blocks = std::make_shared<fastq_blocks>(fastq, how.batch);
  sycl::buffer<std::uint8_t> genome_bases(reference.sequence.data(),
                                          sycl::range<1>(reference.sequence.size()));
  out.report = prism::from<std::string>("FASTQ.gz",
                                        [blocks]() -> std::optional<std::string> {
    std::string block = blocks->next();
    return block.empty() ? std::nullopt : std::optional<std::string>(std::move(block));
  })
                   .stage("parse", [](std::string block) { return parse(block); })
                   .stage("align",
                          [&](sycl::queue& queue, std::vector<read> reads) {
    return align(queue, std::move(reads), genome_bases);
  }, on_device(how))
                   .stage("trace",
                          [&](std::vector<placed> all) {
    for (placed& p : all) trace(p, reference.sequence);
    return all;
  })
                   .into("call variants", [&](std::vector<placed> all) {
    for (const placed& p : all) {
      counted.add(p);
      if (how.sam != nullptr) write_sam(*how.sam, reference, p);
      ++out.reads;
      out.placed += p.score > 0;
    }
  }).run();
  out.variants = counted.variants();
  out.mean_depth = counted.mean_depth();
  return out;
}

prism::seconds align_alone(const std::string& fastq, const genome& reference, const settings& how) {
  fastq_blocks blocks(fastq, how.batch);
  std::vector<std::vector<read>> batches;
  for (std::string block = blocks.next(); !block.empty(); block = blocks.next())
    batches.push_back(parse(block));
  sycl::queue queue =
      how.prefer.empty() ? sycl::queue(prism::selector(how.policy)) : sycl::queue(prism::prefer(how.prefer));
  sycl::buffer<std::uint8_t> genome_bases(reference.sequence.data(),
                                          sycl::range<1>(reference.sequence.size()));
  const auto begin = std::chrono::steady_clock::now();
  for (auto& batch : batches) align(queue, std::move(batch), genome_bases);
  return std::chrono::steady_clock::now() - begin;
}

} // namespace genomics
