// Operations of arrays over prism.h: products in Einstein's notation, files, networks, sparse
// matrices. Each against a loop of
// its own.
#include "tests/bindings/c_common.hpp"

#include <cmath>
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

TEST_F(c_array_operations, segments_orders_and_partitions_have_several_results) {
  owned<prism_array> a, offsets, mask, out, values, places;
  make<float>(a, PRISM_F32, {3, 1, 2, 5, 4}, {5});
  make<int64_t>(offsets, PRISM_S64, {0, 2, 2, 5}, {4});
  make<uint8_t>(mask, PRISM_BOOL, {0, 1, 0, 0, 1}, {5});
  const auto elements = [&](const prism_array* of, int64_t count) {
    std::vector<float> read(static_cast<size_t>(count));
    EXPECT_RUNS(prism_array_to_host(of, read.data(), read.size() * sizeof(float), error));
    return read;
  };
  call(out, "segmented_reduce", {given(a), given(offsets)});
  EXPECT_EQ(elements(out, 3), (std::vector<float>{4, 0, 11}));
  call(out, "segmented_scan", {given(a), given(offsets), given("max")});
  EXPECT_EQ(elements(out, 5), (std::vector<float>{3, 3, 2, 5, 5}));
  const prism_given yes{sizeof(prism_given), PRISM_GIVEN_BOOL, 0, nullptr, 1, {}};
  call(out, "segmented_scan", {given(a), given(offsets), given("prod"), yes});
  EXPECT_EQ(elements(out, 5), (std::vector<float>{1, 3, 1, 2, 10}));
  const prism_given two{sizeof(prism_given), PRISM_GIVEN_INTEGER, 0, nullptr, 2, {}};
  const auto pair = [&](const char* name, const std::vector<prism_given>& arguments) {
    prism_array* made[2] = {};
    EXPECT_RUNS(prism_array_call(name, device, arguments.data(), arguments.size(), made, 2, nullptr, error));
    *values.to() = made[0], *places.to() = made[1];
  };
  int64_t numbers[2] = {};
  pair("topk", {given(a), two});
  EXPECT_EQ(elements(values, 2), (std::vector<float>{5, 4}));
  EXPECT_RUNS(prism_array_to_host(places, numbers, sizeof numbers, error));
  EXPECT_EQ(numbers[0], 3);
  EXPECT_EQ(numbers[1], 4);
  pair("partition_where", {given(a), given(mask)});
  EXPECT_EQ(elements(values, 5), (std::vector<float>{1, 4, 3, 2, 5}));
  EXPECT_RUNS(prism_array_to_host(places, numbers, sizeof numbers[0], error));
  EXPECT_EQ(numbers[0], 2);
  refuses(PRISM_INVALID, "it may be sum, prod, min, max", "segmented_reduce",
          {given(a), given(offsets), given("mean")});
  refuses(PRISM_INVALID, "segment 1 has no elements", "segmented_reduce",
          {given(a), given(offsets), given("min")});
  refuses(PRISM_INVALID, "the offsets are integers", "segmented_scan", {given(a), given(a)});
  refuses(PRISM_INVALID, "argument 1 is", "topk", {given(a), given(a)});
}

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

// ---- linear algebra and transforms

