// .npy and .npz files: what is written is read again, files of NumPy are read, and damaged ones are refused.
#include "tests/sycl/common.hpp"

#include <prism/npy.hpp>

#include "kernels/array/npy_format.hpp"
#include "kernels/array/zip.hpp"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace {

using namespace prism;

std::string path_of(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("prism-" + std::to_string(::getpid()) + "-" + name))
      .string();
}

/// A file as NumPy writes it, with this dictionary.
std::string npy_file(const std::string& dictionary, const std::string& elements, char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  file += char(dictionary.size());
  file += char(dictionary.size() >> 8);
  if (version > 1) file += std::string(2, '\0');
  return file + dictionary + elements;
}

TEST(array_files, an_array_of_every_type_is_read_as_it_was_written) {
  for (int t = 0; t < dtype_count; ++t) {
    const dtype type = static_cast<dtype>(t);
    if (!sycl::device().has(sycl::aspect::fp64) && (type == dtype::float64 || type == dtype::complex128))
      continue;
    std::string elements(6 * size_of(type), '\0');
    for (std::size_t i = 0; i < elements.size(); ++i)
      elements[i] = char(type == dtype::boolean ? i % 2 : i * 7 % 64);
    const any_array a = from_host(elements.data(), {2, 3}, type);
    const any_array b = from_npy_bytes(npy_bytes(a));
    ASSERT_EQ(b.type(), type);
    EXPECT_EQ(b.shape(), a.shape());
    std::string back(elements.size(), '\0');
    b.copy_to_host(back.data(), back.size());
    EXPECT_EQ(back, elements) << name_of(type);
  }
}

TEST(array_files, a_header_has_the_bytes_that_numpy_writes) {
  // numpy.save of arange(6, dtype=int16).reshape(2, 3), NumPy 1.24
  std::string expected = "\x93NUMPY";
  expected += std::string("\x01\x00\x76\x00", 4);
  expected += "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  expected += std::string(127 - expected.size(), ' ') + '\n';
  EXPECT_EQ(npy::text_of_header(dtype::int16, {2, 3}), expected);
  EXPECT_EQ(npy::text_of_header(dtype::float64, {}).size() % 64, 0u);
}

TEST(array_files, the_other_byte_order_and_column_major_order_are_read) {
  const std::string big_endian("\x00\x01\x00\x02\x00\x03\x00\x04\x01\x00\x00\x06", 12);
  const any_array rows =
      from_npy_bytes(npy_file("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }", big_endian));
  EXPECT_EQ(rows.to_vector<std::int16_t>(), (std::vector<std::int16_t>{1, 2, 3, 4, 256, 6}));
  const any_array columns =
      from_npy_bytes(npy_file("{\"shape\": (3L, 2), 'descr': '>i2', 'fortran_order': True}", big_endian, 3));
  EXPECT_EQ(columns.shape(), (extents{3, 2}));
  EXPECT_EQ(columns.to_vector<std::int16_t>(), (std::vector<std::int16_t>{1, 4, 2, 256, 3, 6}));
  const any_array number =
      from_npy_bytes(npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': ()}", "\x07"));
  EXPECT_EQ(number.ndim(), 0);
  EXPECT_EQ(number.item<int>(), 7);
}

TEST(array_files, what_no_array_can_hold_is_refused_with_the_reason) {
  const auto reason = [](const std::string& file) {
    std::string text;
    EXPECT_EQ(prism_test::error_of([&] { npy::parse(file); }, &text), sycl::errc::invalid) << file;
    return text;
  };
  const auto with = [](const std::string& type, const std::string& shape) {
    return npy_file("{'descr': " + type + ", 'fortran_order': False, 'shape': " + shape + "}", "12345678");
  };
  const auto repeated = [](const std::string& text, int times) {
    std::string out;
    while (times-- > 0) out += text;
    return out;
  };
  EXPECT_NE(reason(with("'<f2'", "(1,)")).find("'<f2'"), std::string::npos);
  EXPECT_NE(reason(with("'|O'", "(1,)")).find("'|O'"), std::string::npos);
  EXPECT_NE(reason(with("[('a', '<i4')]", "(1,)")).find("structures"), std::string::npos);
  EXPECT_NE(reason(with("'<f8'", "(2,)")).find("has 8 bytes of elements; the shape (2,) of float64 has 16"),
            std::string::npos);
  EXPECT_NE(reason(with("'<f8'", "(4294967296, 4294967296)")).find("larger than memory"), std::string::npos);
  EXPECT_NE(reason(with("'<f8'", "(42296, 422222222222222215, 0)")).find("larger than memory"),
            std::string::npos);
  EXPECT_NE(reason(with("'<f8'", "(99999999999999999999,)")).find("2^63"), std::string::npos);
  EXPECT_NE(reason(with("'<i4'", "(" + repeated("1, ", max_rank) + "1)")).find("dimensions"),
            std::string::npos);
  EXPECT_NE(reason(with("'<i4'", "(-1,)")).find("whole numbers"), std::string::npos);
  EXPECT_NE(reason("no file").find("does not begin"), std::string::npos);
}

TEST(array_files, several_arrays_share_one_archive_stored_or_deflated) {
  const any_array a = arange(1000, 2000, 1, dtype::int32), b = asarray(std::vector<float>{1.5f, -2});
  for (const npz_compression how : {npz_compression::none, npz_compression::deflate}) {
    const std::string path = path_of("several.npz");
    savez(path, {{"first", a}, {"second", b}, {"none", empty({0, 3}, dtype::int8)}}, how);
    EXPECT_EQ(std::filesystem::file_size(path) < 4000, how == npz_compression::deflate);
    const named_arrays all = load_npz(path);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].first, "first");
    EXPECT_EQ(all[0].second.to_vector<std::int32_t>(), a.to_vector<std::int32_t>());
    EXPECT_EQ(all[1].second.to_vector<float>(), b.to_vector<float>());
    EXPECT_EQ(all[2].second.shape(), (extents{0, 3}));
    EXPECT_EQ(npz_names(path), (std::vector<std::string>{"first", "second", "none"}));
    std::filesystem::remove(path);
  }
  EXPECT_EQ(prism_test::error_of([&] { savez(path_of("twice.npz"), {{"a", a}, {"a", b}}); }),
            sycl::errc::invalid);
}

