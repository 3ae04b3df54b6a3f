# Replaces rosidl_default_generators when scripts/setup.sh builds the interface packages: the real
# generators, accelerated, without the C++ ones.
include_guard()
find_package(ament_cmake_core REQUIRED)
find_package(rosidl_core_generators REQUIRED)

# rclpy uses C type support. rmw_fastrtps uses Fast DDS type support, and introspection to describe
# types to other participants.
set(_unused
  rosidl_generator_cpp
  rosidl_typesupport_cpp
  rosidl_typesupport_fastrtps_cpp
  rosidl_typesupport_introspection_cpp)
list(JOIN _unused "|" _unused)
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "^(${_unused}):")

# rclpy imports only this extension module, which finds the other type supports at run time.
macro(rosidl_generator_py_get_typesupports _result)
  set(${_result} rosidl_typesupport_c)
endmacro()

# CMake runs every generator as "python <BIN> <arguments>".
foreach(_generator
    rosidl_generator_type_description
    rosidl_generator_c
    rosidl_typesupport_c
    rosidl_typesupport_fastrtps_c
    rosidl_typesupport_introspection_c
    rosidl_generator_py)
  list(PREPEND ${_generator}_BIN "${CMAKE_CURRENT_LIST_DIR}/run_generator.py")
endforeach()

# Last, because it needs the targets of the generators.
list(APPEND AMENT_EXTENSIONS_rosidl_generate_idl_interfaces
  "rosidl_default_generators:unity_build.cmake")
