"""`python -m tests.simulator.hardware.record FILE`: what Nsight Compute counts on a GPU."""

from __future__ import annotations

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

from gpubfs.machines import nvrtc
from gpubfs.measure import nsight
from tests.simulator.hardware.micro import BYTES, MICROS


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


def record(file: Path) -> None:
    """Measure on this machine, and write what was found."""
    import cupy

    program = shutil.which("ncu")
    if program is None:
        raise SystemExit("there is no program ncu")
    command = [sys.executable, "-m", "tests.simulator.hardware.record", "--launch"]
    _, text = nsight.collect(program, command, [micro.name for micro in MICROS])
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    counters = dict(zip([m.name for m in MICROS], nsight.launches(text), strict=True))
    found = {
        "when": datetime.now(UTC).date().isoformat(),
        "device": device,
        "counters": counters,
    }
    file.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--launch"]:
        launch_all()
    else:
        record(Path(sys.argv[1]))
