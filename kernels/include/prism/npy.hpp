// Arrays in NumPy's files: .npy holds one array, .npz several by name (a zip archive of .npy files).
//
// Version 1.0 of the format is written, in the machine's byte order and row-major order.
// Read are versions 1 to 3, both byte orders, row-major and column-major; of archives entries that are stored
// or deflated, of any size (zip64). Checksums are compared. Element types without a dtype (float16,
// structures, objects, texts, dates) are refused by their name.
//
// Errors: errc::invalid for what a file contains, errc::runtime for what the system refuses, with the file's
// name. A damaged file gives an error, never other memory's content; memory is allocated only for data that
// the file can hold.
#pragma once

#include <prism/array/functions.hpp>

#include <string>
#include <utility>
#include <vector>

namespace prism {

using named_arrays = std::vector<std::pair<std::string, any_array>>;
enum class npz_compression : std::uint8_t { none, deflate };

/// Writes `path`, which is replaced if it exists. Waits for the elements.
void save(const std::string& path, const any_array& a);
any_array load(const std::string& path, const array_device& on = {});

/// The names are those of the entries without ".npy". Names must be different and not empty.
void savez(const std::string& path, const named_arrays& arrays, npz_compression how = npz_compression::none);
/// In the order of the archive. Entries that are no .npy files are refused.
named_arrays load_npz(const std::string& path, const array_device& on = {});

/// The names that load_npz returns, in its order. Only the archive's directory is read.
std::vector<std::string> npz_names(const std::string& path);

/// The content of a .npy file, in memory.
std::string npy_bytes(const any_array& a);
any_array from_npy_bytes(const std::string& bytes, const array_device& on = {});

} // namespace prism