TEST_F(c_array_operations, linear_algebra_and_transforms_have_the_names_of_numpy) {
  owned<prism_array> a, b, x, norm, back;
  make<float>(a, PRISM_F32, {2, 1, 1, 3}, {2, 2}), make<float>(b, PRISM_F32, {5, 10}, {2});
  call(x, "linalg.solve", {given(a), given(b)});
  const std::vector<float> solution = values<float>(x, 2);
  EXPECT_NEAR(solution[0], 1, 1e-5);
  EXPECT_NEAR(solution[1], 3, 1e-5);
  call(norm, "linalg.norm", {given(a), given("fro")});
  EXPECT_NEAR(values<float>(norm, 1)[0], std::sqrt(15.0), 1e-5);
  prism_array* both[2] = {};
  const prism_given argument = given(a);
  EXPECT_RUNS(prism_array_call("linalg.eigh", device, &argument, 1, both, 2, nullptr, error));
  EXPECT_NEAR(values<float>(both[0], 2)[1], (5 + std::sqrt(5.0)) / 2, 1e-5);
  for (prism_array* each : both) EXPECT_RUNS(prism_release(each, error));
  call(x, "fft.rfft", {given(b)});
  EXPECT_EQ(values<float>(x, 4), (std::vector<float>{15, 0, -5, 0}));
  call(back, "fft.irfft", {given(x)});
  EXPECT_NEAR(values<float>(back, 2)[1], 10, 1e-5);
  refuses(PRISM_INVALID, "\"one\"; it may be a number, fro, nuc", "linalg.norm", {given(a), given("one")});
  refuses(PRISM_INVALID, "it may be backward", "fft.fft",
          {given(b),
           {sizeof(prism_given), PRISM_GIVEN_NOTHING, 0, nullptr, 0, {}},
           {sizeof(prism_given), PRISM_GIVEN_INTEGER, 0, nullptr, 0, {}},
           given("half")});
  refuses(PRISM_INVALID, "has no matrices", "linalg.inv", {given(b)});
  refuses(PRISM_BAD_HANDLE, "NULL", "linalg.svd", {given(static_cast<prism_array*>(nullptr))});
}

// ---- networks

std::vector<float> waves(size_t count) {
  std::vector<float> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = float(std::sin(double(i) * 1.7));
  return out;
}
prism_given integer(int64_t value) {
  return {sizeof(prism_given), PRISM_GIVEN_INTEGER, 0, nullptr, value, {}};
}
constexpr prism_given nothing{sizeof(prism_given), PRISM_GIVEN_NOTHING, 0, nullptr, 0, {}};

TEST_F(c_array_operations, a_convolution_is_its_sums) {
  const std::vector<float> x = waves(2 * 3 * 5 * 4), w = waves(2 * 3 * 3 * 2);
  std::vector<float> wanted(2 * 2 * 3 * 4); // stride 2 and 1, padding 1 and 0, dilation 1 and 1
  const auto at = [&](size_t n, size_t c, int64_t i, size_t j) {
    return i < 0 || i > 4 ? 0.0f : x[((n * 3 + c) * 5 + size_t(i)) * 4 + j];
  };
  size_t next = 0;
  for (size_t n = 0; n < 2; ++n)
    for (size_t o = 0; o < 2; ++o)
      for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 3; ++j, ++next)
          for (size_t c = 0; c < 3; ++c)
            for (size_t r = 0; r < 3; ++r)
              for (size_t s = 0; s < 2; ++s)
                wanted[next] += at(n, c, int64_t(2 * i + r) - 1, j + s) * w[((o * 3 + c) * 3 + r) * 2 + s];
  wanted.resize(next);
  owned<prism_array> a, weights, y;
  make(a, PRISM_F32, x, {2, 3, 5, 4}), make(weights, PRISM_F32, w, {2, 3, 3, 2});
  const std::vector<int64_t> stride{2, 1}, padding{1, 0};
  call(
      y, "conv2d",
      {given(a), given(weights), nothing, given(PRISM_GIVEN_LIST, stride), given(PRISM_GIVEN_LIST, padding)});
  const std::vector<float> found = values<float>(y, wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-5) << i;
}

