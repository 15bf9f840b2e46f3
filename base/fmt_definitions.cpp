// The definitions of fmt 9, compiled once for all rooms; see cmake/LatticeDependencies.cmake. Holds
// nothing of ours.
#include <fmt/format-inl.h>

namespace fmt::detail {

// The two templates that fmt's headers declare and leave to such a file.
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);

} // namespace fmt::detail
