// oneMath's distributions (its specification, section Random Number Generators): a class with parameters for
// each. Parameters that are no distribution throw invalid_argument. Methods that PRISM computes in one way
// only, such as icdf and icdf_accurate, are all accepted.
#pragma once

#include <oneapi/math/exceptions.hpp>

#include <prism/random/generate.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace oneapi::math::rng {

namespace uniform_method {
struct standard {};
struct accurate {};
using by_default = standard;
} // namespace uniform_method
namespace gaussian_method {
struct icdf {};
struct box_muller2 {};
using by_default = box_muller2;
} // namespace gaussian_method
namespace lognormal_method {
struct icdf {};
struct icdf_accurate {};
struct box_muller2 {};
struct box_muller2_accurate {};
using by_default = box_muller2;
} // namespace lognormal_method
namespace exponential_method {
struct icdf {};
struct icdf_accurate {};
using by_default = icdf;
} // namespace exponential_method
namespace weibull_method {
struct icdf {};
struct icdf_accurate {};
using by_default = icdf;
} // namespace weibull_method
namespace cauchy_method {
struct icdf {};
using by_default = icdf;
} // namespace cauchy_method
namespace rayleigh_method {
struct icdf {};
struct icdf_accurate {};
using by_default = icdf;
} // namespace rayleigh_method
namespace gumbel_method {
struct icdf {};
using by_default = icdf;
} // namespace gumbel_method
namespace laplace_method {
struct icdf {};
using by_default = icdf;
} // namespace laplace_method
namespace gamma_method {
struct marsaglia {};
struct marsaglia_accurate {};
using by_default = marsaglia;
} // namespace gamma_method
namespace beta_method {
struct cja {};
struct cja_accurate {};
using by_default = cja;
} // namespace beta_method
namespace bernoulli_method {
struct icdf {};
using by_default = icdf;
} // namespace bernoulli_method
namespace geometric_method {
struct icdf {};
using by_default = icdf;
} // namespace geometric_method
namespace binomial_method {
struct btpe {};
using by_default = btpe;
} // namespace binomial_method
namespace poisson_method {
struct ptpe {};
struct gaussian_icdf_based {};
using by_default = gaussian_icdf_based;
} // namespace poisson_method

namespace detail {

using prism::random::kind;
using prism::random::law;

template <typename T, typename... Allowed>
inline constexpr bool is_one_of = (std::is_same_v<T, Allowed> || ...);

/// Types and methods of a distribution.
template <typename T, typename Method, typename... Methods>
struct of_reals {
  static_assert(is_one_of<T, float, double>, "rng: the type of this distribution is float or double");
  static_assert(is_one_of<Method, Methods...>, "rng: the distribution has no such method");
  using method_type = Method;
  using result_type = T;
};
template <typename T, typename Method, typename... Methods>
struct of_integers {
  static_assert(is_one_of<T, std::int32_t, std::uint32_t>,
                "rng: the type of this distribution is std::int32_t or std::uint32_t");
  static_assert(is_one_of<Method, Methods...>, "rng: the distribution has no such method");
  using method_type = Method;
  using result_type = T;
};

inline void require(bool holds, const char* name, const char* why) {
  if (!holds) throw invalid_argument("rng", name, why);
}

/// Distributions with a location and a scale.
template <typename T, typename Method, typename... Methods>
struct located : of_reals<T, Method, Methods...> {
  T m_location, m_scale;
  located(const char* name, T location, T scale) : m_location(location), m_scale(scale) {
    require(scale > T(0), name, "the scale is not above 0");
  }
};

} // namespace detail

