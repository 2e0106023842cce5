// A provider over a CBLAS library that is loaded at run time. A description holds the differences between the
// libraries.
#pragma once

#include "providers/cblas/functions.hpp"

#include <prism/provider.h>

namespace prism_cblas {

struct vendor {
  const char* name;
  const char* library;
  /// names for the dynamic linker, of which the first that exists is used; null-terminated
  const char* const* files;
  const char* set_threads;      // void (int)
  const char* get_threads;      // int (void)
  const char* version_function; // const char* (void)
  bool has_conjugate_no_transpose;
  double efficiency;  // as a fraction of the processor's peak, for a large product
  double overhead_ns; // of a call
  /// Whether its products use vectors of 64 bytes; asked on processors that have them. Versions that are
  /// older than the processor may not.
  bool (*uses_wide_vectors)(const prism_cblas::library& from);
  bool has_small_kernels = false; // for small real products, where it uses such vectors
};

/// The table of a provider; `which` describes the module's one vendor.
const prism_provider* table_of(const vendor& which);

} // namespace prism_cblas
