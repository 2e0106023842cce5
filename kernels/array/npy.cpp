// Files of arrays (prism/npy.hpp): reads and writes whole files; their formats are npy_format.hpp and
// zip.hpp.
#include <prism/npy.hpp>

#include "kernels/array/npy_format.hpp"
#include "kernels/array/zip.hpp"

#include <sycl/exception.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

namespace prism {
namespace {

[[noreturn]] void refuse_path(const std::string& path, const char* what) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                        "the file " + path + " could not be " + what + ": " + std::strerror(errno));
}
struct closes {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, closes>;

std::string content_of(const std::string& path) {
  const file f(std::fopen(path.c_str(), "rb"));
  if (!f) refuse_path(path, "opened");
  std::string all;
  char piece[65536];
  while (const std::size_t n = std::fread(piece, 1, sizeof piece, f.get())) {
    all.append(piece, n);
    // The rest of a file of another kind is not read: it may have no end.
    if (all.compare(0, 6, "\x93NUMPY") != 0 && all.compare(0, 2, "PK") != 0) break;
  }
  if (std::ferror(f.get())) refuse_path(path, "read");
  return all;
}
void write_file(const std::string& path, const std::string& content) {
  file f(std::fopen(path.c_str(), "wb"));
  if (!f) refuse_path(path, "opened for writing");
  if (std::fwrite(content.data(), 1, content.size(), f.get()) != content.size()) refuse_path(path, "written");
  if (std::fclose(f.release()) != 0) refuse_path(path, "written");
}
/// Adds the file's name to what its content is refused for.
template <typename Read>
auto named(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const sycl::exception& e) {
    throw sycl::exception(e.code(), path + ": " + e.what());
  }
}

std::string without_suffix(const std::string& name) {
  const bool has_suffix = name.size() > 4 && name.compare(name.size() - 4, 4, ".npy") == 0;
  return has_suffix ? name.substr(0, name.size() - 4) : name;
}

} // namespace

std::string npy_bytes(const any_array& a) {
  std::string bytes = npy::text_of_header(a.type(), a.shape());
  const std::size_t header = bytes.size();
  bytes.resize(header + a.nbytes());
  if (a.nbytes() != 0) a.copy_to_host(bytes.data() + header, a.nbytes());
  return bytes;
}

any_array from_npy_bytes(const std::string& bytes, const array_device& on) {
  const npy::header h = npy::parse(bytes);
  const auto count = static_cast<std::size_t>(h.shape.product());
  extents shape = h.shape;
  if (h.is_column_major)
    for (int d = 0; d < shape.size(); ++d) shape[d] = h.shape[shape.size() - 1 - d];
  any_array a;
  if (h.is_swapped) {
    std::string swapped = bytes.substr(h.data, count * size_of(h.type));
    npy::swap_bytes(swapped.data(), count, h.type);
    a = from_host(swapped.data(), shape, h.type, on);
  } else {
    a = from_host(bytes.data() + h.data, shape, h.type, on);
  }
  return h.is_column_major ? a.transpose() : a;
}

void save(const std::string& path, const any_array& a) { write_file(path, npy_bytes(a)); }

any_array load(const std::string& path, const array_device& on) {
  const std::string bytes = content_of(path);
  return named(path, [&] { return from_npy_bytes(bytes, on); });
}

void savez(const std::string& path, const named_arrays& arrays, npz_compression how) {
  std::vector<zip::entry> entries;
  std::set<std::string> names;
  for (const auto& [name, a] : arrays) {
    if (name.empty() || !names.insert(name).second)
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            name.empty() ? "npz: an array has no name"
                                         : "npz: two arrays have the name '" + name + "'");
    entries.push_back({name + ".npy", npy_bytes(a)});
  }
  write_file(path, zip::pack(entries, how == npz_compression::deflate));
}

named_arrays load_npz(const std::string& path, const array_device& on) {
  const std::string bytes = content_of(path);
  return named(path, [&] {
    named_arrays arrays;
    for (const zip::entry& e : zip::unpack(bytes))
      arrays.emplace_back(without_suffix(e.name), from_npy_bytes(e.content, on));
    return arrays;
  });
}

std::vector<std::string> npz_names(const std::string& path) {
  const file f(std::fopen(path.c_str(), "rb"));
  if (!f) refuse_path(path, "opened");
  if (fseeko(f.get(), 0, SEEK_END) != 0) refuse_path(path, "read");
  const off_t size = ftello(f.get());
  if (size < 0) refuse_path(path, "read");
  const auto read = [&](std::uint64_t first, std::uint64_t count) {
    std::string part(count, '\0');
    if (fseeko(f.get(), static_cast<off_t>(first), SEEK_SET) != 0) refuse_path(path, "read");
    part.resize(std::fread(part.data(), 1, part.size(), f.get()));
    if (std::ferror(f.get())) refuse_path(path, "read");
    return part;
  };
  return named(path, [&] {
    std::vector<std::string> all = zip::names(static_cast<std::uint64_t>(size), read);
    for (std::string& each : all) each = without_suffix(each);
    return all;
  });
}

} // namespace prism
