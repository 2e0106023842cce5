// The functions of arrays that prism_array_call finds by name: a row each.
#include "bindings/c/arrays.hpp"

#include <prism/random.hpp>

#include <unordered_map>

namespace prism::c_interface {
namespace {

using arguments = const given_arguments&;
using results = std::vector<any_array>;

/// Numbers from word `position` on.
random_generator generator(arguments a) {
  random_generator out(static_cast<std::uint64_t>(a.integer(0)), a.device());
  out.set_position(static_cast<std::uint64_t>(a.integer(1)));
  return out;
}

/// Argument 2 of functions of segments: sum, prod, min, max; by default sum.
reduction_op operation_of_segments(arguments a) {
  if (!a.has(2)) return reduction_op::sum;
  const std::string name = a.text(2);
  for (const reduction_op op : {reduction_op::sum, reduction_op::prod, reduction_op::min, reduction_op::max})
    if (name == name_of(op)) return op;
  throw failure(PRISM_INVALID, "argument 2 is \"" + name + "\"; it may be sum, prod, min, max");
}

const array_function function_rows[] = {
    // creation
    {"empty", "shape type",
     [](arguments a, int) { return results{empty(a.list(0), a.type(1), a.device())}; }},
    {"zeros", "shape type",
     [](arguments a, int) { return results{zeros(a.list(0), a.type(1), a.device())}; }},
    {"ones", "shape type", [](arguments a, int) { return results{ones(a.list(0), a.type(1), a.device())}; }},
    {"full", "shape value type=",
     [](arguments a, int) { return results{full(a.list(0), a.number(1), a.optional_type(2), a.device())}; }},
    {"arange", "start stop step type=",
     [](arguments a, int) {
  return results{arange(a.number(0), a.number(1), a.number(2), a.optional_type(3), a.device())};
}},
    {"linspace", "start stop count endpoint=true type=float64",
     [](arguments a, int) {
  return results{linspace(a.real(0), a.real(1), a.integer(2), a.flag(3, true),
                          a.optional_type(4).value_or(dtype::float64), a.device())};
}},
    {"eye", "rows columns= diagonal=0 type=float64",
     [](arguments a, int) {
  return results{eye(a.integer(0), a.optional_integer(1), a.integer(2, 0),
                     a.optional_type(3).value_or(dtype::float64), a.device())};
}},
    {"random_words", "seed position shape",
     [](arguments a, int) { return results{generator(a).words(a.list(2))}; }},
    {"random_uniform", "seed position shape low=0 high=1 type=float64",
     [](arguments a, int) {
  return results{generator(a).uniform(a.list(2), a.real(3, 0), a.real(4, 1),
                                      a.optional_type(5).value_or(dtype::float64))};
}},
    {"random_normal", "seed position shape mean=0 deviation=1 type=float64",
     [](arguments a, int) {
  return results{generator(a).normal(a.list(2), a.real(3, 0), a.real(4, 1),
                                     a.optional_type(5).value_or(dtype::float64))};
}},
    {"random_integers", "seed position low high shape",
     [](arguments a, int) { return results{generator(a).integers(a.integer(2), a.integer(3), a.list(4))}; }},
    // views and shapes
    {"view", "array index", [](arguments a, int) { return results{a.array(0).view(a.index(1))}; }},
    {"transpose", "array order=",
     [](arguments a, int) {
  return results{a.array(0).transpose(a.has(1) ? a.list(1) : std::vector<std::int64_t>{})};
}},
    {"swapaxes", "array a b",
     [](arguments a, int) { return results{a.array(0).swapaxes(a.integer(1), a.integer(2))}; }},
    {"moveaxis", "array from to",
     [](arguments a, int) { return results{a.array(0).moveaxis(a.integer(1), a.integer(2))}; }},
    {"broadcast_to", "array shape",
     [](arguments a, int) { return results{a.array(0).broadcast_to(a.list(1))}; }},
    {"expand_dims", "array axis",
     [](arguments a, int) { return results{a.array(0).expand_dims(a.integer(1))}; }},
    {"squeeze", "array axis=", [](arguments a, int) { return results{a.array(0).squeeze(a.axis(1))}; }},
    {"flip", "array axis=", [](arguments a, int) { return results{a.array(0).flip(a.axis(1))}; }},
    {"diagonal", "array", [](arguments a, int) { return results{a.array(0).diagonal()}; }},
    {"tril", "array offset=0", [](arguments a, int) { return results{tril(a.array(0), a.integer(1, 0))}; }},
    {"triu", "array offset=0", [](arguments a, int) { return results{triu(a.array(0), a.integer(1, 0))}; }},
    {"reshape", "array shape", [](arguments a, int) { return results{a.array(0).reshape(a.list(1))}; }},
    {"copy", "array", [](arguments a, int) { return results{a.array(0).copy()}; }},
    {"astype", "array type", [](arguments a, int) { return results{a.array(0).astype(a.type(1))}; }},
    {"to_device", "array",
     [](arguments a, int) {
  const array_device to = a.device();
  return results{a.array(0).to_device(to.device ? *to.device : sycl::device(sycl::default_selector_v))};
}},
    // writes
    {"assign", "array value",
     [](arguments a, int) {
  any_array to = a.array(0);
  if (a.is_array(1)) to.assign(a.array(1));
  else to.fill(a.number(1));
  return results{};
}},
    {"overwrite", "array value",
     [](arguments a, int) {
  a.array(0).overwrite(a.array(1));
  return results{};
}},
    {"put", "array indices value",
     [](arguments a, int) {
  any_array to = a.array(0);
  const any_array value = a.is_array(2) ? a.array(2) : any_array(a.number(2), to.type());
  to.put(a.arrays(1), value);
  return results{};
}},
    {"put_where", "array mask value",
     [](arguments a, int) {
  any_array to = a.array(0);
  const any_array value = a.is_array(2) ? a.array(2) : any_array(a.number(2), to.type());
  to.put_where(a.array(1), value);
  return results{};
}},
    // advanced indices
    {"take", "array indices axis=0",
     [](arguments a, int) { return results{a.array(0).take(a.array(1), a.integer(2, 0))}; }},
    {"gather", "array indices", [](arguments a, int) { return results{a.array(0).gather(a.arrays(1))}; }},
    {"select", "array mask", [](arguments a, int) { return results{a.array(0).select(a.array(1))}; }},
    {"nonzero", "array", [](arguments a, int) { return nonzero(a.array(0)); }},
    // of several arguments
    {"where", "condition a b",
     [](arguments a, int) { return results{where(a.array(0), a.operand(1), a.operand(2))}; }},
    {"clip", "array low= high=",
     [](arguments a, int) {
  return results{clip(a.array(0), a.optional_operand(1), a.optional_operand(2))};
}},
    {"cumulative_sum", "array axis=",
     [](arguments a, int) { return results{cumulative_sum(a.array(0), a.optional_integer(1))}; }},
    {"segmented_scan", "array offsets operation=sum exclusive=false",
     [](arguments a, int) {
  return results{segmented_scan(operation_of_segments(a), a.array(0), a.array(1), a.flag(3, false))};
}},
    {"segmented_reduce", "array offsets operation=sum",
     [](arguments a, int) {
  return results{segmented_reduce(operation_of_segments(a), a.array(0), a.array(1))};
}},
    {"topk", "array count axis=-1 largest=true",
     [](arguments a, int) {
  const topk_result found = topk(a.array(0), a.integer(1), a.integer(2, -1), a.flag(3, true));
  return results{found.values, found.indices};
}},
    {"partition_where", "array mask",
     [](arguments a, int) {
  const partition_result found = partition_where(a.array(0), a.array(1));
  return results{found.elements, full({}, found.count, dtype::int64, a.array(0).device())};
}},
    {"matmul", "a b", [](arguments a, int) { return results{matmul(a.array(0), a.array(1))}; }},
    {"sort", "array axis=-1 descending=false",
     [](arguments a, int) { return results{sort(a.array(0), a.integer(1, -1), a.flag(2, false))}; }},
    {"argsort", "array axis=-1 descending=false",
     [](arguments a, int) { return results{argsort(a.array(0), a.integer(1, -1), a.flag(2, false))}; }},
    {"unique", "array", [](arguments a, int) { return results{unique(a.array(0))}; }},
    {"order_statistics", "array ranks",
     [](arguments a, int) { return results{order_statistics(a.array(0), a.list(1))}; }},
    {"bincount", "numbers count",
     [](arguments a, int) { return results{bincount(a.array(0), a.integer(1))}; }},
    {"histogram", "array edges evenly=false",
     [](arguments a, int) { return results{histogram(a.array(0), a.array(1), a.flag(2, false))}; }},
    {"searchsorted", "array values right=false",
     [](arguments a, int) { return results{searchsorted(a.array(0), a.array(1), a.flag(2, false))}; }},
    {"concat",
     "arrays axis=", [](arguments a, int) { return results{concat(a.arrays(0), a.optional_integer(1))}; }},
    {"stack", "arrays axis=0", [](arguments a, int) { return results{stack(a.arrays(0), a.integer(1, 0))}; }},
    {"roll", "array shift axis=",
     [](arguments a, int) { return results{roll(a.array(0), a.integer(1), a.optional_integer(2))}; }},
    {"tile", "array counts", [](arguments a, int) { return results{tile(a.array(0), a.list(1))}; }},
    {"repeat", "array count axis=",
     [](arguments a, int) { return results{repeat(a.array(0), a.integer(1), a.optional_integer(2))}; }},
};

results call_unary(arguments a, int op) { return {apply(static_cast<unary_op>(op), a.array(0))}; }
results call_binary(arguments a, int op) {
  return {apply(static_cast<binary_op>(op), a.operand(0), a.operand(1))};
}
results call_reduction(arguments a, int op) {
  return {reduce(static_cast<reduction_op>(op), a.array(0), a.axis(1), a.flag(2, false), a.real(3, 0.0))};
}

} // namespace

const std::vector<array_function>& array_functions() {
  static const auto& all = *new std::vector<array_function>([] {
    std::vector<array_function> out(std::begin(function_rows), std::end(function_rows));
    for (const auto& part : {algebra_functions(), file_functions(), network_functions(), sparse_functions()})
      out.insert(out.end(), part.begin(), part.end());
    for (int op = 0; op <= int(unary_op::cbrt); ++op)
      out.push_back({name_of(static_cast<unary_op>(op)), "array", call_unary, op});
    for (int op = 0; op <= int(binary_op::fmin); ++op)
      out.push_back({name_of(static_cast<binary_op>(op)), "a b", call_binary, op});
    for (int op = 0; op <= int(reduction_op::std); ++op)
      out.push_back({name_of(static_cast<reduction_op>(op)), "array axis= keepdims=false correction=0",
                     call_reduction, op});
    return out;
  }());
  return all;
}

const array_function* find_array_function(std::string_view name) {
  static const auto& by_name = *new std::unordered_map<std::string_view, const array_function*>([] {
    std::unordered_map<std::string_view, const array_function*> out;
    for (const array_function& each : array_functions()) out.emplace(each.name, &each);
    return out;
  }());
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

} // namespace prism::c_interface
