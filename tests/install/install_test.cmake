# Install, then configure, build and run strangers' projects: C++ and C by find_package, shared and static, and both by
# pkg-config. Run by cmake -P.
cmake_minimum_required(VERSION 3.20)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " words)
    message(FATAL_ERROR "${words}\nended with ${code}:\n${text}")
  endif()
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/cpp ${WORK}/c ${WORK}/pkg ${WORK}/net)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component lattice --strip)
# Away from where it was installed: nothing may remember that place.
file(RENAME ${prefix} ${prefix}.moved)
file(REMOVE_RECURSE ${WORK}/elsewhere)
file(RENAME ${prefix}.moved ${WORK}/elsewhere)
set(prefix ${WORK}/elsewhere)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})

run(${prefix}/bin/lattice make tiny --out ${WORK}/net)

foreach(language cpp c)
  run(${CMAKE_COMMAND} -S ${SOURCE}/${language} -B ${WORK}/${language} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
      -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_FLAGS=${FLAGS} -DCMAKE_CXX_FLAGS=${FLAGS})
  run(${CMAKE_COMMAND} --build ${WORK}/${language})
  run(${WORK}/${language}/consumer_shared ${WORK}/net)
  run(${WORK}/${language}/consumer_static ${WORK}/net)
endforeach()

find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
execute_process(COMMAND ${pkg_config} --cflags --libs lattice OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags)
file(MAKE_DIRECTORY ${WORK}/pkg)
run(${CXX} ${FLAGS} -std=c++20 ${SOURCE}/cpp/consumer.cpp -o ${WORK}/pkg/consumer_cpp ${flags})
run(${CC} ${FLAGS} -std=c99 ${SOURCE}/c/consumer.c -o ${WORK}/pkg/consumer_c ${flags})
run(${WORK}/pkg/consumer_cpp ${WORK}/net)
run(${WORK}/pkg/consumer_c ${WORK}/net)