TEST_F(c_array_operations, rows_of_softmax_have_the_sum_one_and_attention_averages_by_them) {
  const std::vector<float> q = waves(2 * 3), k = waves(4 * 3), v = waves(4 * 2);
  owned<prism_array> one, two, three, y, soft;
  make(one, PRISM_F32, q, {1, 1, 2, 3}), make(two, PRISM_F32, k, {1, 1, 4, 3});
  make(three, PRISM_F32, v, {1, 1, 4, 2});
  call(y, "attention", {given(one), given(two), given(three)});
  const std::vector<float> found = values<float>(y, 4);
  for (size_t i = 0; i < 2; ++i) {
    double sum = 0, wanted[2] = {};
    for (size_t j = 0; j < 4; ++j) {
      double score = 0;
      for (size_t d = 0; d < 3; ++d) score += double(q[i * 3 + d]) * double(k[j * 3 + d]);
      const double weight = std::exp(score / std::sqrt(3.0));
      sum += weight;
      for (size_t e = 0; e < 2; ++e) wanted[e] += weight * double(v[j * 2 + e]);
    }
    for (size_t e = 0; e < 2; ++e) EXPECT_NEAR(double(found[i * 2 + e]), wanted[e] / sum, 1e-5);
  }
  call(soft, "softmax", {given(two)});
  const std::vector<float> rows = values<float>(soft, 12);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(rows[i * 3] + rows[i * 3 + 1] + rows[i * 3 + 2], 1, 1e-5);
}

TEST_F(c_array_operations, wrong_arguments_of_networks_are_named) {
  owned<prism_array> x, w, whole;
  make(x, PRISM_F32, waves(16), {1, 1, 4, 4}), make(w, PRISM_F32, waves(9), {1, 1, 3, 3});
  make<int64_t>(whole, PRISM_S64, std::vector<int64_t>(16, 1), {1, 1, 4, 4});
  refuses(PRISM_BAD_HANDLE, "argument 1 is NULL", "conv2d",
          {given(x), given(static_cast<prism_array*>(nullptr))});
  refuses(PRISM_BAD_HANDLE, "is a queue", "conv2d",
          {given(x), given(reinterpret_cast<prism_array*>(queue.handle))});
  refuses(PRISM_INVALID, "x is of int64", "conv2d", {given(whole), given(w)});
  refuses(PRISM_INVALID, "the weights is of int64", "conv2d", {given(x), given(whole)});
  refuses(PRISM_INVALID, "argument 1 is an integer", "conv2d", {given(x), integer(3)});
  refuses(PRISM_INVALID, "argument 3 has 0", "conv2d", {given(x), given(w), nothing, integer(0)});
  refuses(PRISM_INVALID, "argument 6 is 0", "conv2d",
          {given(x), given(w), nothing, nothing, nothing, nothing, integer(0)});
  refuses(PRISM_INVALID, "does not fit x", "conv2d", {given(w), given(x)});
  refuses(PRISM_INVALID, "\"cube\"; it may be none, relu", "activate", {given(x), given("cube")});
  refuses(PRISM_INVALID, "argument 2, the height", "conv2d_gradient_of_data", {given(x), given(w)});
  refuses(PRISM_INVALID, "dy", "pool2d_gradient", {given(x), given(w)});
  refuses(PRISM_INVALID, "gamma", "layer_norm", {given(x), given(w), given(w)});
  refuses(PRISM_INVALID, "int8", "quantised_matmul", {given(x), integer(0), given(x)});
  prism_array* freed = nullptr;
  const int64_t extent = 1;
  const float number = 1;
  EXPECT_RUNS(prism_array_from_host(device, &number, PRISM_F32, 1, &extent, &freed, error));
  EXPECT_RUNS(prism_release(freed, error));
  refuses(PRISM_BAD_HANDLE, "was released", "softmax", {given(freed)});
}

// ---- sparse matrices

