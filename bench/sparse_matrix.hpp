// The sparse matrix of the rows about them, on the host and in memory of a device.
#pragma once

#include "bench/operands.hpp"

#include <prism/sparse.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bench {

/// The matrix of reference.py: the rule is there.
struct host_matrix {
  std::vector<std::int32_t> offsets{0}, columns;
  std::vector<float> values;

  host_matrix(std::size_t rows, std::size_t band, bool only_lower) {
    std::vector<std::size_t> row;
    for (std::size_t i = 0; i < rows; ++i) {
      row.clear();
      for (std::size_t k = 0; k < band; ++k) row.push_back((i + k * 7919) % rows);
      std::sort(row.begin(), row.end());
      for (const std::size_t j : row) {
        if (only_lower && j > i) continue;
        columns.push_back(std::int32_t(j));
        values.push_back(i == j ? float(2 * band) : 1.0f);
      }
      offsets.push_back(std::int32_t(columns.size()));
    }
  }
};

class device_matrix {
public:
  device_matrix(sycl::queue& queue, std::size_t rows, std::size_t band, bool only_lower = false)
      : device_matrix(queue, rows, host_matrix(rows, band, only_lower)) {}
  auto csr() const {
    return prism::sparse::csr(m_rows, m_rows, prism::vector_view(m_offsets.data(), m_rows + 1),
                              prism::vector_view(m_columns.data(), m_count), values());
  }
  prism::vector_view<float, float*> values() const { return {m_values.data(), m_count}; }

private:
  device_matrix(sycl::queue& queue, std::size_t rows, const host_matrix& from)
      : m_rows(rows), m_count(from.values.size()), m_offsets(queue, from.offsets),
        m_columns(queue, from.columns), m_values(queue, from.values) {}
  std::size_t m_rows, m_count;
  device_array<std::int32_t> m_offsets, m_columns;
  device_array<float> m_values;
};

} // namespace bench
