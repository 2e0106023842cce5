#include "kernels/array/zip.hpp"

#include <sycl/exception.hpp>

#include <algorithm>
#include <limits>
#include <new>
#include <zlib.h>

namespace prism::zip {
namespace {

[[noreturn]] void refuse_archive(const std::string& why) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "npz: " + why);
}

constexpr std::uint32_t local_sign = 0x04034b50, central_sign = 0x02014b50, end_sign = 0x06054b50,
                        end64_sign = 0x06064b50, locator_sign = 0x07064b50, all32 = 0xffffffff;
constexpr std::uint16_t all16 = 0xffff, zip64_extra = 1, stored = 0, deflate_method = 8;

/// Numbers of an archive, little-endian, or of its end. Reading before or behind it is refused.
class bytes {
public:
  /// `first`: the place in the archive of the first byte of `all`.
  explicit bytes(std::string_view all, std::uint64_t first = 0) : m_all(all), m_first(first) {}
  std::uint64_t number(std::uint64_t at, int size) const {
    const std::string_view digits = part(at, static_cast<std::uint64_t>(size));
    std::uint64_t n = 0;
    for (std::size_t i = digits.size(); i-- > 0;) n = n << 8 | static_cast<unsigned char>(digits[i]);
    return n;
  }
  std::uint32_t word(std::uint64_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint16_t half(std::uint64_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::string_view part(std::uint64_t at, std::uint64_t count) const {
    if (at < m_first) refuse_archive("the archive's directory is not where it says");
    if (at > size() || size() - at < count) refuse_archive("the archive ends too early");
    return m_all.substr(at - m_first, count);
  }
  /// Of the archive.
  std::uint64_t size() const { return m_first + m_all.size(); }

private:
  std::string_view m_all;
  std::uint64_t m_first;
};

struct directory {
  std::uint64_t count, offset;
};

constexpr std::uint64_t end_bytes = 22, locator_bytes = 20, end64_bytes = 56, least_member_bytes = 46;

directory find_directory(const bytes& all) {
  constexpr std::uint64_t size = end_bytes;
  if (all.size() < size) refuse_archive("the file is no zip archive");
  const std::uint64_t least = all.size() > size + all16 ? all.size() - size - all16 : 0;
  for (std::uint64_t at = all.size() - size;; --at) {
    if (all.word(at) == end_sign && at + size + all.half(at + 20) == all.size()) {
      if (all.half(at + 4) != 0 && all.half(at + 4) != all16)
        refuse_archive("the archive is in several parts");
      directory found{all.half(at + 10), all.word(at + 16)};
      if (at >= locator_bytes && all.word(at - locator_bytes) == locator_sign) {
        const std::uint64_t end = all.number(at - 12, 8);
        if (end > all.size() || all.word(end) != end64_sign)
          refuse_archive("the archive's directory is not where it says");
        found = {all.number(end + 32, 8), all.number(end + 48, 8)};
      }
      if (found.count > all.size() / least_member_bytes)
        refuse_archive("the directory has more entries than the archive can hold");
      return found;
    }
    if (at == least) refuse_archive("the file is no zip archive");
  }
}

struct member {
  std::uint16_t flags, method;
  std::uint32_t checksum;
  std::uint64_t packed, size, offset, next;
  std::string name;
};

/// Sizes and offsets that do not fit 32 bits are in an extra field, in this order, only those that do not
/// fit.
void read_zip64(const bytes& all, std::uint64_t at, std::uint64_t end, member& m) {
  while (end - at >= 4) {
    const std::uint16_t what = all.half(at), length = all.half(at + 2);
    at += 4;
    if (length > end - at) refuse_archive("an entry's extra field is longer than its place");
    if (what == zip64_extra) {
      std::uint64_t from = at;
      for (std::uint64_t* each : {&m.size, &m.packed, &m.offset}) {
        if (*each != all32) continue;
        if (at + length - from < 8) refuse_archive("an entry lacks its size");
        *each = all.number(from, 8);
        from += 8;
      }
      return;
    }
    at += length;
  }
}

member read_member(const bytes& all, std::uint64_t at) {
  if (all.word(at) != central_sign) refuse_archive("the archive's directory is damaged");
  member m;
  m.flags = all.half(at + 8);
  m.method = all.half(at + 10);
  m.checksum = all.word(at + 16);
  m.packed = all.word(at + 20);
  m.size = all.word(at + 24);
  m.offset = all.word(at + 42);
  const std::uint64_t name = all.half(at + 28), extra = all.half(at + 30), comment = all.half(at + 32);
  m.name = all.part(at + 46, name);
  all.part(at + 46 + name, extra + comment);
  read_zip64(all, at + 46 + name, at + 46 + name + extra, m);
  m.next = at + 46 + name + extra + comment;
  return m;
}

template <typename Use>
void for_members(const bytes& all, const directory& found, const Use& use) {
  std::uint64_t at = found.offset;
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const member m = read_member(all, at);
    use(m);
    at = m.next;
  }
}

std::uint32_t checksum_of(std::string_view content) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

/// One deflate stream, in pieces that zlib's 32-bit counters hold.
template <typename Step>
void feed(z_stream& stream, std::string_view from, std::string& to, const Step& step) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  std::size_t read = 0, written = 0;
  for (;;) {
    const std::size_t in = std::min(most, from.size() - read), out = std::min(most, to.size() - written);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(to.data() + written);
    stream.avail_out = static_cast<uInt>(out);
    const bool is_last = read + in == from.size();
    const int state = step(is_last);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
    if (state == Z_STREAM_END) {
      to.resize(written);
      return;
    }
    if (state != Z_OK || (in == stream.avail_in && out == stream.avail_out))
      refuse_archive("an entry's compressed data is damaged");
  }
}

