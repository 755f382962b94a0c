"""The tree as an ONNX model that compares in float64, as spotree does: one TreeEnsembleClassifier and its names."""

import json

import numpy as np

import spotree
from spotree.errors import MissingExtraError
from spotree.exports.formatting import GivenPolicy, named_policy

ML_VERSION = 3  # the first that holds thresholds as float64
OPSET = 15
IR_VERSION = 8  # old enough for every runtime that knows these


def to_onnx(policy: GivenPolicy, remark: str = "") -> bytes:
    """The model as bytes: input `features` [row, feature] (float64), outputs `action` (its name) and `scores`.

    The names of features and actions stand in the model's metadata as JSON, under `feature_names`, `action_names`,
    and a remark, if there is one, as text under `remark`.
    """
    policy = named_policy(policy)
    try:
        from onnx import TensorProto, checker, helper
    except ImportError:
        raise MissingExtraError("onnx", "sklearn", "a tree as ONNX") from None
    tree, labels = policy.tree, [_utf8(name) for name in policy.action_names]
    labels += [b""] * (len(labels) < 2)  # runtimes crash on a single class; no action has an empty name
    num_actions = len(labels)
    inner, number = tree.feature >= 0, tree.num_nodes
    leaves = np.flatnonzero(~inner)
    # A weight for every class at every leaf: with one class alone a runtime takes two classes for a threshold on it.
    weights = (tree.action[leaves][:, None] == np.arange(num_actions)).astype(np.float64)
    node = helper.make_node(
        "TreeEnsembleClassifier",
        ["features"],
        ["action", "scores"],
        domain="ai.onnx.ml",
        classlabels_strings=labels,
        nodes_treeids=[0] * number,
        nodes_nodeids=list(range(number)),
        nodes_featureids=np.maximum(tree.feature, 0).tolist(),
        nodes_values_as_tensor=helper.make_tensor(
            "thresholds", TensorProto.DOUBLE, [number], np.where(inner, tree.threshold, 0.0).tolist()
        ),
        nodes_modes=["BRANCH_LT" if split else "LEAF" for split in inner],
        nodes_truenodeids=np.maximum(tree.left, 0).tolist(),
        nodes_falsenodeids=np.maximum(tree.right, 0).tolist(),
        nodes_missing_value_tracks_true=[0] * number,
        nodes_hitrates_as_tensor=helper.make_tensor("hitrates", TensorProto.DOUBLE, [number], [1.0] * number),
        class_treeids=[0] * weights.size,
        class_nodeids=np.repeat(leaves, num_actions).tolist(),
        class_ids=np.tile(np.arange(num_actions), len(leaves)).tolist(),
        class_weights_as_tensor=helper.make_tensor(
            "weights", TensorProto.DOUBLE, [weights.size], weights.ravel().tolist()
        ),
        post_transform="NONE",
    )
    rows = helper.make_tensor_value_info("features", TensorProto.DOUBLE, ["rows", len(policy.feature_names)])
    action = helper.make_tensor_value_info("action", TensorProto.STRING, ["rows"])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["rows", num_actions])
    model = helper.make_model(
        helper.make_graph([node], "policy", [rows], [action, scores]),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_VERSION)],
        producer_name="spotree",
        producer_version=spotree.__version__,
        ir_version=IR_VERSION,
    )
    names = {"feature_names": list(policy.feature_names), "action_names": list(policy.action_names)}
    helper.set_model_props(
        model, {key: json.dumps(value) for key, value in names.items()} | ({"remark": remark} if remark else {})
    )
    checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def _utf8(name: str) -> bytes:
    return name.encode("utf-8", "backslashreplace")
