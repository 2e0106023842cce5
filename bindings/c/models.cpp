// Performance models of prism.h.
#include "bindings/c/descriptions.hpp"

#include <prism/performance_model.hpp>

namespace prism::c_interface {
namespace {

struct model_object : object {
  static constexpr handle_kind kind = handle_kind::model;
  std::mutex mutex; // a performance_model is for one thread at a time
  performance_model model;
};

pattern pattern_of(const prism_workload* item) {
  const workload one = workload_of(required(item, "item"), "item");
  pattern out;
  out.flops = one.flops, out.bytes = one.bytes, out.bytes_to_move = one.bytes_to_move;
  out.data_type = one.data_type, out.access = one.access;
  out.divergence = one.divergence, out.builds = one.builds;
  return out;
}

prism_prediction prediction_of(const prediction& p) {
  prism_prediction out{};
  out.struct_size = sizeof out;
  out.launch = p.launch.count(), out.building = p.building.count(), out.moving = p.moving.count();
  out.computing = p.computing.count(), out.memory = p.memory.count(), out.total = p.total.count();
  out.lower = p.lower.count(), out.upper = p.upper.count();
  out.cost = p.cost, out.energy = p.energy_joules, out.throughput = p.throughput;
  return out;
}

} // namespace
} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_model_create(const char* saved, prism_model** model, prism_error** error) {
  return guarded("prism_model_create", error, [&] {
    required(model, "model");
    auto made = std::make_shared<model_object>();
    if (saved != nullptr) made->model = prism::performance_model::from_json(saved);
    store(model, made);
  });
}

prism_status prism_model_register(const prism_model* model, const char* pattern, const prism_workload* item,
                                  prism_error** error) {
  return guarded("prism_model_register", error, [&] {
    const auto to = find<model_object>(model, "model");
    const std::string name = required(pattern, "pattern");
    const prism::pattern what = pattern_of(item);
    const std::lock_guard lock(to->mutex);
    to->model.register_pattern(name, what);
  });
}

prism_status prism_model_observe(const prism_model* model, const char* pattern, const char* description,
                                 double items, double seconds, prism_error** error) {
  return guarded("prism_model_observe", error, [&] {
    const auto to = find<model_object>(model, "model");
    const std::string name = required(pattern, "pattern");
    const prism::device_description device = description_of(description, "description");
    const std::lock_guard lock(to->mutex);
    to->model.observe(name, device, items, prism::seconds(seconds));
  });
}

prism_status prism_model_predict(const prism_model* model, const char* pattern, const char* descriptions,
                                 const size_t* counts, double items, prism_prediction* prediction,
                                 prism_error** error) {
  return guarded("prism_model_predict", error, [&] {
    const auto from = find<model_object>(model, "model");
    const std::string name = required(pattern, "pattern");
    required(prediction, "prediction"), optional(counts, "counts");
    if (prediction->struct_size < sizeof(prism_prediction))
      throw failure(PRISM_INVALID, "prediction has a struct_size of " +
                                       std::to_string(prediction->struct_size) +
                                       "; set it to sizeof(prism_prediction)");
    const std::vector<prism::device_description> devices = descriptions_of(descriptions);
    std::vector<std::pair<prism::device_description, std::size_t>> hardware;
    for (std::size_t i = 0; i < devices.size(); ++i)
      hardware.emplace_back(devices[i], counts == nullptr ? 1 : counts[i]);
    const std::lock_guard lock(from->mutex);
    *prediction = prediction_of(hardware.size() == 1 && hardware.front().second == 1
                                    ? from->model.predict(name, devices.front(), items)
                                    : from->model.predict(name, hardware, items));
  });
}

prism_status prism_model_text(const prism_model* model, char* text, size_t capacity, size_t* needed,
                              prism_error** error) {
  return guarded("prism_model_text", error, [&] {
    const auto from = find<model_object>(model, "model");
    const std::lock_guard lock(from->mutex);
    give_text(from->model.to_json(), text, capacity, needed);
  });
}
}