template <typename Type = float, typename Method = uniform_method::by_default>
class uniform : public detail::of_reals<Type, Method, uniform_method::standard, uniform_method::accurate> {
public:
  uniform() : uniform(Type(0), Type(1)) {}
  explicit uniform(Type a, Type b) : m_a(a), m_b(b) { detail::require(a < b, "uniform", "a is not below b"); }
  Type a() const { return m_a; }
  Type b() const { return m_b; }
  detail::law prism_law() const {
    return {detail::kind::uniform,
            {double(m_a), double(m_b), std::is_same_v<Method, uniform_method::accurate> ? 1.0 : 0.0}};
  }

private:
  Type m_a, m_b;
};
template <typename Method>
class uniform<std::int32_t, Method>
    : public detail::of_integers<std::int32_t, Method, uniform_method::standard> {
public:
  uniform() : uniform(0, std::numeric_limits<std::int32_t>::max()) {}
  explicit uniform(std::int32_t a, std::int32_t b) : m_a(a), m_b(b) {
    detail::require(a < b, "uniform", "a is not below b");
  }
  std::int32_t a() const { return m_a; }
  std::int32_t b() const { return m_b; }
  detail::law prism_law() const { return {detail::kind::integers, {double(m_a), double(m_b)}}; }

private:
  std::int32_t m_a, m_b;
};

template <typename RealType = float, typename Method = gaussian_method::by_default>
class gaussian : detail::located<RealType, Method, gaussian_method::icdf, gaussian_method::box_muller2> {
public:
  using method_type = Method;
  using result_type = RealType;
  gaussian() : gaussian(RealType(0), RealType(1)) {}
  explicit gaussian(RealType mean, RealType stddev) : gaussian::located("gaussian", mean, stddev) {}
  RealType mean() const { return this->m_location; }
  RealType stddev() const { return this->m_scale; }
  detail::law prism_law() const {
    return {std::is_same_v<Method, gaussian_method::icdf> ? detail::kind::gaussian : detail::kind::box_muller,
            {double(mean()), double(stddev())}};
  }
};

template <typename RealType = float, typename Method = lognormal_method::by_default>
class lognormal
    : public detail::of_reals<RealType, Method, lognormal_method::icdf, lognormal_method::icdf_accurate,
                              lognormal_method::box_muller2, lognormal_method::box_muller2_accurate> {
public:
  lognormal() : lognormal(RealType(0), RealType(1)) {}
  explicit lognormal(RealType m, RealType s, RealType displ = RealType(0), RealType scale = RealType(1))
      : m_m(m), m_s(s), m_displ(displ), m_scale(scale) {
    detail::require(s > RealType(0), "lognormal", "s is not above 0");
    detail::require(scale > RealType(0), "lognormal", "scale is not above 0");
  }
  RealType m() const { return m_m; }
  RealType s() const { return m_s; }
  RealType displ() const { return m_displ; }
  RealType scale() const { return m_scale; }
  detail::law prism_law() const {
    return {detail::is_one_of<Method, lognormal_method::icdf, lognormal_method::icdf_accurate>
                ? detail::kind::gaussian
                : detail::kind::box_muller,
            {double(m_m), double(m_s), double(m_displ), double(m_scale)},
            true};
  }

private:
  RealType m_m, m_s, m_displ, m_scale;
};

template <typename RealType = float, typename Method = exponential_method::by_default>
class exponential
    : detail::located<RealType, Method, exponential_method::icdf, exponential_method::icdf_accurate> {
public:
  using method_type = Method;
  using result_type = RealType;
  exponential() : exponential(RealType(0), RealType(1)) {}
  explicit exponential(RealType a, RealType beta) : exponential::located("exponential", a, beta) {}
  RealType a() const { return this->m_location; }
  RealType beta() const { return this->m_scale; }
  detail::law prism_law() const { return {detail::kind::exponential, {double(a()), double(beta())}}; }
};

