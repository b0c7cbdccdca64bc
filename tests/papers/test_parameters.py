"""Do the sizes that papers print follow from the configurations that they print?"""

from dataclasses import replace

import pytest
import torch
from published import Interval, difference, exactly, figure, overlap, papers, printed, product, ratio, rough
from published_parameters import (
    albert,
    attention,
    block,
    embeddings,
    feed_forward,
    parameters,
    pooler,
    pretraining_heads,
    projection,
    shapes,
    with_vocabulary,
)

from etude.lesson.checks import claim

MODELS = shapes("configurations")
PRINTED = papers("configurations").set_index("model").parameters
MISSES = {  # printed sizes that the printed configuration does not give
    *("Transformer base", "Transformer big", "GPT-2 117M", "GPT-2 345M", "GPT-2 762M", "GPT-2 1542M"),
    *("GPT-3 Medium", "GPT-3 175B", "BERT-Mini", "BERT-Small", "BERT-Medium"),
    *("ALBERT xxlarge", "T5-Large", "T5-3B", "TinyBERT4"),
}
TIMES = "TinyBERT4 is smaller than BERT_BASE by a factor of"
BASE, LARGE = (figure("ALBERT", f"parameters of BERT {size}") for size in ("base", "large"))
MINIATURES = ("BERT-Tiny", "BERT-Mini", "BERT-Small", "BERT-Medium")


def fits(count: int, size: Interval) -> bool:
    return overlap(exactly(count), size)


def vocabulary(size: Interval, model: str) -> Interval:
    """The words with which a model has a size."""
    s = MODELS[model]
    rest = parameters(with_vocabulary(s, 0))
    return (size[0] - rest) / s.hidden, (size[1] - rest) / s.hidden


@pytest.mark.parametrize(("hidden", "heads", "inner"), [(128, 2, 512), (768, 12, 3072), (312, 12, 1200)])
def test_a_block_has_the_parameters_of_torchs(hidden: int, heads: int, inner: int) -> None:
    encoder = torch.nn.TransformerEncoderLayer(hidden, heads, inner, device="meta")
    decoder = torch.nn.TransformerDecoderLayer(hidden, heads, inner, device="meta")
    assert block(hidden, inner) == sum(weight.numel() for weight in encoder.parameters())
    assert block(hidden, inner, attentions=2) == sum(weight.numel() for weight in decoder.parameters())


@pytest.mark.parametrize(
    ("model", "count"),
    [
        ("GPT-1", 116_534_784),
        ("GPT-2 117M", 124_439_808),
        ("GPT-2 1542M", 1_557_611_200),
        ("BERT_BASE", 109_482_240),
        ("BERT_LARGE", 335_141_888),
        ("BERT-Tiny", 4_385_920),
        ("BERT-Mini", 11_170_560),
        ("BERT-Small", 28_763_648),
        ("BERT-Medium", 41_373_184),
        ("RoBERTa base", 124_645_632),
        ("ALBERT base", 11_683_584),
        ("ELECTRA-Small", 13_549_057),
        ("ELECTRA-Base", 109_483_009),
        ("T5-Base", 222_903_552),
        ("DistilBERT", 66_362_880),
        ("TinyBERT4", 14_350_248),
        ("TinyBERT6", 66_955_008),
    ],
)
def test_the_closed_form_counts_the_weights_of_the_published_models(model: str, count: int) -> None:
    assert parameters(MODELS[model]) == count


@claim(
    "bert-config+bert-size-base+bert-size-large",
    "albert-size-base+albert-size-large+albert-size-xlarge",
    "electra-sizes",
)
@pytest.mark.parametrize("model", [model for model in MODELS if PRINTED[model] and model not in MISSES])
def test_the_printed_size_follows_from_the_configuration(model: str) -> None:
    assert fits(parameters(MODELS[model]), rough(PRINTED[model])), f"{parameters(MODELS[model]):,}"


@claim("albert-size-xxlarge", "t5-sizes", "gpt2-printed-sizes", "tinybert-size")
@pytest.mark.parametrize("model", sorted(MISSES))
def test_the_printed_size_does_not_follow_from_the_configuration(model: str) -> None:
    assert not fits(parameters(MODELS[model]), rough(PRINTED[model])), f"{parameters(MODELS[model]):,}"


def test_berts_sizes_are_rounded_to_tens_of_millions() -> None:
    for model in ("BERT_BASE", "BERT_LARGE"):
        assert not fits(parameters(MODELS[model]), printed(PRINTED[model]))


@claim("bert-size-tiny+bert-size-mini+bert-size-small+bert-size-medium")
@pytest.mark.parametrize("model", MINIATURES)
def test_the_printed_sizes_of_the_miniatures_follow_with_the_heads_of_pretraining(model: str) -> None:
    assert fits(parameters(MODELS[model]) + pretraining_heads(MODELS[model]), printed(PRINTED[model]))


