# The libraries that programs link, liblattice.so and liblattice.a, and `cmake --install`: those, the headers, the
# command line, the CMake package Lattice and lattice.pc. Included last: it looks at targets of all rooms.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# lattice_archives(out TARGET): the static libraries that TARGET is made of, its own first, and MLIR's archives.
function(lattice_archives out target)
  set(found "")
  set(seen "")
  set(open ${target})
  while(open)
    list(POP_FRONT open next)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" next "${next}")
    if(next IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${next}")
    if(NOT TARGET "${next}")
      if(next MATCHES "\\.a$")
        list(APPEND found "${next}")
      endif()
      continue()
    endif()
    get_target_property(imported ${next} IMPORTED)
    if(imported)
      continue()
    endif()
    get_target_property(type ${next} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND found $<TARGET_FILE:${next}>)
    endif()
    get_target_property(links ${next} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(APPEND open ${links})
    endif()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

set(public_headers include/lattice/lattice.h include/lattice/lattice.hpp include/lattice/signature.hpp
  include/lattice/status.hpp include/lattice/tensor.hpp)
# The rooms whose objects define what those headers declare; the rest is drawn in where it is needed.
set(public_objects $<TARGET_OBJECTS:lattice_c> $<TARGET_OBJECTS:lattice_runtime> $<TARGET_OBJECTS:lattice_base>)

# liblattice.so: everything inside, nothing of it visible but the public interface.
set(symbols ${PROJECT_SOURCE_DIR}/cmake/lattice.map)
add_library(lattice_shared SHARED ${public_objects})
add_library(lattice::lattice ALIAS lattice_shared)
set_target_properties(lattice_shared PROPERTIES
  OUTPUT_NAME lattice EXPORT_NAME lattice VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${symbols})
target_link_libraries(lattice_shared PRIVATE lattice_c INTERFACE $<BUILD_INTERFACE:tl::expected>)
target_link_options(lattice_shared PRIVATE -Wl,-z,defs -Wl,--version-script=${symbols})
target_include_directories(lattice_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# liblattice.a: one object in which the same symbols are global and all others local, so that a program may hold
# another LLVM. oneTBB is not inside: it is a shared library everywhere.
lattice_archives(archives lattice_c)
set(parts ${PROJECT_BINARY_DIR}/lib/static_parts.txt)
file(GENERATE OUTPUT ${parts} CONTENT "$<JOIN:${public_objects},\n>\n--start-group\n$<JOIN:${archives},\n>\n--end-group\n")
set(archive ${PROJECT_BINARY_DIR}/lib/liblattice.a)
add_custom_command(OUTPUT ${archive}
  COMMAND ${CMAKE_COMMAND} -D PARTS=${parts} -D SHARED=$<TARGET_FILE:lattice_shared> -D OUT=${archive} -D LD=${CMAKE_LINKER}
          -D NM=${CMAKE_NM} -D OBJCOPY=${CMAKE_OBJCOPY} -D AR=${CMAKE_AR} -P ${PROJECT_SOURCE_DIR}/cmake/merge_static.cmake
  DEPENDS lattice_shared ${PROJECT_SOURCE_DIR}/cmake/merge_static.cmake VERBATIM)
add_custom_target(lattice_static ALL DEPENDS ${archive})

# Everything is in one component, for builds that also hold the Python module.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Lattice)
install(TARGETS lattice_shared EXPORT LatticeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lattice
  NAMELINK_COMPONENT lattice)
install(TARGETS lattice_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT lattice)
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lattice)
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lattice COMPONENT lattice)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT lattice)
install(EXPORT LatticeTargets NAMESPACE lattice:: DESTINATION ${package_dir} COMPONENT lattice)
configure_package_config_file(cmake/LatticeConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/LatticeConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/LatticeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/lattice.pc.in ${PROJECT_BINARY_DIR}/cmake/lattice.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/LatticeConfig.cmake ${PROJECT_BINARY_DIR}/cmake/LatticeConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT lattice)
install(FILES ${PROJECT_BINARY_DIR}/cmake/lattice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT lattice)