struct c_sparse : c_array_operations {
  // 1 0 2 0
  // 0 3 0 0
  // 4 0 5 6
  const std::vector<float> dense{1, 0, 2, 0, 0, 3, 0, 0, 4, 0, 5, 6};
  owned<prism_array> offsets, indices, numbers;
  owned<prism_sparse> matrix;
  void SetUp() override {
    c_array_operations::SetUp();
    make<int32_t>(offsets, PRISM_S32, {0, 2, 3, 6}, {4});
    make<int32_t>(indices, PRISM_S32, {0, 2, 1, 0, 2, 3}, {6});
    make<float>(numbers, PRISM_F32, {1, 2, 3, 4, 5, 6}, {6});
    EXPECT_RUNS(prism_sparse_create("csr", 3, 4, 1, offsets, indices, numbers, matrix.to(), error));
  }
  static prism_given given(const prism_sparse* of) {
    return {sizeof(prism_given), PRISM_GIVEN_SPARSE, 0, of, 0, {}};
  }
  using c_array_operations::given;
  /// The results of a function that has three.
  void parts(owned<prism_array> (&to)[3], const char* name, const std::vector<prism_given>& arguments) {
    prism_array* made[3] = {};
    EXPECT_RUNS(prism_array_call(name, device, arguments.data(), arguments.size(), made, 3, nullptr, error));
    for (int i = 0; i < 3; ++i) *to[i].to() = made[i];
  }
};

TEST_F(c_sparse, a_product_is_that_of_the_dense_matrix) {
  owned<prism_array> x, y, both, back;
  make<float>(x, PRISM_F32, {1, 10, 100, 1000}, {4});
  call(y, "sparse_multiply", {given(matrix), given(x)});
  EXPECT_EQ(values<float>(y, 3), (std::vector<float>{201, 30, 6504}));
  make<float>(both, PRISM_F32, {1, 0, 10, 1, 100, 0}, {3, 2});
  call(y, "sparse_multiply", {given(matrix), given(both), given("transposed")});
  EXPECT_EQ(values<float>(y, 8), (std::vector<float>{401, 0, 30, 3, 502, 0, 600, 0}));
  call(back, "sparse_to_dense", {given(matrix)});
  EXPECT_EQ(values<float>(back, 12), dense);
}

TEST_F(c_sparse, other_formats_and_products_of_two_are_parts_of_new_matrices) {
  owned<prism_array> csc[3], square[3], back;
  owned<prism_sparse> columns, product;
  parts(csc, "sparse_convert", {given(matrix), given("csc")});
  EXPECT_EQ(values<int32_t>(csc[0], 5), (std::vector<int32_t>{0, 2, 3, 5, 6}));
  EXPECT_EQ(values<float>(csc[2], 6), (std::vector<float>{1, 4, 3, 2, 5, 6}));
  EXPECT_RUNS(prism_sparse_create("csc", 3, 4, 1, csc[0], csc[1], csc[2], columns.to(), error));
  parts(square, "sparse_product", {given(matrix), given(columns), given("none"), given("transposed")});
  EXPECT_RUNS(prism_sparse_create("csr", 3, 3, 1, square[0], square[1], square[2], product.to(), error));
  call(back, "sparse_to_dense", {given(product)});
  std::vector<float> wanted(9, 0.0f);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 4; ++k) wanted[i * 3 + j] += dense[i * 4 + k] * dense[j * 4 + k];
  EXPECT_EQ(values<float>(back, 9), wanted);
}

TEST_F(c_sparse, a_triangle_is_solved) {
  owned<prism_array> whole, triangle[3], b, x;
  owned<prism_sparse> lower;
  make<float>(whole, PRISM_F32, {2, 0, 0, 1, 4, 0, 0, 3, 5}, {3, 3});
  parts(triangle, "sparse_from_dense", {given(whole), given("csr")});
  EXPECT_RUNS(prism_sparse_create("csr", 3, 3, 1, triangle[0], triangle[1], triangle[2], lower.to(), error));
  make<float>(b, PRISM_F32, {2, 9, 16}, {3});
  call(x, "sparse_solve", {given(lower), given(b)});
  EXPECT_EQ(values<float>(x, 3), (std::vector<float>{1, 2, 2}));
}

