// Recording and repeating programs as graphs (fused_graphs.hpp).
#include "kernels/array/fused_graphs.hpp"

#include <sycl/sycl.hpp>

#include <algorithm>
#include <array>

namespace prism::array_detail {

namespace {

template <typename T>
void record(piece_recorder& recorder, arithmetic kind) {
  const program& p = recorder.of();
  const dtype own = type_of(kind);
  std::array<piece_value, name_count> values;
  for (int k = 0; k < p.leaves; ++k)
    values[std::size_t(first_leaf + k)] = convert_pieces(recorder, load_piece(recorder, p.leaf[k]), own);
  for (int k = 0; k < p.constants; ++k)
    values[std::size_t(first_constant + k)] = number_piece<T>(recorder, k);
  for (int s = 0; s < p.steps; ++s) {
    const step& now = p.list[s];
    values[now.to] = step_piece<T>(recorder, now.op, values[now.a], values[now.b], values[now.c]);
  }
  const piece_value root = values[std::size_t(p.root)];
  store_piece(recorder, p.result, convert_pieces(recorder, root, dtype(p.result.type)));
}

template <typename T>
void add(std::string& key, const T* first, int count) {
  key.append(reinterpret_cast<const char*>(first), sizeof(T) * std::size_t(count));
}

/// Everything that the steps of a program depend on.
std::string key_of(arithmetic kind, const program& p) {
  std::string key;
  const auto add_array = [&](const program_array& a) {
    add(key, &a.data, 1), add(key, a.strides, p.rank), add(key, &a.type, 1), add(key, &a.is_flat, 1);
  };
  add(key, &kind, 1), add(key, &p.size, 1), add(key, &p.root, 1);
  for (const std::int32_t count : {p.rank, p.steps, p.leaves, p.constants}) add(key, &count, 1);
  add(key, p.extent, p.rank), add(key, p.list, p.steps);
  add(key, p.constant, p.constants), add(key, p.integer_constant, p.constants);
  add_array(p.result);
  std::for_each(p.leaf, p.leaf + p.leaves, add_array);
  return key;
}

} // namespace

bool fused_graphs::run_known(sycl::queue& queue, const std::string& key) {
  const auto found =
      std::find_if(m_known.begin(), m_known.end(), [&](const known_graph& each) { return each.key == key; });
  if (found == m_known.end()) return false;
  try {
    execute_graph(queue, found->graph);
  } catch (const sycl::exception& refused) {
    if (refused.code() != sycl::errc::invalid) throw;
    m_known.erase(found); // a user freed memory of it; other memory is at the address, and begins elsewhere
    return false;
  }
  m_known.splice(m_known.begin(), m_known, found);
  return true;
}

bool fused_graphs::run(sycl::queue& queue, arithmetic kind, const program& p, bool only_built) {
  std::string key = key_of(kind, p);
  if (run_known(queue, key)) return true;
  // A queue of its own: a user may submit to the other one while this one records.
  sycl::queue recording(queue.get_context(), queue.get_device(), sycl::property::queue::in_order());
  command_graph graph(recording);
  graph.begin_recording(recording);
  piece_recorder recorder(recording, p);
  with_number(kind, [&]<typename T>(std::type_identity<T>) { record<T>(recorder, kind); });
  graph.end_recording();
  const property::graph::perform_fusion fusion;
  if (only_built && !graph.is_built(fusion)) return false;
  m_known.push_front({std::move(key), graph.finalize(fusion), recorder.take_values()});
  if (m_known.size() > most_known) m_known.pop_back();
  execute_graph(queue, m_known.front().graph);
  return true;
}

} // namespace prism::array_detail