TEST(array_files, the_names_of_an_archive_are_read_from_its_end_alone) {
  const std::string content(1 << 20, 'x');
  const std::string archive = zip::pack({{"a.npy", content}, {"folder/b", content}}, false);
  std::uint64_t bytes = 0;
  const auto read = [&](std::uint64_t first, std::uint64_t count) {
    bytes += count;
    return archive.substr(first, count);
  };
  EXPECT_EQ(zip::names(archive.size(), read), (std::vector<std::string>{"a.npy", "folder/b"}));
  EXPECT_LT(bytes, 70'000u);
  EXPECT_THROW(zip::unpack("no archive"), sycl::exception);
  EXPECT_THROW(zip::names(10, [](std::uint64_t, std::uint64_t) { return "no archive"; }), sycl::exception);
  // The entries are not looked at: a damaged one is refused where it is read.
  const std::string path = path_of("damaged.npz");
  std::string damaged = archive;
  damaged[100] = 'y';
  std::ofstream(path, std::ios::binary) << damaged;
  EXPECT_EQ(npz_names(path), (std::vector<std::string>{"a", "folder/b"}));
  EXPECT_EQ(prism_test::error_of([&] { load_npz(path); }), sycl::errc::invalid);
  std::filesystem::remove(path);
}

TEST(array_files, an_error_of_the_system_names_the_file) {
  std::string text;
  EXPECT_EQ(prism_test::error_of([&] { load("/there/is/no/such.npy"); }, &text), sycl::errc::runtime);
  EXPECT_NE(text.find("/there/is/no/such.npy"), std::string::npos);
  EXPECT_EQ(prism_test::error_of([&] { save("/there/is/no/such.npy", arange(0, 3)); }), sycl::errc::runtime);
}

TEST(array_files, each_damaged_byte_and_each_length_is_read_or_refused) {
  const std::string npy = npy::text_of_header(dtype::int32, {4}) + std::string(16, 'x');
  for (const bool deflated : {false, true}) {
    const std::string archive = zip::pack({{"a.npy", npy}, {"b.npy", npy}}, deflated);
    EXPECT_EQ(zip::unpack(archive).size(), 2u);
    int refused = 0;
    const auto read = [&](const std::string& bytes) {
      try {
        const std::vector<zip::entry> entries = zip::unpack(bytes);
        const std::vector<std::string> names =
            zip::names(bytes.size(),
                       [&](std::uint64_t first, std::uint64_t count) { return bytes.substr(first, count); });
        ASSERT_EQ(names.size(), entries.size());
        for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], entries[i].name);
        for (const zip::entry& each : entries) npy::parse(each.content);
      } catch (const sycl::exception& e) {
        EXPECT_EQ(e.code(), sycl::errc::invalid);
        ++refused;
      }
    };
    for (std::size_t n = 0; n < archive.size(); ++n) read(archive.substr(0, n));
    EXPECT_EQ(refused, int(archive.size()));
    for (std::size_t i = 0; i < archive.size(); ++i) {
      for (const char change : {'\x01', '\x80', '\xff'}) {
        std::string damaged = archive;
        damaged[i] = char(damaged[i] ^ change);
        read(damaged);
      }
    }
    // The elements and the names' lengths are protected: by checksums and by the directory.
    std::string damaged = archive;
    damaged[archive.find("xxxx") == std::string::npos ? 60 : archive.find("xxxx")] ^= 1;
    std::string text;
    EXPECT_EQ(prism_test::error_of([&] { zip::unpack(damaged); }, &text), sycl::errc::invalid);
  }
  for (std::size_t i = 0; i < npy.size(); ++i) {
    std::string damaged = npy;
    damaged[i] = char(damaged[i] ^ 0x11);
    try {
      npy::parse(damaged);
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), sycl::errc::invalid);
    }
  }
}

} // namespace
