"""The simulated robot's modules beside ALMotion, ALRobotPosture and ALMemory."""

from rigid_tree_nao.simulated.modules.absent import rejections
from rigid_tree_nao.simulated.modules.leds import leds
from rigid_tree_nao.simulated.modules.life import life
from rigid_tree_nao.simulated.modules.sensors import battery, sensors, sonar
from rigid_tree_nao.simulated.modules.speech import speech
