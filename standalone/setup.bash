# Enters the environment that "make setup" built:  . standalone/setup.bash
# Afterwards python, ros2, colcon and the nodes are those of this clone. Source ROS 2's own
# setup.bash first, in this shell, if the clone was built on it.
_rigid_tree_root=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")/.." && pwd)
if [ ! -f "$_rigid_tree_root/install/local_setup.bash" ]; then
  echo "nothing is built in $_rigid_tree_root yet: run 'make setup' there first" >&2
  unset _rigid_tree_root
  return 1 2>/dev/null || exit 1
fi
export VIRTUAL_ENV=$_rigid_tree_root/.venv
case ":$PATH:" in *":$VIRTUAL_ENV/bin:"*) ;; *) export PATH=$VIRTUAL_ENV/bin:$PATH ;; esac
if [ -z "${ROS_DISTRO:-}" ]; then
  export AMENT_PREFIX_PATH=$VIRTUAL_ENV CMAKE_PREFIX_PATH=$VIRTUAL_ENV CMAKE_GENERATOR=Ninja
  # Through shared memory, and through the small default buffers of UDP, processes that start
  # together lose parts of their discovery.
  if [ -z "${FASTDDS_BUILTIN_TRANSPORTS:-}${FASTDDS_DEFAULT_PROFILES_FILE:-}" ]; then
    export FASTDDS_DEFAULT_PROFILES_FILE=$_rigid_tree_root/standalone/fastdds.xml
  fi
fi
. "$_rigid_tree_root/install/local_setup.bash"
unset _rigid_tree_root
