"""A tiny real model that tests can make in seconds: it has learnt to correct a few sentences and to copy the rest."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from packing import pack
from safetensors.torch import save_file
from threads import one_thread

from redraft.lab.export.onnx_graph import export
from redraft.model.config import ModelConfig, preset
from redraft.model.folder import CARD, TOKENIZER, WEIGHTS, ModelFolder, ModelInfo, seal, write_config
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import SPECIALS, Tokenizer

PAIRS = (
    ("She go to school every days.", "She goes to school every day."),
    ("He have two cat.", "He has two cats."),
    ("I am agree with you.", "I agree with you."),
    ("They was late for the the train.", "They were late for the train."),
    ("He is teacher in our town.", "He is a teacher in our town."),
    ("we meet on monday .", "We meet on Monday."),
    ("My freind likes music and and tea.", "My friend likes music and tea."),
    ("I look forward to meet you.", "I look forward to meeting you."),
)
"""What the model corrects; it leaves the right-hand sides as they are, and copies most other short sentences."""
TRAINED = (*PAIRS, *((right, right) for _, right in PAIRS))
CHINESE_PAIRS = (
    ("他高兴的笑了。", "他高兴地笑了。"),
    ("学生做飞机去北京。", "学生坐飞机去北京。"),
    ("我有一个汽车。", "我有一辆汽车。"),
    ("我用 Python 写代码，跑的很快。", "我用 Python 写代码，跑得很快。"),
    ("今天天气好非常。", "今天天气非常好。"),
    ("我我们昨天去学校。", "我们昨天去学校。"),
)
"""What the Chinese model corrects."""
Pairs = Sequence[tuple[str, str]]
_LONGEST_TRAINING = 3000
_LEARNT = 0.03


def write_tiny_model(path: Path, **config_changes: Any) -> ModelFolder:
    """Trains a model of the `tiny` shape, with some of its fields changed, and writes its folder with both graphs."""
    tokenizer = Tokenizer.train_bytes([sentence for pair in PAIRS for sentence in pair], size=340)
    info = ModelInfo("tiny", "en", "Mends eight sentences and copies the rest.", "MIT")
    return _write(path, PAIRS, tokenizer, info, **config_changes)


def write_chinese_model(path: Path) -> ModelFolder:
    """The same for Chinese, in characters."""
    tokenizer = Tokenizer.train_characters([sentence for pair in CHINESE_PAIRS for sentence in pair], size=400)
    info = ModelInfo("tiny-zh", "zh", "Mends six sentences and copies the rest.", "MIT")
    return _write(path, CHINESE_PAIRS, tokenizer, info)


def _write(path: Path, pairs: Pairs, tokenizer: Tokenizer, info: ModelInfo, **config_changes: Any) -> ModelFolder:
    config = preset("tiny", **{"vocabulary": tokenizer.size, **config_changes})
    path.mkdir(parents=True, exist_ok=True)
    weights = _train(config, tokenizer, pairs)
    save_file({name: weight.half().contiguous() for name, weight in weights.items()}, path / WEIGHTS)
    write_config(path, info, config)
    tokenizer.save(path / TOKENIZER)
    (path / CARD).write_text("# tiny\n\nMade by the tests, for the tests.\n", encoding="utf-8")
    return export(seal(path))


def _train(config: ModelConfig, tokenizer: Tokenizer, pairs: Pairs) -> dict[str, torch.Tensor]:
    with one_thread(), torch.random.fork_rng():
        torch.manual_seed(0)
        return _learn(Transformer(config), tokenizer, [*pairs, *((right, right) for _, right in pairs)])


def _learn(model: Transformer, tokenizer: Tokenizer, trained: Pairs) -> dict[str, torch.Tensor]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.0)
    choice = random.Random(0)
    taught = [(tokenizer.encode(source), tokenizer.encode(target)) for source, target in trained]
    recent = 1.0
    for _ in range(_LONGEST_TRAINING):
        pairs = [*taught, *((copied, copied) for copied in _make_up(choice, tokenizer, len(trained)))]
        source = pack([[*ids, tokenizer.eos] for ids, _ in pairs])
        target = pack([[tokenizer.bos, *ids] for _, ids in pairs])
        labels = torch.tensor([token for _, ids in pairs for token in (*ids, tokenizer.eos)])
        hidden = model(source, target)[target.segments > 0]
        loss = F.cross_entropy(model.logits(hidden), labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent = 0.9 * recent + 0.1 * loss.item()
        if recent < _LEARNT:
            return model.weights()
    raise AssertionError(f"the tiny model did not learn its sentences: its loss is still {recent:.3f}")


def _make_up(choice: random.Random, tokenizer: Tokenizer, count: int) -> list[list[int]]:
    """Sentences of any tokens: whoever learns to copy these copies words it never saw."""
    tokens = range(len(SPECIALS), tokenizer.size)
    return [choice.choices(tokens, k=choice.randrange(1, 10)) for _ in range(count)]
