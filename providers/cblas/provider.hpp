// A provider over a CBLAS library that is loaded at run time: what differs between the libraries is a
// description.
#pragma once

#include <prism/provider.h>

namespace prism_cblas {

struct vendor {
  const char* name;
  const char* library;
  const char* const* files; // names for the dynamic linker, the first that is there counts; ends with null
  const char* set_threads;  // void (int)
  const char* version_function; // const char* (void)
  bool has_conjugate_no_transpose;
  double efficiency;  // of the processor's peak for a large product
  double overhead_ns; // of a call
};

/// The table of a provider; `which` is the module's one vendor.
const prism_provider* table_of(const vendor& which);

} // namespace prism_cblas
