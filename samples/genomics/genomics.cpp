// The pipelines.
#include "samples/genomics/genomics.hpp"

#include "samples/genomics/journal.hpp"

#include <chrono>
#include <ostream>

namespace genomics {

namespace {

// Blocks between the file and the counts at the same time: one in each of five stages, and up to three for
// each of four channels. A read of a block needs up to eight times its text: both strands, packed, with
// names, paths and records of SAM.
constexpr std::size_t blocks_in_work = 16, growth = 8;
constexpr std::size_t positions_at_once = 1 << 16, records_at_once = 4096;

prism::stage_options bounded(prism::stage_options given) {
  given.capacity = 1;
  return given;
}

std::size_t block_bytes(const settings& how) {
  return std::max<std::size_t>(how.memory / (blocks_in_work * growth), 1);
}

/// Counts the reads of a batch, and writes them where that is asked for.
std::string count(outcome& out, const genome& of, const settings& how, const std::vector<placed>& batch) {
  std::string records;
  for (const placed& p : batch) {
    if (p.found.score > 0) out.pile.add(p.sequence, p.path);
    if (how.sam != nullptr || !how.journal.empty()) records += sam_record(of, p);
    ++out.reads;
    out.placed += p.found.score > 0;
  }
  if (how.sam != nullptr) *how.sam << records;
  return records;
}

/// Takes the batches of the journal, and as many reads from the file.
void resume(outcome& out, journal& from, fastq_blocks& blocks, const genome& of, const settings& how) {
  while (const auto batch = from.next()) {
    const std::vector<read> same = parse(blocks.next(batch->size()));
    for (std::size_t i = 0; i < batch->size(); ++i)
      if (i >= same.size() || same[i].name != (*batch)[i].name)
        throw std::runtime_error(how.journal + " is a journal of other reads: read " +
                                 std::to_string(out.reads + i + 1) + " of it is " + (*batch)[i].name +
                                 "; use another file or delete it");
    count(out, of, how, *batch);
  }
  out.resumed = out.reads;
}

void call_variants(outcome& out, const genome& reference, const settings& how) {
  std::size_t at = 0;
  const prism::pipeline_report called_report =
      prism::from<std::size_t>("pile-up",
                               [&]() -> std::optional<std::size_t> {
    if (at >= reference.sequence.size()) return std::nullopt;
    return std::exchange(at, at + positions_at_once);
  })
          .stage("genotypes",
                 [&](sycl::queue& queue, std::size_t first) {
    return out.pile.variants(queue, first, positions_at_once);
  }, bounded(how.genotypes))
          .into("variants", [&](std::vector<prism::align::variant> some) {
    for (auto& v : some) out.variants.push_back({std::move(v), {}});
  }).run();
  out.stages.insert(out.stages.end(), called_report.stages.begin(), called_report.stages.end());
}

void annotate(outcome& out, const genome& reference, const settings& how) {
  const variant_index index(out.variants, reference);
  auto records = std::make_shared<vcf_records>(how.annotation);
  const prism::pipeline_report annotated =
      prism::from<std::vector<vcf_record>>("annotation",
                                           [records]() -> std::optional<std::vector<vcf_record>> {
    auto some = records->next(records_at_once);
    return some.empty() ? std::nullopt : std::optional(std::move(some));
  })
          .into("annotate",
                [&](std::vector<vcf_record> some) {
    for (const vcf_record& r : some)
      if (called* const v = index.find(r)) v->known = annotation_of(r);
  }, bounded({}))
          .run();
  out.stages.insert(out.stages.end(), annotated.stages.begin(), annotated.stages.end());
}

} // namespace

outcome run(const std::string& fastq, const genome& reference, const settings& how) {
  const auto begin = std::chrono::steady_clock::now();
  outcome out(reference);
  if (how.sam != nullptr) *how.sam << sam_header(reference);
  auto blocks = std::make_shared<fastq_blocks>(fastq);
  std::optional<journal> journalled;
  if (!how.journal.empty()) {
    journalled.emplace(how.journal, reference);
    resume(out, *journalled, *blocks, reference, how);
  }
  sycl::buffer<std::uint8_t> genome_bases(reference.sequence.data(),
                                          sycl::range<1>(reference.sequence.size()));
  out.alignment = prism::from<std::string>("FASTQ",
                                           [&how, blocks]() -> std::optional<std::string> {
    std::string block = blocks->next(how.batch, block_bytes(how));
    return block.empty() ? std::nullopt : std::optional<std::string>(std::move(block));
  })
                      .stage("parse", [](std::string block) { return parse(block); }, bounded({}))
                      .stage("align",
                             [&](sycl::queue& queue, std::vector<read> reads) {
    return align(queue, std::move(reads), genome_bases);
  }, bounded(how.align))
                      .stage("trace",
                             [&](sycl::queue& queue, std::vector<placed> all) {
    return trace(queue, std::move(all), genome_bases);
  }, bounded(how.align))
                      .into("count",
                            [&](std::vector<placed> all) {
    const std::string records = count(out, reference, how, all);
    if (journalled) journalled->add(records);
  }, bounded({}))
                      .run();
  out.stages = out.alignment.stages;
  call_variants(out, reference, how);
  if (!how.annotation.empty()) annotate(out, reference, how);
  out.wall = std::chrono::steady_clock::now() - begin;
  return out;
}

prism::seconds align_alone(const std::string& fastq, const genome& reference, const settings& how) {
  fastq_blocks blocks(fastq);
  std::vector<std::vector<read>> batches;
  for (std::string block = blocks.next(how.batch, block_bytes(how)); !block.empty();
       block = blocks.next(how.batch, block_bytes(how)))
    batches.push_back(parse(block));
  sycl::queue queue = how.align.prefer.empty() ? sycl::queue(prism::selector(how.align.policy))
                                               : sycl::queue(prism::prefer(how.align.prefer));
  sycl::buffer<std::uint8_t> genome_bases(reference.sequence.data(),
                                          sycl::range<1>(reference.sequence.size()));
  const auto begin = std::chrono::steady_clock::now();
  for (auto& batch : batches) align(queue, std::move(batch), genome_bases);
  return std::chrono::steady_clock::now() - begin;
}

void write_pile_up(std::ostream& out, const genome& of, const prism::align::pileup& pile) {
  out << "#contig\tposition\tbase\tdepth\tA\tC\tG\tT\tdeleted\tinserted\n";
  for (const contig& c : of.contigs)
    for (std::size_t i = 0; i < c.size; ++i) {
      const auto& column = pile.columns()[c.first + i];
      if (column.depth() == 0) continue;
      out << c.name << '\t' << i + 1 << '\t' << "ACGTN"[of.sequence[c.first + i]] << '\t' << column.depth();
      for (const std::uint32_t n : column.bases) out << '\t' << n;
      out << '\t' << column.deleted << '\t' << pile.insertions(c.first + i) << '\n';
    }
}

} // namespace genomics
