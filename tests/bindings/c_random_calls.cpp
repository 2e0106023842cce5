#include "tests/bindings/c_random_calls.hpp"

#include <prism.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

namespace c_tests {
namespace {

class program {
public:
  program(const std::uint8_t* bytes, std::size_t size, const char* kernels)
      : m_next(bytes), m_end(bytes + size), m_kernels(kernels) {
    prism_queue* queue = nullptr;
    keep(prism_queue_create(nullptr, 0, &queue, nullptr), queue);
    for (int i = 0; i < 2; ++i) allocate(queue, PRISM_MEMORY_SHARED, 1024);
  }
  ~program() {
    for (void* each : m_handles) prism_release(each, nullptr);
    for (void* each : m_memory) prism_free(each, nullptr);
  }
  std::size_t run() {
    while (m_next != m_end) step();
    return m_succeeded;
  }

private:
  std::uint8_t byte() { return m_next == m_end ? 0 : *m_next++; }

  /// Mostly a handle that was given out, perhaps released; mostly of the wanted kind.
  void* handle(int kind = 0) {
    const std::uint8_t b = byte();
    if (kind != 0 && b >= 64) {
      std::vector<void*> right;
      for (void* each : m_handles)
        if (int(reinterpret_cast<std::uintptr_t>(each) >> 44 & 15) == kind) right.push_back(each);
      if (!right.empty()) return right[b % right.size()];
    }
    if (b < 8) return nullptr;
    if (b < 16) return reinterpret_cast<void*>(std::uintptr_t(b) << (b & 7) * 8 | b);
    return m_handles.empty() ? nullptr : m_handles[b % m_handles.size()];
  }
  template <typename T>
  T* as() {
    return static_cast<T*>(handle(kind_of(static_cast<T*>(nullptr))));
  }
  // Handles have their kind in bits 44 to 47 (bindings/c/handles.hpp).
  static int kind_of(prism_device*) { return 2; }
  static int kind_of(prism_queue*) { return 3; }
  static int kind_of(prism_event*) { return 4; }
  static int kind_of(prism_library*) { return 5; }
  static int kind_of(prism_kernel*) { return 6; }
  static int kind_of(prism_graph*) { return 7; }
  static int kind_of(prism_array*) { return 8; }
  static int kind_of(prism_tasks*) { return 12; }
  static int kind_of(prism_sparse*) { return 13; }
  /// Often the queue that works.
  prism_queue* queue() {
    return byte() < 192 ? static_cast<prism_queue*>(m_handles.empty() ? nullptr : m_handles[0])
                        : as<prism_queue>();
  }
  void* pointer() {
    const std::uint8_t b = byte();
    if (b < 8) return nullptr;
    if (b < 16) return m_host.data() + b;
    void* base = m_memory.empty() ? nullptr : m_memory[b % m_memory.size()];
    static constexpr std::array<std::ptrdiff_t, 8> steps{0, 0, 0, 4, 64, 1, -4, 1 << 20};
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) +
                                   std::uintptr_t(steps[byte() & 7]));
  }
  std::int64_t number() {
    static constexpr std::int64_t extreme[] = {0,         -1,        INT64_MIN, INT64_MAX, INT64_MAX / 2,
                                               1ll << 32, 1ll << 40, -7};
    const std::uint8_t b = byte();
    return b < 224 ? b & 7 : extreme[b & 7];
  }
  std::int32_t type() {
    static constexpr std::int32_t types[] = {PRISM_F32, PRISM_F32, PRISM_F64, PRISM_C32,
                                             PRISM_C64, PRISM_S64, PRISM_F16, 12345};
    return types[byte() & 7];
  }
  std::int32_t operation() {
    static constexpr std::int32_t families[] = {0x0100, 0x0200, 0x0300, 0x0500,
                                                0x0600, 0x0800, 0x0800, 0x0400};
    return families[byte() & 7] + (byte() & 31);
  }
  /// `tidy`: a dense view of n elements in each dimension at the start of memory.
  prism_view view(bool tidy, std::int32_t rank, std::int64_t n) {
    const std::int64_t square[3] = {n, n, n};
    if (tidy && !m_memory.empty())
      return prism_grid(m_memory[byte() % m_memory.size()], PRISM_F32, rank, square);
    prism_view out{};
    out.struct_size = byte() == 0 ? 7 : sizeof out;
    out.data = pointer(), out.type = type(), out.rank = byte() < 240 ? 1 + (byte() & 3) : byte();
    out.flags = byte() < 224 ? 0 : byte();
    for (int d = 0; d < 4; ++d) out.extent[d] = number(), out.stride[d] = number();
    if (byte() < 160 && out.rank <= 3) out = prism_grid(out.data, out.type, out.rank, square);
    return out;
  }
  prism_options options() {
    prism_options out{};
    out.struct_size = byte() == 0 ? 3 : sizeof out;
    out.has_alpha = byte() & 1, out.has_beta = byte() & 1, out.alpha[0] = out.beta[1] = 2;
    out.uplo = byte() & 1, out.kind = byte() & 3, out.number = byte() & 7;
    if (byte() > 240) out.side = byte(), out.diag = byte(), out.uplo = byte(), out.kind = byte();
    return out;
  }

