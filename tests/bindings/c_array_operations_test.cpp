// Operations of arrays over prism.h: products in Einstein's notation, and files. Each against a loop of its
// own.
#include "tests/bindings/c_common.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace {

using c_tests::on_device;
using c_tests::owned;

struct c_array_operations : on_device {
  owned<prism_device> device;
  std::filesystem::path folder;
  void SetUp() override {
    on_device::SetUp();
    EXPECT_RUNS(prism_queue_device(queue, device.to(), error));
    std::string name = (std::filesystem::temp_directory_path() / "prism_c_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override {
    std::filesystem::remove_all(folder);
    on_device::TearDown();
  }

  static prism_given given(const prism_array* array) {
    return {sizeof(prism_given), PRISM_GIVEN_ARRAY, 0, array, 0, {}};
  }
  static prism_given given(const char* text, int32_t count = 0) {
    return {sizeof(prism_given), PRISM_GIVEN_TEXT, count, text, 0, {}};
  }
  template <typename T>
  static prism_given given(int32_t kind, const std::vector<T>& values) {
    return {sizeof(prism_given), kind, int32_t(values.size()), values.data(), 0, {}};
  }

  template <typename T>
  void make(owned<prism_array>& to, int32_t type, const std::vector<T>& values,
            const std::vector<int64_t>& shape) {
    EXPECT_RUNS(prism_array_from_host(device, values.data(), type, int32_t(shape.size()), shape.data(),
                                      to.to(), error));
  }
  void call(owned<prism_array>& to, const char* name, const std::vector<prism_given>& arguments) {
    EXPECT_RUNS(
        prism_array_call(name, device, arguments.data(), arguments.size(), to.to(), 1, nullptr, error));
  }
  void call(const char* name, const std::vector<prism_given>& arguments) {
    EXPECT_RUNS(
        prism_array_call(name, device, arguments.data(), arguments.size(), nullptr, 0, nullptr, error));
  }
  void refuses(prism_status wanted, const std::string& part, const char* name,
               const std::vector<prism_given>& arguments) {
    owned<prism_array> out;
    EXPECT_REFUSES(
        wanted, part,
        prism_array_call(name, device, arguments.data(), arguments.size(), out.to(), 1, nullptr, error));
  }
  template <typename T>
  std::vector<T> values(const prism_array* array, size_t count) {
    std::vector<T> out(count);
    EXPECT_RUNS(prism_array_to_host(array, out.data(), count * sizeof(T), error));
    return out;
  }
};

TEST_F(c_array_operations, einsum_is_a_sum_of_products_for_floats_and_integers) {
  const auto check = [&]<typename T>(int32_t type, T) {
    std::vector<T> x(6), y(12), wanted(8, T(0));
    for (size_t i = 0; i < 6; ++i) x[i] = T(i + 1);
    for (size_t i = 0; i < 12; ++i) y[i] = T(7 - 2 * int(i));
    for (size_t i = 0; i < 2; ++i)
      for (size_t j = 0; j < 3; ++j)
        for (size_t k = 0; k < 4; ++k) wanted[k * 2 + i] += x[i * 3 + j] * y[j * 4 + k];
    owned<prism_array> a, b, out;
    make(a, type, x, {2, 3}), make(b, type, y, {3, 4});
    const std::vector<prism_array*> both{a, b};
    call(out, "einsum", {given("ij, jk -> ki"), given(PRISM_GIVEN_ARRAYS, both)});
    EXPECT_EQ(values<T>(out, 8), wanted);
    // A text of a given length does not end with a zero.
    call(out, "einsum", {given("ij,jk->kiXYZ", 9), given(PRISM_GIVEN_ARRAYS, both)});
    EXPECT_EQ(values<T>(out, 8), wanted);
    call(out, "einsum", {given("ij->"), given(a)});
    EXPECT_EQ(values<T>(out, 1), std::vector<T>{T(21)});
  };
  check(PRISM_F32, 0.0f);
  check(PRISM_S64, int64_t(0));
}

TEST_F(c_array_operations, a_text_is_validated) {
  owned<prism_array> a;
  make<float>(a, PRISM_F32, {1, 2}, {2});
  prism_given text = given("i->", -1);
  refuses(PRISM_INVALID, "argument 0", "einsum", {text, given(a)});
  refuses(PRISM_BAD_POINTER, "argument 0 is NULL", "einsum",
          {given(static_cast<const char*>(nullptr)), given(a)});
  refuses(PRISM_INVALID, "zero byte at 1 of 3", "einsum", {given("i\0>", 3), given(a)});
  refuses(PRISM_INVALID, "argument 0 is a text, not an array", "sin", {given("i")});
  refuses(PRISM_INVALID, "argument 0 is an array, not a text", "einsum", {given(a), given(a)});
  refuses(PRISM_INVALID, "column 2", "einsum", {given("i%"), given(a)});
  refuses(PRISM_INVALID, "no array", "einsum",
          {given("i"), given(PRISM_GIVEN_ARRAYS, std::vector<prism_array*>{})});
  refuses(PRISM_BAD_HANDLE, "NULL", "einsum",
          {given("i"), given(PRISM_GIVEN_ARRAYS, std::vector<prism_array*>{nullptr})});
  prism_array* freed = nullptr;
  const int64_t extent = 2;
  const float numbers[] = {1, 2};
  EXPECT_RUNS(prism_array_from_host(device, numbers, PRISM_F32, 1, &extent, &freed, error));
  EXPECT_RUNS(prism_release(freed, error));
  refuses(PRISM_BAD_HANDLE, "was released", "einsum", {given("i"), given(freed)});
}

TEST_F(c_array_operations, an_array_is_the_same_after_a_file) {
  owned<prism_array> a, back;
  make<float>(a, PRISM_F32, {1, 2, 3, 4, 5, 6}, {2, 3});
  const std::string path = folder / "a.npy";
  call("save", {given(path.c_str()), given(a)});
  call(back, "load", {given(path.c_str(), int32_t(path.size()))});
  int32_t type = 0, rank = 0;
  int64_t extents[PRISM_MAX_RANK];
  EXPECT_RUNS(prism_array_info(back, &type, &rank, extents, error));
  EXPECT_EQ(type, PRISM_F32);
  ASSERT_EQ(rank, 2);
  EXPECT_EQ(extents[0], 2);
  EXPECT_EQ(values<float>(back, 6), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  std::ofstream(folder / "short.npy").write("\x93NUMPY", 6);
  refuses(PRISM_INVALID, (folder / "short.npy").string() + ": ", "load",
          {given((folder / "short.npy").c_str())});
  refuses(PRISM_FAILED, (folder / "none").string(), "load", {given((folder / "none").c_str())});
  refuses(PRISM_FAILED, "No such file", "save", {given((folder / "no" / "folder").c_str()), given(a)});
}

TEST_F(c_array_operations, arrays_of_an_archive_have_their_names) {
  owned<prism_array> a, b, back;
  make<float>(a, PRISM_F32, {1, 2}, {2}), make<int64_t>(b, PRISM_S64, {7}, {});
  const std::string path = folder / "all.npz";
  const std::vector<prism_array*> both{a, b};
  const std::vector<const char*> names{"first", "second"};
  const std::vector<prism_given> arguments{given(path.c_str()),
                                           given(PRISM_GIVEN_TEXTS, names),
                                           given(PRISM_GIVEN_ARRAYS, both),
                                           {sizeof(prism_given), PRISM_GIVEN_BOOL, 0, nullptr, 1, {}}};
  call("savez", arguments);
  EXPECT_EQ(c_tests::text_of([&](char* text, size_t capacity, size_t* needed) {
    return prism_npz_names(path.c_str(), text, capacity, needed, nullptr);
  }),
            "first\nsecond\n");
  call(back, "load_npz", {given(path.c_str()), given("second")});
  EXPECT_EQ(values<int64_t>(back, 1), std::vector<int64_t>{7});
  prism_array* all[2] = {};
  size_t made = 0;
  const prism_given file = given(path.c_str());
  EXPECT_REFUSES(PRISM_TOO_SMALL, "2 results",
                 prism_array_call("load_npz", device, &file, 1, all, 1, &made, error));
  EXPECT_EQ(made, 2u);
  EXPECT_RUNS(prism_array_call("load_npz", device, &file, 1, all, 2, &made, error));
  EXPECT_EQ(values<float>(all[0], 2), (std::vector<float>{1, 2}));
  for (prism_array* each : all) EXPECT_RUNS(prism_release(each, error));
  refuses(PRISM_NOT_FOUND, "all.npz has no array \"third\"", "load_npz",
          {given(path.c_str()), given("third")});
  auto wrong = arguments;
  wrong[1].count = 1;
  refuses(PRISM_INVALID, "1 names for 2 arrays", "savez", wrong);
  wrong[1].count = 2, wrong[1].data = nullptr;
  refuses(PRISM_BAD_POINTER, "argument 1 is NULL", "savez", wrong);
  const std::vector<const char*> with_null{"first", nullptr}, twice{"a", "a"};
  wrong[1] = given(PRISM_GIVEN_TEXTS, with_null);
  refuses(PRISM_BAD_POINTER, "argument 1 is NULL", "savez", wrong);
  wrong[1] = given(PRISM_GIVEN_TEXTS, twice);
  refuses(PRISM_INVALID, "'a'", "savez", wrong);
  EXPECT_REFUSES(PRISM_BAD_POINTER, "path is NULL", prism_npz_names(nullptr, nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_FAILED, "none",
                 prism_npz_names((folder / "none").c_str(), nullptr, 0, nullptr, error));
}

} // namespace
