// Alignment of reads and calls of variants by prism.h.
#include "bindings/c/objects.hpp"

#include <prism/align/variants.hpp>

#include <cstring>
#include <sstream>

namespace prism::c_interface {
namespace {

struct variants_object : object {
  static constexpr handle_kind kind = handle_kind::variants;
  std::vector<align::variant> all;
};

/// Letters as codes 0..3, of either case; 4 for others, which match nothing.
std::vector<std::uint8_t> codes_of(const char* text) {
  std::vector<std::uint8_t> out;
  out.reserve(std::strlen(text));
  for (const char* c = text; *c != '\0'; ++c) {
    const char* const at = std::strchr("AaCcGgTt", *c);
    out.push_back(static_cast<std::uint8_t>(at == nullptr ? 4 : (at - "AaCcGgTt") / 2));
  }
  return out;
}

/// The path of one read, after checks of the figures that the caller gives.
align::path path_within(const std::vector<std::uint8_t>& read, const std::vector<std::uint8_t>& genome,
                        const prism_alignment& found, std::size_t number) {
  if (found.first > genome.size() || found.count > genome.size() - found.first)
    throw failure(PRISM_INVALID, "alignment " + std::to_string(number) + " ends at base " +
                                     std::to_string(found.first + found.count) + " of a genome of " +
                                     std::to_string(genome.size()));
  if (read.empty() || read.size() > align::longest_read)
    throw failure(PRISM_INVALID, "read " + std::to_string(number) + " has " + std::to_string(read.size()) +
                                     " bases; a read must have 1 to " + std::to_string(align::longest_read));
  const align::path out = align::path_of(read, genome.data(), {found.score, found.first, found.count});
  if (found.score > 0 && out.operations.empty())
    throw failure(PRISM_INVALID,
                  "alignment " + std::to_string(number) + " has no base in common with its read");
  return out;
}

std::string line_of(const align::variant& v) {
  std::ostringstream out;
  out << v.position + 1 << '\t' << v.before << '\t' << v.after << '\t' << v.depth << '\t' << v.support << '\t'
      << v.quality << '\t' << v.copies << '\t' << v.genotype_quality << '\n';
  return out.str();
}

} // namespace
} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_align(const prism_queue* queue, const char* const* reads, size_t count, const char* genome,
                         int32_t piece, prism_alignment* alignments, prism_error** error) {
  return guarded("prism_align", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    std::vector<std::vector<std::uint8_t>> given;
    for (std::size_t i = 0; i < count; ++i)
      given.push_back(codes_of(required(required(reads, "reads")[i], "a read")));
    std::vector<std::uint8_t> bases = codes_of(required(genome, "genome"));
    if (bases.empty()) throw failure(PRISM_INVALID, "genome has no bases");
    if (count == 0) return;
    required(alignments, "alignments");
    const auto length = static_cast<prism::align::pieces>(piece == 0 ? 1024 : piece);
    const prism::align::packed_reads packed = prism::align::pack(given);
    std::vector<std::int32_t> best(count);
    {
      const sycl::buffer<std::uint8_t> g(bases.data(), sycl::range<1>(bases.size()));
      const sycl::buffer<std::int32_t> b(best.data(), sycl::range<1>(count));
      prism::align::local(on->queue, packed, prism::view_of(g), prism::view_of(b), length);
    }
    on->queue.wait();
    on->failures->throw_first();
    for (std::size_t i = 0; i < count; ++i) {
      const prism::align::alignment found = prism::align::decoded(best[i], packed, i, bases.size(), length);
      alignments[i] = {found.score, 0, found.first, found.count};
    }
  });
}

prism_status prism_call_variants(const prism_queue* queue, const char* const* reads, size_t count,
                                 const char* genome, const prism_alignment* alignments,
                                 prism_variants** variants, prism_error** error) {
  return guarded("prism_call_variants", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    required(variants, "variants");
    const std::vector<std::uint8_t> bases = codes_of(required(genome, "genome"));
    prism::align::pileup pile(bases);
    for (std::size_t i = 0; i < count; ++i) {
      const auto read = codes_of(required(required(reads, "reads")[i], "a read"));
      pile.add(read, path_within(read, bases, required(alignments, "alignments")[i], i));
    }
    auto made = std::make_shared<variants_object>();
    made->all = pile.variants(on->queue, 0, bases.size());
    on->failures->throw_first();
    store(variants, made);
  });
}

prism_status prism_variants_text(const prism_variants* variants, char* text, size_t capacity, size_t* needed,
                                 prism_error** error) {
  return guarded("prism_variants_text", error, [&] {
    std::string all;
    for (const prism::align::variant& v : find<variants_object>(variants, "variants")->all) all += line_of(v);
    give_text(all, text, capacity, needed);
  });
}
}
