# Stands in for rosidl_default_generators when scripts/setup.sh builds the interface packages: the
# real generators without those that nothing uses on a machine with Python only, and quicker.
include_guard()
find_package(ament_cmake_core REQUIRED)
find_package(rosidl_core_generators REQUIRED)

# rclpy asks for C type support, and rmw_fastrtps for that of Fast DDS behind it; it describes the
# types to others by introspection.
set(_unused
  rosidl_generator_cpp
  rosidl_typesupport_cpp
  rosidl_typesupport_fastrtps_cpp
  rosidl_typesupport_introspection_cpp)
list(JOIN _unused "|" _unused)
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "^(${_unused}):")

# Of the Python extension modules, rclpy imports the one that finds either type support at run time.
macro(rosidl_generator_py_get_typesupports _result)
  set(${_result} rosidl_typesupport_c)
endmacro()

# Every generator is run as "python <BIN> <arguments>".
foreach(_generator
    rosidl_generator_type_description
    rosidl_generator_c
    rosidl_typesupport_c
    rosidl_typesupport_fastrtps_c
    rosidl_typesupport_introspection_c
    rosidl_generator_py)
  list(PREPEND ${_generator}_BIN "${CMAKE_CURRENT_LIST_DIR}/run_generator.py")
endforeach()

# Last: it needs the targets that the generators make.
list(APPEND AMENT_EXTENSIONS_rosidl_generate_idl_interfaces
  "rosidl_default_generators:unity_build.cmake")
