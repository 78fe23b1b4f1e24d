"""karpathy/llm.c, dev/cuda: gradients, norms and the optimiser."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels.published.arrays import blocks, integers, normal, nothing, uniform
from tests.kernels.published.case import Launch, Run, Size, Source, once
from tests.kernels.published.formulas import causal, gelu_slope, layer_norm
from tests.kernels.published.sources.llm_c import FLOATS, file

SOURCE = Source("llm.c")


@SOURCE.runs(file("gelu_backward"), ("gelu_backward1", 1), ("gelu_backward2", 4), replaced=FLOATS)
def units(each: int) -> Run:
    x, dout = 2 * normal(1000), normal(1000, seed=2)
    values = {"dinp": nothing(1000), "inp": x, "dout": dout, "N": 1000}
    return once(blocks(1000 // each, 128), 128, values, {"dinp": gelu_slope(x) * dout})


@SOURCE.runs(
    file("encoder_backward"), ("encoder_backward_kernel1", 528), ("encoder_backward_kernel2", 16)
)
@SOURCE.runs("train_gpt2_fp32.cu", ("encoder_backward_kernel", 528))
def encoded(threads: int) -> Run:
    b, t, c, v = 3, 11, 16, 20
    dout, tokens = normal(b, t, c), integers(v, b, t)
    dwte = np.zeros((v, c))
    np.add.at(dwte, tokens, dout)
    values = {"dwte": np.zeros((v, c), "f4"), "dwpe": np.zeros((t, c), "f4"), "dout": dout}
    values |= {"inp": tokens, "B": b, "T": t, "C": c}
    return once(blocks(threads, 64), 64, values, {"dwte": dwte, "dwpe": dout.sum(0)})


@SOURCE.runs(file("adamw"), "adamw_kernel1", "adamw_kernel2")
@SOURCE.runs("train_gpt2_fp32.cu", "adamw_kernel2")
def optimiser() -> Run:
    n, rate, beta1, beta2, first, second, eps, decay = 300, 1e-2, 0.9, 0.99, 0.4, 0.3, 1e-3, 0.1
    params, grads, m, v = normal(n), normal(n, seed=2), normal(n, seed=3), uniform(n, seed=4)
    values = {"params": params, "grads": grads, "m": m, "v": v, "n": np.int64(n)}
    numbers = (rate, beta1, beta2, first, second, eps, decay)
    values |= {f"a{i}": number for i, number in enumerate(numbers)}
    m = beta1 * m + (1 - beta1) * grads.astype("f8")
    v = beta2 * v + (1 - beta2) * grads.astype("f8") ** 2
    step = m / first / (np.sqrt(v / second) + eps) + decay * params
    expected = {"params": params - rate * step, "m": m, "v": v}
    return once(blocks(n, 64), 64, values, expected)


# Norms.


@SOURCE.runs(
    file("global_norm"),
    "norm_kernel1<float>",
    "norm_kernel2<float>",
    "norm_kernel3<float>",
    replaced=FLOATS,
)
def norm() -> Run:
    x = normal(1000)
    values = {"out": np.zeros(1, "f4"), "data": x, "count": np.uint64(1000)}
    return once(3, 96, values, {"out": (x.astype("f8") ** 2).sum(keepdims=True)})


@SOURCE.runs(
    file("global_norm"), "norm_kernel4<float>", "global_norm_aggregate_kernel", replaced=FLOATS
)
def norm_of_parts() -> Run:
    x = normal(1000)
    values = {"out": np.zeros(3, "f4"), "data": x, "count": np.uint64(1000)}
    launches = [
        Launch(3, 96, "norm_kernel4<float>"),
        Launch(1, 1024, "global_norm_aggregate_kernel", ["out", np.uint64(3)]),
    ]
    return Run(launches, values, {"out": (x.astype("f8") ** 2).sum(keepdims=True)})


# The bias's gradient.


@SOURCE.runs(
    file("matmul_backward"),
    ("matmul_backward_bias_kernel_naive", 1, 64, 0),
    ("matmul_backward_bias_kernel_faster", 64, 64, 256),
)
@SOURCE.runs(
    file("matmul_backward_bias"),
    ("matmul_backward_bias_kernel1", 64, 64, 256),
    ("matmul_backward_bias_kernel2", 2, 1024),
    ("matmul_backward_bias_kernel3", 64, 96),
    ("matmul_backward_bias_kernel4", 2, 128, 512),
    ("matmul_backward_bias_kernel5", (2, 3), 32),
    replaced=FLOATS,
)
@SOURCE.runs("train_gpt2_fp32.cu", ("matmul_backward_bias_kernel4", 2, 128, 512))
def bias(grid: Size, block: Size, shared: int = 0) -> Run:
    b, t, oc = 3, 25, 64
    dout = normal(b, t, oc)
    values = {"dbias": np.zeros(oc, "f4"), "dout": dout, "B": b, "T": t, "OC": oc}
    return once(grid, block, values, {"dbias": dout.sum((0, 1), "f8")}, shared=shared)


@SOURCE.runs(
    file("matmul_backward_bias"),
    ("matmul_backward_bias_kernel7", (2, 3), (32, 8), 4 * 128, 256),
    ("matmul_backward_bias_kernel8<float,false>", 5, (4, 8, 4), 0, np.uint8(0)),
    ("matmul_backward_bias_kernel8<float,true>", (5, 2), (4, 8, 4), 0, np.uint8(0)),
    ("matmul_backward_bias_kernel9<float,false>", 5, (4, 8, 4), 0, np.uint8(0)),
    replaced=FLOATS,
)
def packed_bias(grid: Size, block: Size, shared: int, last: Any) -> Run:
    b, t, oc = 3, 25, 160
    dout = normal(b, t, oc)
    values = {"dbias": np.zeros(oc, "f4"), "dout": dout, "B": b, "T": t, "OC": oc, "last": last}
    return once(grid, block, values, {"dbias": dout.sum((0, 1), "f8")}, shared=shared)


@SOURCE.runs(
    file("matmul_backward_bias"),
    "matmul_backward_bias_kernel9<float,true>",
    "reduce_add_sum_kernel",
    replaced=FLOATS,
)
def summed_bias() -> Run:
    b, t, oc, parts = 3, 25, 160, 4
    dout = normal(b, t, oc)
    values = {"buffer": nothing(parts, oc), "dout": dout, "dbias": np.ones(oc, "f4")}
    many = np.uint64(oc), np.uint64(parts)
    launches = [
        Launch(
            (5, parts),
            (4, 8, 4),
            "matmul_backward_bias_kernel9<float,true>",
            ["buffer", "dout", b, t, oc, np.uint8(0)],
        ),
        Launch(1, 64, "reduce_add_sum_kernel", ["dbias", "buffer", *many]),
    ]
    return Run(launches, values, {"dbias": 1 + dout.sum((0, 1), "f8")})


@SOURCE.runs(file("matmul_backward_bias"), "cast_and_add_kernel", replaced=FLOATS)
def cast() -> Run:
    a, b = normal(100), normal(100, seed=2)
    return once(2, 64, {"dst": a, "src": b, "n": np.uint64(100)}, {"dst": a + b})


# Attention.

B, T, NH, HS = 1, 64, 2, 16
C = NH * HS


@SOURCE.runs(file("attention_backward"), "permute_kernel_backward")
@SOURCE.runs("train_gpt2_fp32.cu", "permute_kernel_backward")
@SOURCE.runs("llmc/attention.cuh", "permute_kernel_backward", defines=["ENABLE_FP32"])
def permuted() -> Run:
    parts = [normal(B, NH, T, HS, seed=seed) for seed in (1, 2, 3)]
    found = np.stack(parts).transpose(1, 3, 0, 2, 4)
    values = {"dinp": np.zeros((B, T, 3, NH, HS), "f4"), **dict(zip("qkv", parts, strict=True))}
    values |= {"B": B, "N": T, "NH": NH, "d": HS}
    return once(blocks(B * NH * T * HS, 128), 128, values, {"dinp": found})


@SOURCE.runs(file("attention_backward"), "unpermute_kernel_backward")
@SOURCE.runs("train_gpt2_fp32.cu", "unpermute_kernel_backward")
@SOURCE.runs("llmc/attention.cuh", "unpermute_kernel_backward", defines=["ENABLE_FP32"])
def unpermuted() -> Run:
    x = normal(B, T, NH, HS)
    values = {"dinp": np.zeros((B, NH, T, HS), "f4"), "dout": x}
    values |= {"B": B, "N": T, "NH": NH, "d": HS}
    return once(blocks(x.size, 128), 128, values, {"dinp": x.swapaxes(1, 2)})


ZEROED = "its first warp clears the sums of the others, which may have stored them before"


@SOURCE.runs(
    file("attention_backward"),
    ("softmax_autoregressive_backward_kernel1", (2, 1), 32),
    ("softmax_autoregressive_backward_kernel2", (2, 2), 32),
    ("softmax_autoregressive_backward_kernel3", (32, 2), 64),
    ("softmax_autoregressive_backward_kernel4", (4, 2), 64),
    ("softmax_autoregressive_backward_kernel5", (4, 2), 64),
    ("softmax_autoregressive_backward_kernel6<64>", (T, 2), 64),
)
def attention_rows(grid: Size, block: int) -> Run:
    return attention(grid, block, {"NH": NH})


@SOURCE.runs(
    file("attention_backward"),
    ("softmax_autoregressive_backward_kernel7<64>", (T, 2), 64),
    ("softmax_autoregressive_backward_kernel8<64>", (T // 4, 2), 64),
    wrong={f"softmax_autoregressive_backward_kernel{n}<64>": ZEROED for n in (7, 8)},
)
@SOURCE.runs(
    "train_gpt2_fp32.cu",
    ("softmax_autoregressive_backward_kernel", (T // 4, 2), 256),
    wrong={"softmax_autoregressive_backward_kernel": ZEROED},
)
def scaled_attention_rows(grid: Size, block: int) -> Run:
    return attention(grid, block, {"scale": float(1 / np.sqrt(HS))})


def slope_of(att: NDArray[Any], datt: NDArray[Any]) -> NDArray[Any]:
    """Return the slope of a causal softmax; not a number beyond the diagonal."""
    kept = np.tril(np.ones((T, T), bool))
    att, datt = (np.where(kept, x.astype("f8"), 0) for x in (att, datt))
    found = att * (datt - (att * datt).sum(-1, keepdims=True)) / np.sqrt(HS)
    return np.where(kept, found, np.nan)


def attention(grid: Size, block: int, last: dict[str, Any]) -> Run:
    att = np.nan_to_num(causal(normal(B, NH, T, T))).astype("f4")
    datt = normal(B, NH, T, T, seed=2)
    values = {"dpreatt": np.zeros((B, NH, T, T), "f4"), "datt": datt, "att": att}
    values |= {"B": B, "T": T, "C": C, **last}
    return once(grid, block, values, {"dpreatt": slope_of(att, datt)})


# Layer norm.


def normalised(
    before: dict[str, Any], after: dict[str, Any], grid: int, block: int, shared: int, c: int
) -> Run:
    b, t = 2, 9
    n = b * t
    dout, inp, weight = normal(n, c, seed=4), normal(n, c, seed=3) + 2, normal(c)
    normed, mean, rstd = layer_norm(inp, np.ones(c), np.zeros(c))
    scaled = (weight * dout).astype("f8")
    slope = scaled - scaled.mean(-1, keepdims=True)
    slope -= normed * (scaled * normed).mean(-1, keepdims=True)
    values = {"dinp": np.zeros((n, c), "f4"), "dweight": np.zeros(c, "f4")}
    values |= {"dbias": np.zeros(c, "f4"), **before, "dout": dout, "inp": inp, "weight": weight}
    values |= {"mean": mean.astype("f4"), "rstd": rstd.astype("f4"), "B": b, "T": t, "C": c}
    expected = {"dinp": slope * rstd[:, None], "dweight": (normed * dout).sum(0)}
    expected |= {"dbias": dout.sum(0, "f8")}
    more = {"shared": shared, "rtol": 1e-4}
    return once(grid, block, {**values, **after}, expected, **more)


@SOURCE.runs(
    file("layernorm_backward"),
    ("layernorm_backward_kernel1", 1, 32),
    ("layernorm_backward_kernel3<float,float,float,float>", 3, 96, 2 * 4 * 128),
    replaced=FLOATS,
)
@SOURCE.runs("train_gpt2_fp32.cu", ("layernorm_backward_kernel2", 6, 96, 2 * 4 * 128))
def gradients(grid: int, block: int, shared: int = 0) -> Run:
    return normalised({}, {}, grid, block, shared, 128)


@SOURCE.runs(
    file("layernorm_backward"),
    ("layernorm_backward_kernel5<float,float,float,float>", 3, 96, 257),
    ("layernorm_backward_kernel6<float,float,float,float>", 3, 96, 257),
    ("layernorm_backward_kernel7", 3, 96, 257),
    ("layernorm_backward_kernel8", 3, 96, 257),
    ("layernorm_backward_kernel9", 3, 96, 2 * 128 + 2 * 96 + 1),
    ("layernorm_backward_kernel10", 3, 96, 2 * 128 + 2 * 64 * 4),
    replaced=FLOATS,
)
def gradients_by_scratch(grid: int, block: int, words: int) -> Run:
    scratch = np.zeros(2 * 128 * grid + 64, "f4")
    return normalised({"scratch": scratch}, {}, grid, block, 4 * words, 128)


@SOURCE.runs(
    file("layernorm_backward"),
    "layernorm_backward_kernel2<float,float,float,float>",
    "copy_to_dweight_dbias<float>",
    replaced=FLOATS,
)
def gradients_copied() -> Run:
    own = {"dweight_tmp": np.zeros(128, "f4"), "dbias_tmp": np.zeros(128, "f4")}
    run = normalised({}, own, 6, 96, 2 * 4 * 128, 128)
    copied = [128, "dbias", "dweight", "dbias_tmp", "dweight_tmp"]
    kernel = "layernorm_backward_kernel2<float,float,float,float>"
    first = Launch(6, 96, kernel, shared=2 * 4 * 128)
    run.launches = [first, Launch(1, 64, "copy_to_dweight_dbias<float>", copied)]
    return run
