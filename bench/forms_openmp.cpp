// The operations of --forms as loops in plain C++ with OpenMP, one thread for each core.
#include "bench/forms_by_hand.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace bench {

void functions_by_hand(const float* x, float* out); // openmp_functions.cpp

namespace {

struct float4 {
  float x, y, z, w;
};
float4 operator*(float4 a, float4 b) { return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
float4 operator+(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

template <typename T>
void axpy(const T* x, T* y, T a) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < form_count; ++i) y[i] = T(a * x[i] + y[i]);
}

void stencil(const float* x, float* out) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 1; i < form_count - 1; ++i) out[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

void transpose(const float* x, float* out) {
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < form_width; ++row)
    for (std::size_t column = 0; column < form_width; ++column)
      out[column * form_width + row] = x[row * form_width + column];
}

void gather(const float* x, const int* places, float* out) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < form_count; ++i) out[i] = x[places[i]];
}

/// With atomic counts, as the kernels of --forms.
void histogram(const int* places, int* bins) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < form_count; ++i) {
#pragma omp atomic
    ++bins[places[i] & 255];
  }
}

void branchy(const float* x, float* out) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < form_count; ++i) {
    const float v = x[i];
    if (v > 30.0f) out[i] = std::sqrt(v);
    else if (v > 10.0f) out[i] = v * v - 1.0f;
    else out[i] = -v;
  }
}

void by_rows(const float* matrix, const float* x, float* out) {
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < form_width; ++row) {
    float sum = 0;
    for (std::size_t j = 0; j < form_width; ++j) sum += matrix[row * form_width + j] * x[j];
    out[row] = sum;
  }
}

void by_columns(const float* matrix, const float* x, float* out) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t column = 0; column < form_width; ++column) {
    float sum = 0;
    for (std::size_t j = 0; j < form_width; ++j) sum += matrix[j * form_width + column] * x[j];
    out[column] = sum;
  }
}

template <typename T>
void dot_product(const T* x, const T* y, T* out) {
  T sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < form_count; ++i) sum += x[i] * y[i];
  out[0] = sum;
}

class openmp_forms final : public forms_by_hand {
public:
  const char* language() const override { return "OpenMP"; }
  void prepare(const hand_operation& operation) override {
    m_data = memory_of(operation);
    m_work = work_of(operation);
    if (!m_work) throw std::runtime_error("the C++ compiler has no type " + operation.type);
  }
  void run() override { m_work(); }
  hand_memory written() override { return m_data; }

private:
  template <typename T>
  T* memory(unsigned index) {
    return reinterpret_cast<T*>(m_data.bytes[index].data());
  }
  template <typename T>
  std::function<void()> axpy_of(T a) {
    return [this, a] { axpy(memory<const T>(0), memory<T>(1), a); };
  }
  std::function<void()> work_of(const hand_operation& operation) {
    const std::string &kernel = operation.kernel, &type = operation.type;
    if (kernel == "axpy") {
      if (type == "float") return axpy_of(3.0f);
      if (type == "double") return axpy_of(3.0);
      if (type == "int") return axpy_of(3);
      if (type == "char") return axpy_of((signed char)3);
      if (type == "float4") return axpy_of(float4{3, 3, 3, 3});
      return nullptr;
    }
    const float* x = memory<const float>(0);
    const float* y = memory<const float>(1);
    float* out = memory<float>(2);
    if (kernel == "stencil") return [=] { stencil(x, out); };
    if (kernel == "transpose") return [=] { transpose(x, out); };
    if (kernel == "gather") return [=, this] { gather(x, memory<const int>(1), out); };
    if (kernel == "histogram") return [this] { histogram(memory<const int>(0), memory<int>(1)); };
    if (kernel == "branchy") return [=] { branchy(x, out); };
    if (kernel == "functions") return [=] { functions_by_hand(x, out); };
    if (kernel == "by_rows") return [=] { by_rows(x, y, out); };
    if (kernel == "by_columns") return [=] { by_columns(x, y, out); };
    if (kernel != "dot_product") return nullptr;
    if (type == "float") return [=] { dot_product(x, y, out); };
    return [this] { dot_product(memory<const double>(0), memory<const double>(1), memory<double>(2)); };
  }

  hand_memory m_data;
  std::function<void()> m_work;
};

} // namespace

std::unique_ptr<forms_by_hand> make_openmp_forms() { return std::make_unique<openmp_forms>(); }

} // namespace bench
