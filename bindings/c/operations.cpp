// prism_run: one validation for every operation, by operation_table.hpp, then the library's own entry points
// for plain data (prism/blas/request.hpp and its siblings), which check extents.
#include "bindings/c/objects.hpp"
#include "bindings/c/operation_table.hpp"

#include <prism/convolve.hpp>
#include <prism/fft.hpp>
#include <prism/linalg.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace prism::c_interface {
namespace {

enum type_kind { float_kind = 1, bfloat_kind = 2, complex_kind = 3, signed_kind = 4, unsigned_kind = 5 };
int kind_of(std::int32_t type) { return type & 0xff; }
bool is_number_of_lapack(std::int32_t type) {
  return type == PRISM_F32 || type == PRISM_F64 || type == PRISM_C32 || type == PRISM_C64;
}
std::int32_t real_of(std::int32_t type) {
  return kind_of(type) == complex_kind ? type - complex_kind + float_kind : type;
}
std::int32_t complex_of(std::int32_t type) {
  return kind_of(type) == float_kind ? type - float_kind + complex_kind : type;
}

/// A call under validation.
struct call {
  std::shared_ptr<queue_object> queue;
  const operation_row* row = nullptr;
  const prism_view* operands = nullptr;
  std::size_t count = 0;
  prism_options options{};
  std::vector<sycl::event> before;
  std::vector<std::string> names; // with the kind in front
  std::vector<allocation_ref> memory;

