// Arrays of n dimensions on every device, with NumPy's names (docs/arrays.md):
//
//   prism::any_array x = prism::linspace(0, 1, 1000);
//   prism::any_array y = prism::sum(prism::sin(x) * 2 + 1); // one launch for the chain
//   std::cout << y.str() << "\n";
//
// prism::any_array has an element type of the run time; Python and C use it. prism::array<T> has the type T,
// and its expressions are kernels of the program, which prism++ compiles.
#pragma once

#include <prism/array/einsum.hpp>
#include <prism/array/fft.hpp>
#include <prism/array/functions.hpp>
#include <prism/array/linalg.hpp>
#include <prism/array/typed_reductions.hpp>
