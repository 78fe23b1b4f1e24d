"""`python -m tests.simulator.hardware.record FILE`: what Nsight Compute counts on a GPU.

With `--textures` before the file it is of the launches that read textures and use surfaces.
"""

from __future__ import annotations

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

from gpubfs.machines import nvrtc
from gpubfs.measure import nsight
from tests.simulator.hardware.micro import BYTES, MICROS
from tests.simulator.hardware.textures import FETCHES, METRICS, launch, objects

Asked = dict[str, tuple[str, ...]] | None


def launch_all() -> None:
    """Launch every kernel once, in their order."""
    import cupy

    for micro in MICROS:
        options = ("-std=c++17", "-I" + _headers(), *nvrtc.header_options())
        kernel = cupy.RawKernel(micro.code, micro.name, options=options)
        a, b = (cupy.zeros(BYTES, "u1") for _ in range(2))
        cupy.cuda.Device().synchronize()
        kernel((1,), (micro.threads,), (a, b))
        cupy.cuda.Device().synchronize()


def _headers() -> str:
    """Return the folder of CUDA's headers."""
    import cupy

    return str(Path(cupy.cuda.get_cuda_path() or "/usr/local/cuda") / "include")


def fetch_all() -> None:
    """Launch every kernel of `textures` once, in their order."""
    import cupy
    import cupy.cuda.texture

    made, _kept = objects(cupy)
    for fetch in FETCHES:
        launch(cupy, fetch, made)
        cupy.cuda.Device().synchronize()


def record(file: Path, launches: str, names: list[str], asked: Asked = None) -> None:
    """Measure on this machine what kernels of these names do, and write what was found."""
    import cupy

    program = shutil.which("ncu")
    if program is None:
        raise SystemExit("there is no program ncu")
    command = [sys.executable, "-m", "tests.simulator.hardware.record", launches]
    _, text = nsight.collect(program, command, names, asked=asked)
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    counters = dict(zip(names, nsight.launches(text, asked), strict=True))
    found = {
        "when": datetime.now(UTC).date().isoformat(),
        "device": device,
        "counters": counters,
    }
    file.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--launch"]:
        launch_all()
    elif sys.argv[1:] == ["--fetch"]:
        fetch_all()
    elif sys.argv[1] == "--textures":
        record(Path(sys.argv[2]), "--fetch", [fetch.name for fetch in FETCHES], METRICS)
    else:
        record(Path(sys.argv[1]), "--launch", [micro.name for micro in MICROS])