TEST_F(c_sparse, wrong_matrices_and_operands_are_named) {
  owned<prism_sparse> out;
  owned<prism_array> whole, beyond, x;
  make<int64_t>(whole, PRISM_S64, {0, 2, 3, 6}, {4});
  make<int32_t>(beyond, PRISM_S32, {0, 2, 1, 0, 4, 3}, {6});
  make<float>(x, PRISM_F32, {1, 2, 3, 4}, {4});
  const auto refuses_matrix = [&](prism_status wanted, const char* part, const char* format, int64_t rows,
                                  int64_t block, const prism_array* o, const prism_array* i,
                                  const prism_array* v) {
    EXPECT_REFUSES(wanted, part, prism_sparse_create(format, rows, 4, block, o, i, v, out.to(), error));
  };
  refuses_matrix(PRISM_BAD_POINTER, "format is NULL", nullptr, 3, 1, offsets, indices, numbers);
  refuses_matrix(PRISM_INVALID, "it may be csr, csc", "ell", 3, 1, offsets, indices, numbers);
  refuses_matrix(PRISM_INVALID, "rows is -1", "csr", -1, 1, offsets, indices, numbers);
  refuses_matrix(PRISM_INVALID, "block is 0", "csr", 3, 0, offsets, indices, numbers);
  refuses_matrix(PRISM_INVALID, "csr has no blocks", "csr", 3, 2, offsets, indices, numbers);
  refuses_matrix(PRISM_INVALID, "instead of", "csr", 4, 1, offsets, indices, numbers);
  refuses_matrix(PRISM_INVALID, "index 4 is 4", "csr", 3, 1, offsets, beyond, numbers);
  refuses_matrix(PRISM_INVALID, "offsets is of int64", "csr", 3, 1, whole, indices, numbers);
  refuses_matrix(PRISM_INVALID, "values is of int32", "csr", 3, 1, offsets, indices, indices);
  refuses_matrix(PRISM_BAD_HANDLE, "indices is NULL", "csr", 3, 1, offsets, nullptr, numbers);
  refuses_matrix(PRISM_BAD_HANDLE, "is a sparse matrix, not an array", "csr", 3, 1, offsets, indices,
                 reinterpret_cast<prism_array*>(matrix.handle));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "sparse is NULL",
                 prism_sparse_create("csr", 3, 4, 1, offsets, indices, numbers, nullptr, error));
  refuses(PRISM_BAD_HANDLE, "argument 0 is an array, not a sparse matrix", "sparse_multiply",
          {given(reinterpret_cast<prism_sparse*>(x.handle)), given(x)});
  refuses(PRISM_INVALID, "argument 0 is an array, not a sparse matrix", "sparse_multiply",
          {given(x), given(x)});
  refuses(PRISM_BAD_HANDLE, "NULL", "sparse_to_dense", {given(static_cast<prism_sparse*>(nullptr))});
  refuses(PRISM_INVALID, "argument 0 is a sparse matrix, not an array", "sin", {given(matrix)});
  refuses(PRISM_INVALID, "x has 4 rows instead of 3", "sparse_multiply",
          {given(matrix), given(x), given("transposed")});
  refuses(PRISM_INVALID, "it may be none, transposed", "sparse_multiply",
          {given(matrix), given(x), given("inverse")});
  refuses(PRISM_INVALID, "triangular", "sparse_solve", {given(matrix), given(x)});
  refuses(PRISM_INVALID, "whole blocks", "sparse_convert", {given(matrix), given("bsr"), integer(2)});
  prism_sparse* freed = nullptr;
  EXPECT_RUNS(prism_sparse_create("csr", 3, 4, 1, offsets, indices, numbers, &freed, error));
  EXPECT_RUNS(prism_release(freed, error));
  refuses(PRISM_BAD_HANDLE, "was released: it was a sparse matrix", "sparse_to_dense", {given(freed)});
}

} // namespace