std::string inflated(std::string_view packed, std::uint64_t size) {
  // No stream of n bytes holds more than 1,032 n.
  if (size > packed.size() * 1032 + 64) refuse_archive("an entry's size is larger than its data can be");
  std::string content(size + 1, '\0'); // one more, so that a longer stream shows
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const struct end {
    z_stream& of;
    ~end() { inflateEnd(&of); }
  } ends{stream};
  feed(stream, packed, content, [&](bool) { return inflate(&stream, Z_NO_FLUSH); });
  return content;
}

std::string deflated_bytes(const std::string& content) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const struct end {
    z_stream& of;
    ~end() { deflateEnd(&of); }
  } ends{stream};
  std::string packed(deflateBound(&stream, content.size()) + 64, '\0');
  feed(stream, content, packed,
       [&](bool is_last) { return deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH); });
  return packed;
}

entry unpacked(const bytes& all, const member& m) {
  const std::string quoted = "the entry '" + m.name + "' ";
  if (m.flags & 1) refuse_archive(quoted + "is encrypted");
  if (all.word(m.offset) != local_sign) refuse_archive(quoted + "is not where the directory says");
  const std::uint64_t data = m.offset + 30 + all.half(m.offset + 26) + all.half(m.offset + 28);
  const std::string_view packed = all.part(data, m.packed);
  entry e{m.name, {}};
  if (m.method == stored) e.content = packed;
  else if (m.method == deflate_method) e.content = inflated(packed, m.size);
  else
    refuse_archive(quoted + "is compressed by method " + std::to_string(m.method) +
                   "; stored and deflated entries can be read");
  if (e.content.size() != m.size) refuse_archive(quoted + "has another size than the directory says");
  if (checksum_of(e.content) != m.checksum) refuse_archive(quoted + "has a wrong checksum");
  return e;
}

void put(std::string& to, std::uint64_t n, int size) {
  for (int i = 0; i < size; ++i) to += static_cast<char>(n >> (8 * i) & 0xff);
}

} // namespace

std::vector<entry> unpack(std::string_view archive) {
  const bytes all(archive);
  std::vector<entry> entries;
  for_members(all, find_directory(all), [&](const member& m) { entries.push_back(unpacked(all, m)); });
  return entries;
}

std::vector<std::string> names(std::uint64_t size, const read_part& read) {
  // What precedes the end: a comment, and the records of large archives.
  const std::uint64_t most = end_bytes + all16 + locator_bytes + end64_bytes, end = std::min(size, most);
  const std::string last = read(size - end, end);
  const directory found = find_directory(bytes(last, size - end));
  if (found.offset > size) refuse_archive("the archive's directory is not where it says");
  const std::string listed = read(found.offset, size - found.offset);
  std::vector<std::string> out;
  for_members(bytes(listed, found.offset), found, [&](const member& m) { out.push_back(m.name); });
  return out;
}

std::string pack(const std::vector<entry>& entries, bool deflated) {
  std::string archive, directory;
  constexpr std::uint16_t needs_zip64 = 45, utf8_names = 0x0800, date_1980 = 0x21;
  for (const entry& e : entries) {
    if (e.name.empty() || e.name.size() > 1024)
      refuse_archive("an entry's name has " + std::to_string(e.name.size()) +
                     " bytes; 1 to 1,024 are allowed");
    const std::uint64_t offset = archive.size();
    const std::string packed = deflated ? deflated_bytes(e.content) : std::string();
    const std::string& data = deflated ? packed : e.content;
    std::string common; // of both headers
    put(common, needs_zip64, 2);
    put(common, utf8_names, 2);
    put(common, deflated ? deflate_method : stored, 2);
    put(common, 0, 2); // midnight
    put(common, date_1980, 2);
    put(common, checksum_of(e.content), 4);
    put(common, all32, 4);
    put(common, all32, 4);
    put(common, e.name.size(), 2);
    put(archive, local_sign, 4);
    archive += common;
    put(archive, 20, 2);
    archive += e.name;
    put(archive, zip64_extra, 2);
    put(archive, 16, 2);
    put(archive, e.content.size(), 8);
    put(archive, data.size(), 8);
    archive += data;
    put(directory, central_sign, 4);
    put(directory, needs_zip64, 2); // written by
    directory += common;
    put(directory, 28, 2);
    put(directory, 0, 2); // comment
    put(directory, 0, 2); // part
    put(directory, 0, 2); // attributes
    put(directory, 0, 4);
    put(directory, all32, 4);
    directory += e.name;
    put(directory, zip64_extra, 2);
    put(directory, 24, 2);
    put(directory, e.content.size(), 8);
    put(directory, data.size(), 8);
    put(directory, offset, 8);
  }
  if (entries.empty()) { // readers identify an archive by its first record, and know no other for this one
    put(archive, end_sign, 4);
    return archive.append(18, '\0');
  }
  const std::uint64_t begin = archive.size(), end = begin + directory.size();
  archive += directory;
  put(archive, end64_sign, 4);
  put(archive, 44, 8);
  put(archive, needs_zip64, 2);
  put(archive, needs_zip64, 2);
  put(archive, 0, 4);
  put(archive, 0, 4);
  put(archive, entries.size(), 8);
  put(archive, entries.size(), 8);
  put(archive, directory.size(), 8);
  put(archive, begin, 8);
  put(archive, locator_sign, 4);
  put(archive, 0, 4);
  put(archive, end, 8);
  put(archive, 1, 4);
  put(archive, end_sign, 4);
  put(archive, 0, 2);
  put(archive, 0, 2);
  put(archive, all16, 2);
  put(archive, all16, 2);
  put(archive, all32, 4);
  put(archive, all32, 4);
  put(archive, 0, 2);
  return archive;
}

} // namespace prism::zip