template <typename RealType = float, typename Method = weibull_method::by_default>
class weibull : detail::located<RealType, Method, weibull_method::icdf, weibull_method::icdf_accurate> {
public:
  using method_type = Method;
  using result_type = RealType;
  weibull() : weibull(RealType(1), RealType(0), RealType(1)) {}
  explicit weibull(RealType alpha, RealType a, RealType beta)
      : weibull::located("weibull", a, beta), m_alpha(alpha) {
    detail::require(alpha > RealType(0), "weibull", "alpha is not above 0");
  }
  RealType alpha() const { return m_alpha; }
  RealType a() const { return this->m_location; }
  RealType beta() const { return this->m_scale; }
  detail::law prism_law() const {
    return {detail::kind::weibull, {double(a()), double(beta()), double(m_alpha)}};
  }

private:
  RealType m_alpha;
};

template <typename RealType = float, typename Method = cauchy_method::by_default>
class cauchy : detail::located<RealType, Method, cauchy_method::icdf> {
public:
  using method_type = Method;
  using result_type = RealType;
  cauchy() : cauchy(RealType(0), RealType(1)) {}
  explicit cauchy(RealType a, RealType b) : cauchy::located("cauchy", a, b) {}
  RealType a() const { return this->m_location; }
  RealType b() const { return this->m_scale; }
  detail::law prism_law() const { return {detail::kind::cauchy, {double(a()), double(b())}}; }
};

template <typename RealType = float, typename Method = rayleigh_method::by_default>
class rayleigh : detail::located<RealType, Method, rayleigh_method::icdf, rayleigh_method::icdf_accurate> {
public:
  using method_type = Method;
  using result_type = RealType;
  rayleigh() : rayleigh(RealType(0), RealType(1)) {}
  explicit rayleigh(RealType a, RealType b) : rayleigh::located("rayleigh", a, b) {}
  RealType a() const { return this->m_location; }
  RealType b() const { return this->m_scale; }
  detail::law prism_law() const { return {detail::kind::rayleigh, {double(a()), double(b())}}; }
};

template <typename RealType = float, typename Method = gumbel_method::by_default>
class gumbel : detail::located<RealType, Method, gumbel_method::icdf> {
public:
  using method_type = Method;
  using result_type = RealType;
  gumbel() : gumbel(RealType(0), RealType(1)) {}
  explicit gumbel(RealType a, RealType b) : gumbel::located("gumbel", a, b) {}
  RealType a() const { return this->m_location; }
  RealType b() const { return this->m_scale; }
  detail::law prism_law() const { return {detail::kind::gumbel, {double(a()), double(b())}}; }
};

template <typename RealType = float, typename Method = laplace_method::by_default>
class laplace : detail::located<RealType, Method, laplace_method::icdf> {
public:
  using method_type = Method;
  using result_type = RealType;
  laplace() : laplace(RealType(0), RealType(1)) {}
  explicit laplace(RealType a, RealType b) : laplace::located("laplace", a, b) {}
  RealType a() const { return this->m_location; }
  RealType b() const { return this->m_scale; }
  detail::law prism_law() const { return {detail::kind::laplace, {double(a()), double(b())}}; }
};

template <typename RealType = float, typename Method = gamma_method::by_default>
class gamma : detail::located<RealType, Method, gamma_method::marsaglia, gamma_method::marsaglia_accurate> {
public:
  using method_type = Method;
  using result_type = RealType;
  gamma() : gamma(RealType(1), RealType(0), RealType(1)) {}
  explicit gamma(RealType alpha, RealType a, RealType beta)
      : gamma::located("gamma", a, beta), m_alpha(alpha) {
    detail::require(alpha > RealType(0), "gamma", "alpha is not above 0");
  }
  RealType alpha() const { return m_alpha; }
  RealType a() const { return this->m_location; }
  RealType beta() const { return this->m_scale; }
  detail::law prism_law() const {
    return {detail::kind::gamma, {double(a()), double(beta()), double(m_alpha)}};
  }

private:
  RealType m_alpha;
};

