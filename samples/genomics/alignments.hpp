// Where the reads lie on the genome: aligned on a device, written as SAM 1.6 and read again.
#pragma once

#include "samples/genomics/reads.hpp"

#include <prism/align/path.hpp>
#include <sycl/sycl.hpp>

#include <iosfwd>

namespace genomics {

/// A read in the genome's direction.
struct placed {
  std::string name;
  bases sequence; // reversed and complemented if it comes from the other strand
  bool reverse = false;
  prism::align::alignment found; // score 0: not placed
  prism::align::path path;       // after trace()
};

/// Aligns both strands of each read on the queue's device; returns the better one. Reads of more than
/// prism::align::longest_read bases, or none, are not placed.
std::vector<placed> align(sycl::queue& queue, std::vector<read> reads, sycl::buffer<std::uint8_t>& reference);
/// Finds the paths of the alignments on the queue's device.
std::vector<placed> trace(sycl::queue& queue, std::vector<placed> all, sycl::buffer<std::uint8_t>& reference);

std::string sam_header(const genome& of);
/// The record of a read, with its end of line. Base qualities are left out.
std::string sam_record(const genome& of, const placed& p);
/// The read of such a record. Throws std::runtime_error if it is none of this genome.
placed read_sam_record(const genome& of, const std::string& line);

} // namespace genomics
