// From a recorded expression to a program, and which parts of an expression need a launch of their own.
// Pure functions but for evaluate_separate.
#pragma once

#include "kernels/array/node.hpp"

namespace prism::array_detail {

/// Whether a program of this arithmetic can read and write elements of the type.
bool can_access(arithmetic kind, dtype type);
/// The arithmetic in which elements of one type are converted to another.
arithmetic cast_arithmetic(dtype from, dtype to);
/// Of the step that brings a result of integer arithmetic to its type; positive: none is needed.
step_op wrap_of(dtype type);
/// Whether the recorded operand runs before an expression of that arithmetic, in its own launch.
bool is_apart(const array_node& operand, arithmetic kind);
/// Evaluates the operands, at any depth, that run apart.
void evaluate_separate(const node_ref& n);
/// The operands that evaluate_separate would evaluate, each before those that need it.
void list_separate(const node_ref& n, std::vector<node_ref>& out);
/// Writes the program that stores the elements in `to`; false if it needs more registers than there are.
bool translate(const node_ref& n, const program_array& to, program& p, arithmetic& kind);
/// The same of a program that folds the elements, of which dimension order[d] is the d-th. Sets no part of
/// the fold.
bool translate_fold(const node_ref& n, const std::vector<int>& order, program& p, arithmetic& kind);

} // namespace prism::array_detail