template <typename RealType = float, typename Method = beta_method::by_default>
class beta : detail::located<RealType, Method, beta_method::cja, beta_method::cja_accurate> {
public:
  using method_type = Method;
  using result_type = RealType;
  beta() : beta(RealType(1), RealType(1), RealType(0), RealType(1)) {}
  explicit beta(RealType p, RealType q, RealType a, RealType b)
      : beta::located("beta", a, b), m_p(p), m_q(q) {
    detail::require(p > RealType(0) && q > RealType(0), "beta", "p or q is not above 0");
  }
  RealType p() const { return m_p; }
  RealType q() const { return m_q; }
  RealType a() const { return this->m_location; }
  RealType b() const { return this->m_scale; }
  detail::law prism_law() const {
    return {detail::kind::beta, {double(a()), double(b()), double(m_p), double(m_q)}};
  }

private:
  RealType m_p, m_q;
};

template <typename IntType = std::uint32_t, typename Method = bernoulli_method::by_default>
class bernoulli : public detail::of_integers<IntType, Method, bernoulli_method::icdf> {
public:
  bernoulli() : bernoulli(0.5f) {}
  explicit bernoulli(float p) : m_p(p) {
    detail::require(p >= 0.0f && p <= 1.0f, "bernoulli", "p is not in [0, 1]");
  }
  float p() const { return m_p; }
  detail::law prism_law() const { return {detail::kind::bernoulli, {double(m_p)}}; }

private:
  float m_p;
};

template <typename IntType = std::int32_t, typename Method = geometric_method::by_default>
class geometric : public detail::of_integers<IntType, Method, geometric_method::icdf> {
public:
  geometric() : geometric(0.5f) {}
  explicit geometric(float p) : m_p(p) {
    detail::require(p > 0.0f && p < 1.0f, "geometric", "p is not in (0, 1)");
  }
  float p() const { return m_p; }
  detail::law prism_law() const { return {detail::kind::geometric, {double(m_p)}}; }

private:
  float m_p;
};

template <typename IntType = std::int32_t, typename Method = binomial_method::by_default>
class binomial : public detail::of_integers<IntType, Method, binomial_method::btpe> {
public:
  binomial() : binomial(5, 0.5) {}
  explicit binomial(std::int32_t ntrial, double p) : m_trials(ntrial), m_p(p) {
    detail::require(p >= 0.0 && p <= 1.0, "binomial", "p is not in [0, 1]");
    detail::require(ntrial >= 1, "binomial", "ntrial is below 1");
  }
  std::int32_t ntrial() const { return m_trials; }
  double p() const { return m_p; }
  detail::law prism_law() const { return {detail::kind::binomial, {double(m_trials), m_p}}; }

private:
  std::int32_t m_trials;
  double m_p;
};

template <typename IntType = std::int32_t, typename Method = poisson_method::by_default>
class poisson
    : public detail::of_integers<IntType, Method, poisson_method::ptpe, poisson_method::gaussian_icdf_based> {
public:
  poisson() : poisson(0.5) {}
  explicit poisson(double lambda) : m_lambda(lambda) {
    detail::require(lambda > 0.0, "poisson", "lambda is not above 0");
  }
  double lambda() const { return m_lambda; }
  detail::law prism_law() const { return {detail::kind::poisson, {m_lambda}}; }

private:
  double m_lambda;
};

/// The engine's words as they are.
template <typename UIntType = std::uint32_t>
class bits {
public:
  static_assert(std::is_same_v<UIntType, std::uint32_t>, "rng: the type of bits is std::uint32_t");
  using result_type = UIntType;
  detail::law prism_law() const { return {}; }
};
/// Numbers of which each bit is equally distributed: not of every engine.
template <typename UIntType = std::uint32_t>
class uniform_bits {
public:
  static_assert(detail::is_one_of<UIntType, std::uint32_t, std::uint64_t>,
                "rng: the type of uniform_bits is std::uint32_t or std::uint64_t");
  using result_type = UIntType;
  detail::law prism_law() const { return {}; }
};

} // namespace oneapi::math::rng
