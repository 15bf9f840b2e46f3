# How every target is built: the standard, warnings as errors, exact floating point, hidden symbols.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(LATTICE_CCACHE ccache)
if(LATTICE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LATTICE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${LATTICE_CCACHE})
endif()

# -ffp-contract=off: a product and a sum become one fma only where the source says fma.
add_compile_options(-ffp-contract=off -ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections -Wl,--as-needed)

add_library(lattice_warnings INTERFACE)
target_compile_options(lattice_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)

if(LATTICE_SANITIZE)
  add_compile_options(-fsanitize=${LATTICE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LATTICE_SANITIZE})
endif()

# lattice_library(name SOURCES ... LINK ...): one room of the project as a static library.
function(lattice_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE lattice_warnings)
endfunction()

# lattice_test(name SOURCES ... LINK ...): one GoogleTest program, run by ctest.
function(lattice_test name)
  if(NOT LATTICE_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest GTest::gtest_main lattice_warnings)
  target_compile_definitions(${name} PRIVATE LATTICE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  add_test(NAME ${name} COMMAND ${name})
endfunction()

enable_testing()
