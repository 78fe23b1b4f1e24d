"""karpathy/llm.c, dev/cuda: what goes forward."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernels.published.arrays import blocks, integers, normal, nothing
from tests.kernels.published.case import Launch, Run, Size, Source, once
from tests.kernels.published.formulas import causal, gelu, heads, layer_norm, softmax

SOURCE = Source("llm.c")
FOLDER = "dev/cuda"
#: Files that choose bfloat16 compute in floats without this line.
FLOATS = {"#define ENABLE_BF16": ""}
HALVES = {"#define ENABLE_BF16": "#define ENABLE_FP16"}
RACE = "its sums go where other warps still read the maximum: there is no barrier between"


def file(name: str) -> str:
    return f"{FOLDER}/{name}.cu"


@SOURCE.runs(
    file("softmax_forward"),
    ("softmax_forward_kernel1", 1, 64),
    ("softmax_forward_kernel2", 64, 64),
    ("softmax_forward_kernel3", 32, 32),
    ("softmax_forward_kernel4", 96, 96),
    ("softmax_forward_online_kernel1", 1, 64),
    ("softmax_forward_online_kernel2", 32, 64),
    ("softmax_forward_kernel7", 64, 64),
    ("softmax_forward_online_kernel8", 32, 64),
    wrong={"softmax_forward_kernel4": RACE},
)
@SOURCE.runs(file("attention_forward"), ("softmax_forward_kernel4", 96, 96))
def rows(threads: int, block: int) -> Run:
    """Rows of which each has so many threads."""
    n, c = 23, 137
    x = 3 * normal(n, c)
    values = {"out": nothing(n, c), "inp": x, "N": n, "C": c}
    grid = blocks(n * threads, block)
    return once(grid, block, values, {"out": softmax(x.astype("f8"))}, shared=8 * block)


def normalised(*, grid: Size, block: Size, shared: int = 0, n: int = 12, c: int = 256) -> Run:
    x, weight, bias = normal(n, c, seed=3) + 2, normal(c), normal(c, seed=2)
    out, mean, rstd = layer_norm(x, weight, bias)
    values = {"out": nothing(n, c), "mean": nothing(n), "rstd": nothing(n)}
    values |= {"inp": x, "weight": weight, "bias": bias, "N": n, "C": c}
    expected = {"out": out, "mean": mean, "rstd": rstd}
    return once(grid, block, values, expected, shared=shared)


@SOURCE.runs(
    file("layernorm_forward"),
    ("layernorm_forward_kernel1", 1, 8),
    ("layernorm_forward_kernel3", 2, 192),
    ("layernorm_forward_kernel4", 2, 192),
    ("layernorm_forward_kernel5", 12, 96),
    ("layernorm_forward_kernel6", 4, (32, 3), 5 * 256 * 4),
)
@SOURCE.runs(file("fused_residual_forward"), ("layernorm_forward_kernel1", 2, 8), replaced=FLOATS)
def layers(grid: int, block: Size, shared: int = 0) -> Run:
    if grid == 1:
        return normalised(grid=2, block=block)
    return normalised(grid=grid, block=block, shared=shared)


@SOURCE.runs(file("layernorm_forward"), "mean_kernel", "rstd_kernel", "normalization_kernel")
def three_kernels() -> Run:
    n, c, block = 6, 100, 64
    x, weight, bias = normal(n, c, seed=3) + 2, normal(c), normal(c, seed=2)
    out, mean, rstd = layer_norm(x, weight, bias)
    values = {"out": nothing(n, c), "inp": x, "mean": nothing(n), "rstd": nothing(n)}
    values |= {"weight": weight, "bias": bias}
    launches = [
        Launch(n, block, "mean_kernel", ["mean", "inp", n, c, block], 4 * block),
        Launch(n, block, "rstd_kernel", ["rstd", "inp", "mean", n, c, block], 4 * block),
        Launch(n * c // 40, 40, "normalization_kernel", [*values, 2, n // 2, c]),
    ]
    return Run(launches, values, {"out": out, "mean": mean, "rstd": rstd})


@SOURCE.runs(
    file("fused_residual_forward"),
    ("fused_residual_forward2", 3, 4),
    ("fused_residual_forward3", 4, (32, 3)),
    ("fused_residual_forward_kernel4", 4, (32, 3)),
    ("fused_residual_forward_kernel5", 4, (32, 3), 5 * 1024),
    ("fused_residual_forward_kernel6", 3, (32, 2, 2), 4 * 1024 + 512),
    replaced=FLOATS,
)
def residuals(grid: int, block: Size, shared: int = 0) -> Run:
    n, c = 12, 256
    a, b = normal(n, c, seed=3) + 2, normal(n, c, seed=4)
    weight, bias = normal(c), normal(c, seed=2)
    normed, mean, rstd = layer_norm(a + b, weight, bias)
    values = {"residual": nothing(n, c), "normed": nothing(n, c), "mean": nothing(n)}
    values |= {"rstd": nothing(n), "a": a, "b": b, "weight": weight, "bias": bias, "N": n, "C": c}
    expected = {"residual": a + b, "normed": normed, "mean": mean, "rstd": rstd}
    return once(grid, block, values, expected, shared=shared)


@SOURCE.runs(
    file("residual_forward"),
    "residual_forward_kernel1",
    ("residual_forward_kernel2", 4),
    replaced=FLOATS,
)
@SOURCE.runs(file("fused_residual_forward"), "residual_forward_kernel1", replaced=FLOATS)
def added(each: int = 1) -> Run:
    n = 1000
    a, b = normal(n), normal(n, seed=2)
    values = {"out": nothing(n), "a": a, "b": b, "N": n}
    return once(blocks(n // each, 128), 128, values, {"out": a + b})


@SOURCE.runs(
    file("gelu_forward"), ("gelu_forward_kernel1", 1), ("gelu_forward_kernel2", 4), replaced=FLOATS
)
def units(each: int) -> Run:
    x = 2 * normal(1000)
    values = {"out": nothing(1000), "inp": x, "N": 1000}
    return once(blocks(1000 // each, 128), 128, values, {"out": gelu(x)})


@SOURCE.runs(
    file("encoder_forward"),
    ("encoder_forward_kernel1", 64),
    ("encoder_forward_kernel2", 1),
    ("encoder_forward_kernel3", 4),
    replaced=FLOATS,
)
def encoded(each: int) -> Run:
    b, t, c, v = 3, 11, 64, 50
    tokens, wte, wpe = integers(v, b, t), normal(v, c), normal(t, c, seed=4)
    values = {"out": nothing(b, t, c), "inp": tokens, "wte": wte, "wpe": wpe}
    values |= {"B": b, "T": t, "C": c}
    return once(blocks(b * t * c // each, 64), 64, values, {"out": wte[tokens] + wpe})


# Attention.

B, T, NH, HS = 2, 20, 3, 16
C = NH * HS


def preatt(x: Any) -> Any:
    q, k, _ = heads(x.astype("f8"))
    return q @ k.swapaxes(-1, -2) / np.sqrt(HS)


@SOURCE.runs(file("attention_forward"), "attention_query_key_kernel1")
def query_key() -> Run:
    x = normal(B, T, 3, NH, HS)
    expected = np.where(np.tril(np.ones((T, T), bool)), preatt(x), -np.inf)
    values = {"preatt": nothing(B, NH, T, T), "inp": x, "B": B, "T": T, "C": C, "NH": NH}
    return once(blocks(B * NH * T * T, 96), 96, values, {"preatt": expected})


@SOURCE.runs(file("attention_forward"), "attention_softmax_kernel1")
def attention_rows() -> Run:
    x = normal(B, NH, T, T)
    values = {"att": nothing(B, NH, T, T), "preatt": x, "B": B, "T": T, "NH": NH}
    return once(blocks(B * NH * T, 64), 64, values, {"att": np.nan_to_num(causal(x))})


@SOURCE.runs(file("attention_forward"), "softmax_forward_kernel5")
@SOURCE.runs("train_gpt2_fp32.cu", "softmax_forward_kernel5")
def online_rows() -> Run:
    n, t = 3, 40
    x = normal(n, t, t)
    values = {"out": nothing(n, t, t), "scale": 0.25, "inp": x, "N": n, "T": t}
    return once(blocks(n * t * 32, 96), 96, values, {"out": causal(x * 0.25)})


@SOURCE.runs(
    file("attention_forward"),
    "softmax_forward_kernel5_lowp",
    replaced=HALVES,
)
def online_rows_of_halves() -> Run:
    n, t = 3, 40
    x = normal(n, t, t).astype("f2")
    values = {"out": nothing(n, t, t, of="f2"), "scale": 0.25, "inp": x, "N": n, "T": t}
    expected = {"out": causal(x * np.float32(0.25))}
    return once(blocks(n * t * 32, 96), 96, values, expected, rtol=1e-3)


@SOURCE.runs(file("attention_forward"), "attention_value_kernel1")
def attention_values() -> Run:
    att, x = np.nan_to_num(causal(normal(B, NH, T, T))).astype("f4"), normal(B, T, 3, NH, HS)
    out = (att @ heads(x)[2]).swapaxes(1, 2)
    values = {"out": nothing(B, T, NH, HS), "att": att, "inp": x}
    values |= {"B": B, "T": T, "C": C, "NH": NH}
    return once(blocks(B * T * NH, 32), 32, values, {"out": out})


@SOURCE.runs(file("attention_forward"), "attention_forward_kernel2")
def flash_attention() -> Run:
    n, tile = 40, 32
    q, k, v = (normal(B, NH, n, HS, seed=seed) for seed in (1, 2, 3))
    tiles = blocks(n, tile)
    room = tiles * tile - n  # its last tile reads on
    q, k, v = (np.append(x.ravel(), np.zeros(room * HS, "f4")) for x in (q, k, v))
    whole = [x[: B * NH * n * HS].reshape(B, NH, n, HS).astype("f8") for x in (q, k, v)]
    att = np.nan_to_num(causal(whole[0] @ whole[1].swapaxes(-1, -2) / np.sqrt(HS)))
    values = {"Q": q, "K": k, "V": v, "N": n, "d": HS, "Tc": tiles, "Tr": tiles}
    values |= {"Bc": tile, "Br": tile, "scale": float(1 / np.sqrt(HS))}
    values |= {"l": np.zeros(B * NH * n, "f4"), "m": np.full(B * NH * n, -1e4, "f4")}
    values |= {"O": np.zeros((B, NH, n, HS), "f4")}
    shared = 4 * (3 * tile * HS + tile * tile)
    return once((B, NH), tile, values, {"O": att @ whole[2]}, shared=shared)


@SOURCE.runs(file("attention_forward"), "attention_forward_fused1")
def fused_attention() -> Run:
    x = normal(B, T, 3, NH, HS)
    scores = preatt(x)
    kept = np.tril(np.ones((T, T), bool))
    att = np.where(kept, scores, np.nan)
    found = causal(scores)
    out = (np.nan_to_num(found) @ heads(x.astype("f8"))[2]).swapaxes(1, 2)
    values = {"out": np.zeros((B, T, NH, HS), "f4"), "preatt": nothing(B, NH, T, T)}
    values |= {"att": np.zeros((B, NH, T, T), "f4"), "inp": x}
    values |= {"B": B, "T": T, "C": C, "NH": NH}
    expected = {"out": out, "preatt": att, "att": found}
    return once((blocks(T, 3), NH, B), 96, values, expected)


@SOURCE.runs(
    file("attention_forward"),
    "permute_kernel",
    ("permute_kernel_lowp", "f2"),
    replaced=HALVES,
)
@SOURCE.runs(file("attention_backward"), "permute_kernel")
@SOURCE.runs(file("trimat_forward"), "permute_kernel")
@SOURCE.runs("train_gpt2_fp32.cu", "permute_kernel")
@SOURCE.runs("llmc/attention.cuh", "permute_kernel", defines=["ENABLE_FP32"])
def permuted(of: str = "f4") -> Run:
    x = normal(B, T, 3, NH, HS)
    parts = dict(zip("qkv", heads(x.astype(of)), strict=True))
    values = {name: nothing(B, NH, T, HS, of=of) for name in parts}
    values |= {"inp": x, "B": B, "N": T, "NH": NH, "d": HS}
    return once(blocks(B * NH * T * HS, 128), 128, values, parts)


@SOURCE.runs(
    file("attention_forward"),
    "unpermute_kernel",
    ("unpermute_kernel_lowp", "f2"),
    replaced=HALVES,
)
@SOURCE.runs(file("attention_backward"), "unpermute_kernel")
@SOURCE.runs("train_gpt2_fp32.cu", "unpermute_kernel")
@SOURCE.runs("llmc/attention.cuh", "unpermute_kernel", defines=["ENABLE_FP32"])
def unpermuted(of: str = "f4") -> Run:
    x = normal(B, NH, T, HS).astype(of)
    values = {"inp": x, "out": nothing(B, T, NH, HS), "B": B, "N": T, "NH": NH, "d": HS}
    return once(blocks(x.size, 128), 128, values, {"out": x.swapaxes(1, 2)})


@SOURCE.runs(file("attention_forward"), "scale_kernel")
def scaled() -> Run:
    x = normal(B, NH, T, T)
    expected = np.where(np.tril(np.ones((T, T), bool)), x * np.float32(0.25), -np.inf)
    values = {"inp": x, "scale": 0.25, "B": B, "NH": NH, "T": T}
    return once(blocks(x.size, 128), 128, values, {"inp": expected})


@SOURCE.runs(
    file("attention_forward"),
    ("fp32_to_lowp_kernel", "f4", "f2"),
    ("lowp_to_fp32_kernel", "f2", "f4"),
    defines=["ENABLE_CUDNN"],
    replaced={**HALVES, "namespace fe = cudnn_frontend;": ""},
)
def converted(old: str, new: str) -> Run:
    x = normal(256).astype(old)
    values = {"out": nothing(256, of=new), "inp": x}
    if old == "f2":  # the other way, arguments are the other way round, too
        values = dict(reversed(values.items()))
    return once(2, 128, values, {"out": x.astype(new)})


@SOURCE.runs(file("permute"), "permute_kernel")
def dimensions() -> Run:
    x = normal(3, 5, 4, 7)
    values = {"matrix": x, "out": nothing(7, 4, 3, 5), "a": 3, "b": 5, "c": 4, "d": 7}
    return once(blocks(x.size, 64), 64, values, {"out": x.transpose(3, 2, 0, 1)})


# Products of matrices.


@SOURCE.runs(file("matmul_forward"), "matmul_forward_kernel1", ("matmul_forward_kernel4", 128))
@SOURCE.runs("train_gpt2_fp32.cu", ("matmul_forward_kernel4", 128))
def linear(tile: int = 16) -> Run:
    rows, c, oc = (45, 40, 37) if tile == 16 else (128, 64, 256)
    x, weight, bias = normal(rows, c), normal(oc, c, seed=2), normal(oc, seed=3)
    values = {"out": nothing(rows, oc), "inp": x, "weight": weight, "bias": bias}
    values |= {"BT": rows, "C": c, "OC": oc} if tile == 16 else {"C": c, "OC": oc}
    grid = (blocks(rows, tile), blocks(oc, tile))
    return once(grid, (16, 16), values, {"out": x.astype("f8") @ weight.T + bias})


@SOURCE.runs(file("matmul_forward"), "add_bias")
def biased() -> Run:
    x, bias = normal(2, 10, 33), normal(33, seed=2)
    values = {"out": x, "bias": bias, "B": 2, "T": 10, "OC": 33}
    return once(3, 64, values, {"out": x + bias})


@SOURCE.runs(
    file("trimat_forward"),
    "trimul_global<matmul_tri_naive>",
    "trimul_global<matmul_tri_registers>",
    "trimul_global<matmul_tri3>",
    "trimul_global<matmul_tri4>",
)
def triangle() -> Run:
    t, nh, hs = 128, 2, 32
    x = normal(1, t, 3, nh, hs)
    q, k, _ = heads(x.astype("f8"))
    expected = q @ k.swapaxes(-1, -2) / np.sqrt(hs)
    kept = np.tril(np.ones((t, t), bool))
    values = {"out": nothing(1, nh, t, t), "inp": x, "T": t, "C": nh * hs, "NH": nh}
    return once((1, 1, nh), (16, 16), values, {"out": np.where(kept, expected, np.nan)})


# Losses.


@SOURCE.runs(file("crossentropy_forward"), "crossentropy_forward_kernel1")
def losses() -> Run:
    probs, targets = softmax(normal(2, 9, 30)), integers(30, 2, 9)
    found = -np.log(np.take_along_axis(probs, targets[..., None], -1)[..., 0])
    values = {"losses": nothing(2, 9), "probs": probs, "targets": targets, "B": 2, "T": 9, "V": 30}
    return once(1, 32, values, {"losses": found})


@SOURCE.runs(file("crossentropy_softmax_backward"), "crossentropy_softmax_backward_kernel1")
def slopes() -> Run:
    probs, targets, dlosses = softmax(normal(2, 9, 30)), integers(30, 2, 9), normal(2, 9, seed=4)
    found = (probs - np.eye(30)[targets]) * dlosses[..., None]
    values = {"dlogits": np.zeros((2, 9, 30), "f4"), "dlosses": dlosses, "probs": probs}
    values |= {"targets": targets, "B": 2, "T": 9, "V": 30}
    return once(blocks(540, 64), 64, values, {"dlogits": found})


@SOURCE.runs(
    file("classifier_fused"),
    ("fused_classifier_kernel1", 5, 128, False),
    ("fused_classifier_kernel2", 20, 96),
    ("fused_classifier_kernel3", 20, 96),
    ("fused_classifier_kernel4", 20, 96),
    ("fused_classifier_kernel5<true,true>", 20, 96),
)
def classified(grid: int, block: int, with_probs: bool = True) -> Run:
    b, t, v, p = 2, 10, 500, 512
    logits, dlosses = 3 * normal(b * t, p), normal(b * t, seed=2)
    targets = integers(v, b * t)
    probs = softmax(logits[:, :v].astype("f8"))
    padded = np.full((b * t, p), np.nan)
    padded[:, :v] = (probs - np.eye(v)[targets]) * dlosses[:, None]
    expected = {"dlogits": padded, "losses": -np.log(probs[np.arange(b * t), targets])}
    values: dict[str, Any] = {"dlogits": nothing(b * t, p), "losses": nothing(b * t)}
    if with_probs:
        values["probs"] = nothing(b * t, p)
        expected["probs"] = np.where(np.arange(p) < v, np.pad(probs, [(0, 0), (0, p - v)]), np.nan)
    values |= {"logits": logits, "dlosses": dlosses, "targets": targets}
    values |= {"B": b, "T": t, "V": v, "P": p}
    return once(grid, block, values, expected)
