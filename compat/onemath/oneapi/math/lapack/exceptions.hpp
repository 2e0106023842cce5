// The exceptions of oneMath's LAPACK: those of <oneapi/math/exceptions.hpp> with LAPACK's info.
#pragma once

#include <oneapi/math/exceptions.hpp>

#include <cstdint>
#include <vector>

namespace oneapi::math::lapack {

/// What all of them have. `info`: LAPACK's number; `detail`: the size of a scratchpad that is too small.
class exception {
public:
  exception(math::exception* whole, std::int64_t info, std::int64_t detail = 0)
      : m_info(info), m_detail(detail), m_whole(whole) {}
  std::int64_t info() const { return m_info; }
  std::int64_t detail() const { return m_detail; }
  const char* what() const { return m_whole->what(); }

private:
  std::int64_t m_info, m_detail;
  math::exception* m_whole;
};

/// A result that there is not: a singular matrix, one that is not positive definite, no convergence.
class computation_error : public math::computation_error, public lapack::exception {
public:
  computation_error(const std::string& function, const std::string& why, std::int64_t info)
      : math::computation_error("LAPACK", function, why), lapack::exception(this, info) {}
  computation_error(const computation_error& other)
      : math::computation_error(other), lapack::exception(this, other.info(), other.detail()) {}
  using math::computation_error::what;
};
/// Of a batch: `ids` are the numbers of the members, `exceptions` theirs.
class batch_error : public math::batch_error, public lapack::exception {
public:
  batch_error(const std::string& function, const std::string& why, std::int64_t count,
              std::vector<std::int64_t> ids = {}, std::vector<std::exception_ptr> exceptions = {})
      : math::batch_error("LAPACK", function, why), lapack::exception(this, count), m_ids(std::move(ids)),
        m_exceptions(std::move(exceptions)) {}
  batch_error(const batch_error& other)
      : math::batch_error(other), lapack::exception(this, other.info(), other.detail()), m_ids(other.m_ids),
        m_exceptions(other.m_exceptions) {}
  using math::batch_error::what;
  const std::vector<std::int64_t>& ids() const { return m_ids; }
  const std::vector<std::exception_ptr>& exceptions() const { return m_exceptions; }

private:
  std::vector<std::int64_t> m_ids;
  std::vector<std::exception_ptr> m_exceptions;
};
class invalid_argument : public math::invalid_argument, public lapack::exception {
public:
  invalid_argument(const std::string& function, const std::string& why, std::int64_t position = 0,
                   std::int64_t detail = 0)
      : math::invalid_argument("LAPACK", function, why), lapack::exception(this, position, detail) {}
  invalid_argument(const invalid_argument& other)
      : math::invalid_argument(other), lapack::exception(this, other.info(), other.detail()) {}
  using math::invalid_argument::what;
};

} // namespace oneapi::math::lapack
