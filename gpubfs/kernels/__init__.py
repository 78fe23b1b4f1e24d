"""The CUDA files: a kernel file for each technique, and headers with what several of them need."""

from pathlib import Path

#: The folder of these files, which NVRTC and the simulator also search for headers.
KERNELS = Path(__file__).parent