  void check(prism_status status, prism_error*& error) {
    if (status == PRISM_OK) {
      ++m_succeeded;
      if (error != nullptr) broken("a successful call made an error object");
      return;
    }
    if (error == nullptr) broken("a failed call made no error object");
    if (prism_error_code(error) != status || prism_error_message(error)[0] == 0)
      broken("an error object is wrong");
    prism_release(error, nullptr);
    error = nullptr;
  }
  [[noreturn]] static void broken(const char* what) {
    std::fprintf(stderr, "prism.h: %s\n", what);
    std::abort();
  }
  template <typename T>
  void keep(prism_status status, T* made) {
    if (status == PRISM_OK) m_handles.push_back(made);
  }
  void allocate(prism_queue* on, std::int32_t kind, std::size_t bytes) {
    void* made = nullptr;
    prism_error* error = nullptr;
    check(prism_allocate(on, kind, bytes, 0, &made, &error), error);
    if (made != nullptr && kind == PRISM_MEMORY_SHARED) std::memset(made, 0, bytes);
    if (made != nullptr) m_memory.push_back(made);
  }

  void step() {
    prism_error* error = nullptr;
    switch (byte() % 16) {
      case 0: return make_objects();
      case 1: return check(prism_release(handle(), &error), error);
      case 2: return allocate(queue(), byte() & 3, byte());
      case 3: return check(prism_free(pointer(), &error), error);
      case 4:
      case 5: return copy();
      case 6: return launch();
      case 7: return graph();
      case 8: return query();
      case 9: return make_arrays();
      case 10:
      case 11: return call_of_arrays();
      default: return operate();
    }
  }
  void make_objects() {
    prism_error* error = nullptr;
    prism_queue* queue = nullptr;
    prism_device* device = nullptr;
    prism_library* library = nullptr;
    prism_kernel* kernel = nullptr;
    prism_event* event = nullptr;
    prism_status status = PRISM_OK;
    switch (byte() & 7) {
      case 0: keep(status = prism_queue_create(as<prism_device>(), byte() & 7, &queue, &error), queue); break;
      case 1:
        keep(status = prism_device_select(byte() & 1 ? "host" : "no such device", &device, &error), device);
        break;
      case 2: keep(status = prism_queue_device(as<prism_queue>(), &device, &error), device); break;
      case 3:
        keep(status = prism_library_open(byte() < 200 ? m_kernels : nullptr, &library, &error), library);
        break;
      case 4:
        keep(status = prism_kernel_get(as<prism_library>(),
                                       (byte() & 1)   ? "saxpy"
                                       : (byte() & 1) ? "set_to"
                                                      : "reverse_groups",
                                       &kernel, &error),
             kernel);
        break;
      case 5: {
        prism_event* waits[] = {as<prism_event>(), as<prism_event>()};
        keep(status =
                 prism_queue_call(this->queue(), [](void*) {}, nullptr, waits, byte() & 1, &event, &error),
             event);
        break;
      }
      case 6: status = prism_event_wait(as<prism_event>(), &error); break;
      default: status = prism_queue_wait(this->queue(), &error);
    }
    check(status, error);
  }
  void copy() {
    prism_error* error = nullptr;
    prism_event* event = nullptr;
    const std::size_t bytes = byte() < 250 ? byte() & 127u : ~std::size_t(0) / (byte() + 1u);
    prism_status status = PRISM_OK;
    // The host's side cannot be checked: it has room for 128 bytes.
    const std::size_t on_host = std::min<std::size_t>(bytes, 128);
    switch (byte() & 3) {
      case 0:
        status = prism_copy_from_host(queue(), pointer(), m_host.data(), on_host, nullptr, 0, &event, &error);
        break;
      case 1:
        status = prism_copy_to_host(queue(), m_host.data(), pointer(), on_host, nullptr, 0, &event, &error);
        break;
      case 2:
        status =
            prism_fill(queue(), pointer(), m_host.data(), byte() & 31u, bytes, nullptr, 0, &event, &error);
        break;
      default: status = prism_copy(queue(), pointer(), pointer(), bytes, nullptr, 0, &event, &error);
    }
    keep(status, event);
    check(status, error);
    prism_queue_wait(static_cast<prism_queue*>(m_handles.empty() ? nullptr : m_handles[0]), nullptr);
  }
  void make_arrays() {
    prism_error* error = nullptr;
    prism_status status = PRISM_OK;
    if (byte() < 160) {
      prism_array* array = nullptr;
      const std::int64_t extents[4] = {byte() & 3, byte() & 3, 1 + (byte() & 1), number()};
      static constexpr std::int32_t types[] = {PRISM_F32, PRISM_F32, PRISM_S32, PRISM_F64,
                                               PRISM_C32, PRISM_S64, PRISM_S8,  12345};
      // At most 3 x 3 x 2 elements of 8 bytes, or 2^63.
      keep(status = prism_array_from_host(as<prism_device>(), m_host.data(), types[byte() & 7], byte() & 3,
                                          extents, &array, &error),
           array);
      return check(status, error);
    }
    static constexpr const char* formats[] = {"csr", "csc", "coo", "bsr", "csr", "csr", "ell", nullptr};
    prism_sparse* sparse = nullptr;
    keep(status =
             prism_sparse_create(formats[byte() & 7], number(), number(), 1 + (byte() > 240),
                                 as<prism_array>(), as<prism_array>(), as<prism_array>(), &sparse, &error),
         sparse);
    check(status, error);
  }
  /// A function that makes as many elements as its arguments have, so that no call needs much memory.
  void call_of_arrays() {
    static constexpr const char* functions[] = {"einsum",
                                                "conv2d",
                                                "pool2d",
                                                "activate",
                                                "softmax",
                                                "layer_norm",
                                                "attention",
                                                "linear",
                                                "batch_norm",
                                                "sparse_multiply",
                                                "sparse_solve",
                                                "sparse_to_dense",
                                                "load",
                                                "load_npz",
                                                "sparse_product",
                                                "sparse_convert",
                                                "linalg.norm",
                                                "linalg.solve",
                                                "fft.fftn",
                                                "add",
                                                "sum",
                                                "sort",
                                                "matmul",
                                                "transpose",
                                                "linalg.qr",
                                                "linalg.svd",
                                                "batch_statistics",
                                                "pool2d_gradient",
                                                "searchsorted",
                                                "take",
                                                "quantised_matmul",
                                                "quantised_conv2d",
                                                "sparse_from_dense",
                                                "segmented_scan",
                                                "segmented_reduce",
                                                "topk",
                                                "partition_where"};
    static constexpr const char* texts[] = {"ij,jk->ik", "...i->i",    "ii",        "csc",
                                            "relu",      "transposed", "/dev/null", ""};
    prism_error* error = nullptr;
    prism_array* lists[2] = {as<prism_array>(), as<prism_array>()};
    const std::int64_t numbers[2] = {number(), byte() & 3};
    const prism_index indices[2] = {{byte() & 3, 0, 0, 0, byte() & 3, 0, 1}, {byte() & 7, 1, 1, 0, 0, 2, 1}};
    prism_given given[4];
    for (prism_given& each : given) {
      each = {byte() == 0 ? 8 : sizeof each,
              byte() < 128 ? std::int32_t{PRISM_GIVEN_ARRAY} : byte() % 15,
              byte() < 248 ? byte() & 1 : -1,
              nullptr,
              number(),
              {1.5, 0.5}};
      switch (each.kind) {
        case PRISM_GIVEN_ARRAY: each.data = as<prism_array>(); break;
        case PRISM_GIVEN_SPARSE: each.data = as<prism_sparse>(); break;
        case PRISM_GIVEN_TEXT: each.data = texts[byte() & 7]; break;
        case PRISM_GIVEN_TEXTS: each.data = texts, each.count = each.count < 0 ? -1 : byte() & 3; break;
        case PRISM_GIVEN_ARRAYS: each.data = lists, each.count = each.count < 0 ? -1 : byte() % 3; break;
        case PRISM_GIVEN_LIST: each.data = numbers, each.count = each.count < 0 ? -1 : byte() % 3; break;
        case PRISM_GIVEN_INDEX: each.data = indices, each.count = each.count < 0 ? -1 : byte() % 3; break;
        default: break;
      }
      if (byte() == 0) each.data = nullptr;
    }
    prism_array* made[4] = {};
    std::size_t count = 0;
    const prism_status status =
        prism_array_call(functions[byte() & 31], byte() & 1 ? as<prism_device>() : nullptr, given,
                         byte() % 5u, made, byte() < 240 ? 4 : 0, &count, &error);
    for (std::size_t i = 0; status == PRISM_OK && i < std::min<std::size_t>(count, 4); ++i)
      keep(status, made[i]);
    check(status, error);
  }
  void launch() {
    prism_error* error = nullptr;
    const float value = 1;
    std::array<prism_argument, 3> arguments{};
    for (prism_argument& each : arguments) {
      each = {sizeof each, 1 + (byte() & 3), type(), &value, std::uint64_t(number())};
      if (each.kind == PRISM_ARGUMENT_POINTER) each.value = pointer();
    }
    const std::size_t global[3] = {std::size_t(byte() & 15), 1, 1},
                      local[3] = {std::size_t(byte() & 3), 1, 1};
    check(prism_launch(queue(), as<prism_kernel>(), global, byte() & 1 ? local : nullptr, arguments.data(),
                       byte() & 3u, nullptr, 0, nullptr, &error),
          error);
  }
  void graph() {
    prism_error* error = nullptr;
    prism_graph* made = nullptr;
    prism_tasks* tasks = nullptr;
    prism_kernel* kernel = nullptr;
    const std::int32_t value = 1;
    const prism_argument given[2] = {{sizeof *given, PRISM_ARGUMENT_VALUE, PRISM_S32, &value, 0},
                                     {sizeof *given, PRISM_ARGUMENT_POINTER, PRISM_S64, pointer(), byte()}};
    const std::size_t after[1] = {byte() & 3u};
    prism_status status = PRISM_OK;
    switch (byte() & 7) {
      case 4:
        keep(status = prism_tasks_create(queue(), as<prism_library>(), byte() & 7 ? "counting" : "x", &tasks,
                                         &error),
             tasks);
        break;
      case 5:
        status = prism_tasks_add(as<prism_tasks>(), as<prism_kernel>(), byte() & 7u, given, 2, after,
                                 byte() & 1u, nullptr, &error);
        break;
      case 6: status = prism_tasks_run(as<prism_tasks>(), nullptr, 0, nullptr, &error); break;
      case 7:
        keep(status = prism_kernel_create(as<prism_device>(), byte() & 1 ? "cuda" : "spirv", "kernel", 6,
                                          "scale", byte() & 3, nullptr, &kernel, &error),
             kernel);
        break;
      case 0: keep(status = prism_graph_begin(queue(), &made, &error), made); break;
      case 1: status = prism_graph_end(as<prism_graph>(), &error); break;
      default: status = prism_graph_run(queue(), as<prism_graph>(), nullptr, 0, nullptr, &error);
    }
    check(status, error);
  }
  void query() {
    prism_error* error = nullptr;
    std::int32_t status = 0, kind = 0;
    std::uint64_t time = 0;
    std::size_t size = 0;
    char text[64];
    switch (byte() & 7) {
      case 0: return check(prism_event_status(as<prism_event>(), &status, &error), error);
      case 1: return check(prism_event_times(as<prism_event>(), &time, nullptr, nullptr, &error), error);
      case 2: return check(prism_pointer_info(pointer(), &kind, &size, nullptr, &error), error);
      case 3: return check(prism_operation_text(operation(), text, byte() & 63u, &size, &error), error);
      case 4: return check(prism_kernel_text(as<prism_kernel>(), text, byte() & 63u, &size, &error), error);
      case 5:
        return check(prism_device_text(as<prism_device>(), byte() & 1 ? "vendor" : "x", text, byte() & 63u,
                                       nullptr, &error),
                     error);
      case 6: return check(prism_graph_text(as<prism_graph>(), text, byte() & 63u, &size, &error), error);
      default: return check(prism_library_kernels(as<prism_library>(), nullptr, 0, &size, &error), error);
    }
  }
  void operate() {
    prism_error* error = nullptr;
    prism_event* event = nullptr;
    const std::int32_t what = operation();
    const bool tidy = byte() < 160;
    const std::int64_t n = 1 + (byte() & 3);
    prism_view views[5];
    for (std::size_t i = 0; i < 5; ++i) views[i] = view(tidy, rank_of(what, i), n);
    const prism_options how = options();
    const prism_status status = prism_run(queue(), what, views, byte() < 8 ? byte() & 3u : operands_of(what),
                                          byte() & 1 ? &how : nullptr, nullptr, 0, &event, &error);
    keep(status, event);
    check(status, error);
  }
  /// Of the operand in most operations: names of vectors are x, y, r and those of results.
  static std::int32_t rank_of(std::int32_t operation, std::size_t number) {
    if ((operation & 0xff00) == 0x0100 || (operation & 0xff00) == 0x0600) return 1;
    if ((operation & 0xff00) == 0x0200) return number == 0 ? 2 : 1;
    return 2;
  }
  static std::size_t operands_of(std::int32_t operation) {
    char text[64] = "";
    prism_operation_text(operation, text, sizeof text, nullptr, nullptr);
    std::size_t out = 1;
    for (const char* c = text; *c != 0; ++c) out += *c == ' ';
    return out;
  }

  const std::uint8_t *m_next, *m_end;
  const char* m_kernels;
  std::vector<void*> m_handles, m_memory;
  std::array<char, 256> m_host{};
  std::size_t m_succeeded = 0;
};

} // namespace

std::size_t random_calls(const std::uint8_t* bytes, std::size_t size, const char* kernels) {
  return program(bytes, size, kernels).run();
}

} // namespace c_tests