  std::string name(std::size_t i) const {
    return std::string(row->name) + ": operand " + names[i].substr(1, names[i].find('=') - 1);
  }
  [[noreturn]] void refuse(std::size_t i, const std::string& why) const {
    throw failure(PRISM_INVALID, name(i) + " " + why);
  }
};

std::vector<std::string> divided(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

/// The options of the caller, whose version may have fewer members.
prism_options options_of(const prism_options* given) {
  prism_options out{};
  if (given != nullptr) {
    required(given, "options");
    if (given->struct_size < sizeof(std::size_t) || given->struct_size > 4096)
      throw failure(PRISM_INVALID, "options.struct_size is " + std::to_string(given->struct_size) +
                                       "; set it to sizeof(prism_options)");
    std::memcpy(&out, given, std::min(given->struct_size, sizeof out));
  }
  if (!out.has_alpha) out.alpha[0] = 1, out.alpha[1] = 0;
  if (!out.has_beta) out.beta[0] = out.beta[1] = 0;
  const auto one_of = [](std::int32_t value, const char* name) {
    if (value < 0 || value > 2)
      throw failure(PRISM_INVALID, std::string("options.") + name + " is " + std::to_string(value) +
                                       ", not one of its two values");
  };
  one_of(out.uplo, "uplo"), one_of(out.side, "side"), one_of(out.diag, "diag");
  if (out.scale == 0) out.scale = 1;
  return out;
}

/// Elements before and behind the first, as far as the view reaches. False where that overflows.
bool reach_of(const prism_view& v, std::int64_t& lowest, std::int64_t& highest) {
  lowest = highest = 0;
  for (int d = 0; d < v.rank; ++d) {
    if (v.extent[d] < 2) continue;
    std::int64_t step = 0;
    if (__builtin_mul_overflow(v.extent[d] - 1, v.stride[d], &step)) return false;
    if (__builtin_add_overflow(step < 0 ? lowest : highest, step, step < 0 ? &lowest : &highest))
      return false;
  }
  return true;
}

bool is_empty(const prism_view& v) {
  return std::any_of(v.extent, v.extent + v.rank, [](std::int64_t n) { return n == 0; });
}

/// Everything that does not depend on the operation.
void check_view(call& c, std::size_t i) {
  const prism_view& v = c.operands[i];
  if (v.struct_size != sizeof(prism_view))
    c.refuse(i, "has a struct_size of " + std::to_string(v.struct_size) + "; set it to sizeof(prism_view)");
  const std::size_t size = bytes_of_type(v.type);
  if (size == 0) c.refuse(i, "has no type: " + std::to_string(v.type));
  if (v.rank < 1 || v.rank > 4) c.refuse(i, "has rank " + std::to_string(v.rank));
  if ((v.flags & ~(std::uint32_t{PRISM_CONJUGATED} | PRISM_BATCHED)) != 0) c.refuse(i, "has unknown flags");
  const bool written = c.names[i].back() == '=';
  if (written && (v.flags & PRISM_CONJUGATED) != 0) c.refuse(i, "is written and cannot be conjugated");
  for (int d = 0; d < v.rank; ++d)
    if (v.extent[d] < 0) c.refuse(i, "has the extent " + std::to_string(v.extent[d]));
  if (is_empty(v)) return;
  std::int64_t lowest = 0, highest = 0, low = 0, high = 0;
  if (!reach_of(v, lowest, highest) || __builtin_mul_overflow(lowest, std::int64_t(size), &low) ||
      __builtin_add_overflow(highest, 1, &highest) ||
      __builtin_mul_overflow(highest, std::int64_t(size), &high))
    c.refuse(i, "reaches beyond 2^63 bytes");
  c.memory.push_back(memory_for(*c.queue, v.data, low, high, alignment_of_type(v.type), c.name(i)));
}

// ---- BLAS and linear algebra

prism_provider_operand operand_of(const prism_view& v) {
  prism_provider_operand out{};
  out.type = v.type, out.rank = v.rank;
  out.flags = kind_of(v.type) == complex_kind ? v.flags & PRISM_CONJUGATED : 0;
  std::copy(v.extent, v.extent + v.rank, out.extent);
  std::copy(v.stride, v.stride + v.rank, out.stride);
  return out;
}

template <typename Request>
void add_operand(Request& r, const prism_provider_operand& o, void* data) {
  r.operands[r.what.operand_count].pointer = data;
  r.what.operand[r.what.operand_count++] = o;
}

template <typename Request>
void set_scalars(Request& r, const prism_options& o) {
  std::copy(o.alpha, o.alpha + 2, r.alpha);
  std::copy(o.beta, o.beta + 2, r.beta);
}

/// The type that an operand of this kind has when the matrix is of `type`.
std::int32_t wanted_type(char kind, std::int32_t type) {
  switch (kind) {
    case 'R': return real_of(type);
    case 'I': return PRISM_S64;
    case 'C':
    case 'D': return complex_of(type);
    default: return type;
  }
}

/// Whether the operands are those of a product of narrow types (prism/blas.hpp).
bool is_narrow_product(const call& c) {
  const std::int32_t type = c.operands[0].type;
  if (c.row->number != PRISM_GEMM || (type != PRISM_F16 && type != PRISM_BF16 && type != PRISM_S8))
    return false;
  if (c.operands[1].type != type)
    c.refuse(1, "is of " + name_of_type(c.operands[1].type) + ", not of " + name_of_type(type));
  const std::int32_t own = type == PRISM_S8 ? std::int32_t{PRISM_S32} : type, written = c.operands[2].type;
  if (written != own && written != PRISM_F32)
    c.refuse(2, "is of " + name_of_type(written) + ", not of " + name_of_type(own) + " or float");
  return true;
}

/// The library leaves types to its callers, because C++ checks them when it compiles.
void require_types(const call& c) {
  if (is_narrow_product(c)) return;
  if (!is_number_of_lapack(c.operands[0].type))
    c.refuse(0, "is of " + name_of_type(c.operands[0].type) + ", not of float, double or complex numbers");
  for (std::size_t i = 0; i < c.count; ++i)
    if (const std::int32_t wanted = wanted_type(c.names[i][0], c.operands[0].type);
        c.operands[i].type != wanted)
      c.refuse(i, "is of " + name_of_type(c.operands[i].type) + ", not of " + name_of_type(wanted));
}

/// The operation of the library, and which operand it takes as its conjugate; -1: none.
struct library_operation {
  std::int32_t number;
  int conjugated = -1;
};
library_operation library_operation_of(std::int32_t number) {
  switch (number) {
    case PRISM_DOTC: return {PRISM_DOT, 0};
    case PRISM_GERC: return {PRISM_GER, 1};
    case PRISM_ROTG: return {PRISM_ROT}; // run_rotg() takes such a request
    default: return {number};
  }
}

sycl::event run_blas(call& c) {
  require_types(c);
  const library_operation operation = library_operation_of(c.row->number);
  blas::detail::request r(operation.number);
  set_scalars(r, c.options);
  const auto taken = [&](char letter, std::int32_t given, std::int32_t usual) {
    return given == 0 && std::strchr(c.row->takes, letter) != nullptr ? usual : given;
  };
  r.what.uplo = taken('u', c.options.uplo, PRISM_UPLO_UPPER);
  r.what.side = taken('s', c.options.side, PRISM_SIDE_LEFT);
  r.what.diag = taken('d', c.options.diag, PRISM_DIAG_NON_UNIT);
  for (std::size_t i = 0; i < c.count; ++i) {
    const std::int32_t most = c.row->number == PRISM_ROTG ? 1 : c.row->batched ? 3 : 2;
    if (c.operands[i].rank > most) c.refuse(i, "has rank " + std::to_string(c.operands[i].rank));
    prism_provider_operand operand = operand_of(c.operands[i]);
    if (int(i) == operation.conjugated) {
      if ((c.operands[i].flags & PRISM_CONJUGATED) != 0) c.refuse(i, "is conjugated by the operation itself");
      if (kind_of(operand.type) == complex_kind) operand.flags |= PRISM_CONJUGATED;
    }
    add_operand(r, operand, c.operands[i].data);
  }
  if (c.row->number == PRISM_ROTG) return blas::detail::run_rotg(c.queue->queue, r, c.before);
  return blas::detail::run(c.queue->queue, r, c.before);
}

/// In a batch a vector for each matrix is a row of a matrix, and a number for each an element of a vector;
/// the library has the matrices last.
prism_provider_operand linalg_operand(const call& c, std::size_t i, bool batch) {
  const prism_view& v = c.operands[i];
  const char kind = c.names[i][0];
  const bool matrix = kind == 'M' || kind == 'D';
  const int rank = (matrix ? 2 : 1) + (batch ? 1 : 0);
  if (v.rank != rank && !(batch && !matrix && v.rank == 1))
    c.refuse(i, "has rank " + std::to_string(v.rank) + ", not " + std::to_string(rank));
  prism_provider_operand out = operand_of(v);
  if (batch && !matrix) {
    const bool each_has_one = v.rank == 1;
    out.rank = 2;
    out.extent[0] = each_has_one ? 1 : v.extent[1], out.stride[0] = each_has_one ? 1 : v.stride[1];
    out.extent[1] = v.extent[0], out.stride[1] = v.stride[0];
  }
  return out;
}

sycl::event run_linalg(call& c) {
  using linalg::detail::task;
  require_types(c);
  const bool batch = c.operands[0].rank == 3;
  if (batch && !c.row->batched) c.refuse(0, "has rank 3, but there is no batch of this operation");
  linalg::detail::request r(c.row->task);
  r.lower = c.options.uplo == PRISM_UPLO_LOWER, r.right = c.options.side == PRISM_SIDE_RIGHT;
  r.tolerance = c.options.tolerance;
  const std::int32_t most = c.row->task == task::norm         ? 3
                            : c.row->task == task::lu_solve   ? 2
                            : c.row->task == task::multiply_q ? 1
                                                              : 0;
  if (c.options.kind < 0 || c.options.kind > most)
    throw failure(PRISM_INVALID, std::string(c.row->name) + ": options.kind is " +
                                     std::to_string(c.options.kind) + ", beyond " + std::to_string(most));
  r.option = c.options.kind, r.adjoint = c.options.kind == 1;
  for (std::size_t i = 0; i < c.count; ++i) add_operand(r, linalg_operand(c, i, batch), c.operands[i].data);
  return linalg::detail::run(c.queue->queue, r, c.before);
}

// ---- transforms and convolutions

fft::detail::shape shape_of(const call& c, std::size_t i) {
  const prism_view& v = c.operands[i];
  const bool batched = (v.flags & PRISM_BATCHED) != 0;
  const int rank = v.rank - (batched ? 1 : 0);
  if (rank < 1 || rank > 3) c.refuse(i, "has " + std::to_string(rank) + " dimensions; 1 to 3 are possible");
  fft::detail::shape out;
  out.rank = rank, out.parts = kind_of(v.type) == complex_kind ? 2 : 1;
  for (int d = 0; d < rank; ++d) {
    out.extent[std::size_t(d)] = static_cast<std::size_t>(v.extent[d]);
    out.stride[std::size_t(d)] = v.stride[d];
  }
  if (batched) out.count = static_cast<std::size_t>(v.extent[rank]), out.between = v.stride[rank];
  return out;
}

fft::detail::memory memory_at(const prism_view& v) {
  fft::detail::memory out;
  out.pointer = v.data;
  return out;
}

void require_one_precision(const call& c) {
  for (std::size_t i = 0; i < c.count; ++i) {
    const std::int32_t type = c.operands[i].type;
    const bool half = type == PRISM_F16 && c.row->of == family::transform;
    if (!is_number_of_lapack(type) && !half)
      c.refuse(i, "is of " + name_of_type(type) + ", which " + c.row->name + " does not have");
    if (real_of(type) != real_of(c.operands[0].type))
      c.refuse(i,
               "is of " + name_of_type(type) + ", the first operand of " + name_of_type(c.operands[0].type));
    if ((c.operands[i].flags & PRISM_CONJUGATED) != 0)
      c.refuse(i, std::string("cannot be conjugated in ") + c.row->name);
  }
}

void require_option(const call& c, const char* name, std::int32_t value, std::int32_t least,
                    std::int32_t most) {
  if (value < least || value > most)
    throw failure(PRISM_INVALID, std::string(c.row->name) + ": options." + name + " is " +
                                     std::to_string(value) + ", not " + std::to_string(least) + " to " +
                                     std::to_string(most));
}

sycl::event run_transform(call& c) {
  require_one_precision(c);
  require_option(c, "kind", c.options.kind, 0, 2);
  fft::detail::description what;
  what.bits = c.operands[0].type >> 8 & 0xff;
  what.in = shape_of(c, 0), what.out = shape_of(c, 1);
  what.backward = c.row->number == PRISM_BACKWARD;
  what.normalisation = c.options.kind, what.scale = c.options.scale;
  if (c.row->number == PRISM_COSINES) {
    require_option(c, "number", c.options.number, 1, 4);
    what.cosine = c.options.number;
    if (what.in.parts + what.out.parts != 2) c.refuse(0, "and the result need to be real");
  } else if (what.in.parts + what.out.parts < 3) {
    c.refuse(0, "or the result needs to be complex");
  }
  fft::detail::require_fit(what);
  sycl::queue& queue = c.queue->queue;
  return fft::detail::run(queue, fft::detail::remembered(queue, what), what, memory_at(c.operands[0]),
                          memory_at(c.operands[1]), c.before);
}

sycl::event run_convolution(call& c) {
  require_one_precision(c);
  require_option(c, "kind", c.options.kind, 0, 2);
  for (std::size_t i = 1; i < 3; ++i)
    if (c.operands[i].type != c.operands[0].type)
      c.refuse(i, "is of " + name_of_type(c.operands[i].type) + ", the first operand of " +
                      name_of_type(c.operands[0].type));
  convolve::detail::description what;
  what.bits = c.operands[0].type >> 8 & 0xff;
  what.correlates = c.row->number == PRISM_CORRELATE;
  what.which = static_cast<convolve::mode>(c.options.kind);
  what.a = shape_of(c, 0), what.b = shape_of(c, 1), what.out = shape_of(c, 2);
  return convolve::detail::run(c.queue->queue, what, memory_at(c.operands[0]), memory_at(c.operands[1]),
                               memory_at(c.operands[2]), c.before);
}

const operation_row& row_of(std::int32_t operation) {
  const operation_row* found = find_operation(operation);
  if (found == nullptr) {
    char text[48];
    std::snprintf(text, sizeof text, "there is no operation 0x%04x", static_cast<unsigned>(operation));
    throw failure(PRISM_NOT_FOUND, text);
  }
  return *found;
}

} // namespace

std::size_t bytes_of_type(std::int32_t type) {
  switch (type) {
    case PRISM_S8:
    case PRISM_U8: return 1;
    case PRISM_F16:
    case PRISM_BF16:
    case PRISM_S16:
    case PRISM_U16: return 2;
    case PRISM_F32:
    case PRISM_S32:
    case PRISM_U32: return 4;
    case PRISM_F64:
    case PRISM_C32:
    case PRISM_S64:
    case PRISM_U64: return 8;
    case PRISM_C64: return 16;
    default: return 0;
  }
}

std::size_t alignment_of_type(std::int32_t type) {
  const std::size_t bytes = bytes_of_type(type);
  return kind_of(type) == complex_kind ? bytes / 2 : std::max<std::size_t>(bytes, 1);
}

std::string name_of_type(std::int32_t type) {
  const std::string bits = std::to_string(bytes_of_type(type) * 8);
  if (bytes_of_type(type) == 0) return "type " + std::to_string(type);
  switch (kind_of(type)) {
    case float_kind: return type == PRISM_F16 ? "half" : type == PRISM_F32 ? "float" : "double";
    case bfloat_kind: return "bfloat16";
    case complex_kind: return type == PRISM_C32 ? "complex float" : "complex double";
    case signed_kind: return "int" + bits;
    default: return "uint" + bits;
  }
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_run(const prism_queue* queue, int32_t operation, const prism_view* operands, size_t count,
                       const prism_options* options, prism_event* const* waits, size_t wait_count,
                       prism_event** event, prism_error** error) {
  return guarded("prism_run", error, [&] {
    call c;
    c.queue = find<queue_object>(queue, "queue");
    c.row = &row_of(operation);
    c.names = divided(c.row->operands);
    if (count != c.names.size())
      throw failure(PRISM_INVALID, std::string(c.row->name) + " has " + std::to_string(c.names.size()) +
                                       " operands, not " + std::to_string(count));
    c.operands = required(operands, "operands"), c.count = count;
    c.options = options_of(options);
    optional(event, "event");
    for (std::size_t i = 0; i < count; ++i) check_view(c, i);
    c.before = events_of(waits, wait_count);
    const sycl::event done = c.row->of == family::blas        ? run_blas(c)
                             : c.row->of == family::linalg    ? run_linalg(c)
                             : c.row->of == family::transform ? run_transform(c)
                                                              : run_convolution(c);
    c.queue->submitted(done, c.memory);
    give_event(event, *c.queue, done);
  });
}

prism_status prism_operation_find(const char* name, int32_t* operation, prism_error** error) {
  return guarded("prism_operation_find", error, [&] {
    required(name, "name"), required(operation, "operation");
    const operation_row* found = find_operation(std::string(name));
    if (found == nullptr)
      throw failure(PRISM_NOT_FOUND,
                    std::string("there is no operation \"") + name + "\"; there are " + operation_names());
    *operation = found->number;
  });
}

prism_status prism_operation_text(int32_t operation, char* text, size_t capacity, size_t* needed,
                                  prism_error** error) {
  return guarded("prism_operation_text", error, [&] {
    std::string out;
    for (const std::string& each : divided(row_of(operation).operands)) {
      if (!out.empty()) out += ' ';
      out.append(each, 1);
    }
    give_text(out, text, capacity, needed);
  });
}

prism_status prism_operation_explain(const prism_device* device, const char* operation, const char* type,
                                     size_t n, char* text, size_t capacity, size_t* needed,
                                     prism_error** error) {
  return guarded("prism_operation_explain", error, [&] {
    required(operation, "operation"), required(type, "type");
    give_text(prism::blas::explain(device_of(device), operation, type, n), text, capacity, needed);
  });
}

static prism_view dense(void* data, int32_t type, int32_t rank, const int64_t* extents) {
  prism_view out{};
  out.struct_size = sizeof out, out.data = data, out.type = type;
  if (rank < 1 || rank > 4 || extents == nullptr) return out; // rank 0, which every function refuses
  out.rank = rank;
  int64_t stride = 1;
  for (int32_t d = rank - 1; d >= 0; --d) {
    out.extent[d] = extents[d], out.stride[d] = stride;
    // Beyond 2^63 the view is refused; the other strides do not matter then.
    if (__builtin_mul_overflow(stride, extents[d] > 1 ? extents[d] : 1, &stride)) stride = INT64_MAX;
  }
  return out;
}

prism_view prism_vector(void* data, int32_t type, int64_t elements) {
  return dense(data, type, 1, &elements);
}
prism_view prism_matrix(void* data, int32_t type, int64_t rows, int64_t columns) {
  const int64_t extents[] = {rows, columns};
  return dense(data, type, 2, extents);
}
prism_view prism_grid(void* data, int32_t type, int32_t rank, const int64_t* extents) {
  return dense(data, type, rank, extents);
}
}