def test_all_miniatures_and_both_berts_have_heads_of_width_64() -> None:
    for model in (*MINIATURES, "BERT_BASE", "BERT_LARGE"):
        assert MODELS[model].hidden == 64 * MODELS[model].heads


@claim("tr-layers")
def test_no_vocabulary_gives_both_transformers_their_printed_sizes() -> None:
    base, big = (vocabulary(printed(PRINTED[model]), model) for model in ("Transformer base", "Transformer big"))
    assert base[0] > 37_000 > big[1]
    assert not overlap(base, big)


def test_berts_positions_are_weights_and_the_transformers_are_not() -> None:
    bert, transformer = MODELS["BERT_BASE"], MODELS["Transformer base"]
    assert parameters(bert) - parameters(replace(bert, positions=0)) == 512 * 768
    assert parameters(replace(bert, positions=0)) != 109_482_240  # what the published weights are
    assert transformer.positions == 0


@claim("bert-base-eq-gpt")
def test_gpt_1_has_the_layers_of_bert_base_but_not_its_size() -> None:
    one, other = MODELS["GPT-1"], MODELS["BERT_BASE"]
    assert (one.layers, one.hidden, one.heads, one.inner) == (other.layers, other.hidden, other.heads, other.inner)
    assert parameters(one) - parameters(other) == 7_052_544


@claim("gpt1-12")
def test_gpt_1_has_the_117_million_parameters_that_gpt_2s_paper_prints_for_its_smallest_model() -> None:
    assert fits(parameters(MODELS["GPT-1"]), printed(PRINTED["GPT-2 117M"]))


@claim("gpt2-old-vocabulary")
def test_the_printed_sizes_of_gpt_2_follow_from_gpt_1s_vocabulary() -> None:
    for model in MODELS:
        if model.startswith("GPT-2"):
            assert fits(parameters(with_vocabulary(MODELS[model], 40_478)), printed(PRINTED[model])), model


@claim("gpt2-same-task")
def test_gpt_2_is_thirteen_times_gpt_1() -> None:
    assert round(parameters(MODELS["GPT-2 1542M"]) / parameters(MODELS["GPT-1"])) == 13
    assert MODELS["GPT-2 1542M"].layers == 4 * MODELS["GPT-1"].layers


@claim("gpt3-175b")
def test_gpt_3_has_175_billion_parameters_nearly_all_in_its_layers() -> None:
    largest = MODELS["GPT-3 175B"]
    assert fits(parameters(largest), printed("175B"))
    assert 12 * largest.layers * largest.hidden**2 == 173_946_175_488


@claim("gpt3-heads")
def test_heads_times_their_width_is_the_hidden_size_in_gpt_3s_table_but_for_two_rows() -> None:
    wrong = {
        model: s.attended - s.hidden for model, s in MODELS.items() if s.family == "gpt" and s.attended != s.hidden
    }
    assert wrong == {"GPT-3 XL": 1024, "GPT-3 13B": -20}


@claim("gpt3-vs-gpt2")
def test_gpt_3_is_over_a_hundred_times_gpt_2() -> None:
    times = ratio(printed("175B"), printed(PRINTED["GPT-2 1542M"]))
    assert overlap(times, printed("113"))
    assert times[0] > 100


@claim("t5-2x")
def test_only_t5_base_has_twice_the_parameters_of_bert_base() -> None:
    bert = parameters(MODELS["BERT_BASE"])
    twice = {model for model, s in MODELS.items() if s.family == "t5" and round(parameters(s) / bert, 1) == 2.0}
    assert twice == {"T5-Base"}


@claim("distill-small")
def test_distilbert_is_40_percent_smaller_than_bert_base_by_the_printed_sizes() -> None:
    share = ratio(printed(PRINTED["DistilBERT"]), rough(PRINTED["BERT_BASE"]))
    smaller = difference(exactly(100), product(share, exactly(100)))
    assert overlap(smaller, printed(figure("DistilBERT", "smaller than BERT by")))
    assert round(parameters(MODELS["DistilBERT"]) / parameters(MODELS["BERT_BASE"]), 2) == 0.61


@claim("tinybert-times")
def test_tinybert_is_7_5_times_smaller_than_bert_base_by_the_printed_sizes() -> None:
    bert, times = (figure("TinyBERT", name) for name in ("parameters of BERT_BASE", TIMES))
    assert overlap(ratio(printed(bert), printed(PRINTED["TinyBERT4"])), printed(times))


def test_a_misprinted_size_would_be_seen() -> None:
    assert not fits(parameters(MODELS["DistilBERT"]), rough("60M"))
    assert not fits(parameters(MODELS["ALBERT large"]), rough("81M"))


