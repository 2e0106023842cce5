// Alignment of reads by prism.h.
#include "bindings/c/objects.hpp"

#include <prism/align.hpp>

#include <cstring>

namespace prism::c_interface {
namespace {

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
}