@claim("albert-toy")
def test_a_factorised_embedding_of_500_words_is_9000_numbers_and_pays_below_a_width_of_83() -> None:
    assert 500 * 15 + 15 * 100 == 9_000
    assert 500 * 83 + 83 * 100 < 500 * 100 < 500 * 84 + 84 * 100


def test_a_factorised_embedding_is_a_matrix_of_low_rank() -> None:
    torch.manual_seed(0)
    table = torch.randn(500, 15, dtype=torch.float64) @ torch.randn(15, 100, dtype=torch.float64)  # (V, E) (E, H)
    assert table.shape == (500, 100)
    assert torch.linalg.matrix_rank(table) == 15


@claim("albert-real")
def test_alberts_factorised_embedding_is_a_sixth_of_the_full_one() -> None:
    factorised, full = 30_000 * 128 + 128 * 768, 30_000 * 768
    assert (factorised, full) == (3_938_304, 23_040_000)
    assert round(full / factorised, 2) == 5.85


@claim("albert-count")
def test_alberts_base_model_has_11_million_parameters_without_its_pooler_and_12_with_it() -> None:
    base = MODELS["ALBERT base"]
    assert albert(base) - pooler(base) == 11_092_992
    assert albert(base) == 11_683_584


def shared(kind: str, width: int) -> int:
    """ALBERT base with what is shared between its layers, without the pooler."""
    s = replace(MODELS["ALBERT base"], embedding=width)
    looks = attention(s.hidden) * (1 if kind in ("all-shared", "shared-attention") else s.layers)
    thinks = feed_forward(s.hidden, s.inner) * (1 if kind in ("all-shared", "shared-FFN") else s.layers)
    return embeddings(s) + projection(s) + looks + thinks


@claim("albert-sharing-params")
@pytest.mark.parametrize("width", [768, 128])
def test_sharing_all_layers_leaves_the_fewest_parameters(width: int) -> None:
    kinds = ["all-shared", "shared-FFN", "shared-attention", "not-shared"]
    sizes = [shared(kind, width) for kind in kinds]
    assert sizes == sorted(set(sizes))


@claim("albert-sharing-printed")
def test_the_sizes_of_alberts_tables_count_the_pooler_in_some_rows_and_not_in_others() -> None:
    top = pooler(MODELS["ALBERT base"])
    rows = [*papers("albert_sharing").itertuples(), *papers("albert_embedding").itertuples()]
    counts = [(row, shared(str(row.sharing), int(str(row.embedding)))) for row in rows]
    for row, bare in counts:
        with_it = str(row.sharing) != "not-shared"
        assert fits(bare + top * with_it, printed(str(row.parameters))), f"{row.sharing} {row.embedding}: {bare:,}"
    assert not all(fits(bare, printed(str(row.parameters))) for row, bare in counts)
    assert not all(fits(bare + top, printed(str(row.parameters))) for row, bare in counts)


@claim("albert-bert-sizes")
def test_the_sizes_of_bert_in_alberts_table_are_those_with_30_000_words_and_no_pooler() -> None:
    for model, size in (("BERT_BASE", BASE), ("BERT_LARGE", LARGE)):
        s = with_vocabulary(MODELS[model], 30_000)
        assert fits(parameters(s) - pooler(s), printed(size))
        assert not fits(parameters(s), printed(size))
    base = MODELS["BERT_BASE"]
    assert not fits(parameters(base) - pooler(base), printed(BASE))


def test_alberts_largest_model_has_fewer_parameters_than_bert_large_and_multiplies_eight_times_as_much() -> None:
    def multiplications(model: str) -> int:
        """Of the layers' matrices, for one token: shared weights are used again in every layer."""
        s = MODELS[model]
        return s.layers * (4 * s.hidden**2 + 2 * s.hidden * s.inner)

    assert parameters(MODELS["ALBERT xxlarge"]) < 0.7 * parameters(MODELS["BERT_LARGE"])
    assert multiplications("ALBERT xxlarge") == 8 * multiplications("BERT_LARGE")
    assert multiplications("ALBERT large") == multiplications("BERT_LARGE")
    assert printed(figure("ALBERT", "speed of ALBERT xxlarge against BERT-large"))[1] < 0.5


@claim("albert-factors")
def test_alberts_factors_follow_from_its_printed_sizes() -> None:
    times = figure("ALBERT", "BERT-large has more parameters than ALBERT large by a factor of")
    assert overlap(ratio(printed(LARGE), printed(PRINTED["ALBERT large"])), printed(times))
    in_the_text = printed(figure("ALBERT", "parameters of xxlarge in the text"))
    assert overlap(ratio(in_the_text, printed(LARGE)), printed("0.70"))
    assert not fits(parameters(MODELS["ALBERT xxlarge"]), in_the_text)
