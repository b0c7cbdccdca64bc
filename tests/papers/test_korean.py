"""Korean models: do the printed parameters follow from the printed vocabulary and the usual configuration?"""

import published
import pytest
from published import exactly, overlap, papers, printed, rough
from published_parameters import parameters, pretraining_heads, shapes, with_vocabulary

from etude.lesson.checks import claim

MODELS = shapes("korean_models")
PRINTED = papers("korean_models").set_index("model").parameters
ASSUMED = papers("korean_models").set_index("model").assumed
PAGE = "(as KR-BERT's page prints it)"
HEADS = ("KR-BERT character", "KR-BERT sub-character")  # counted with the heads of pre-training
MULTILINGUAL, KORBERT = f"mBERT {PAGE}", f"KorBERT {PAGE}"
FOLLOW = [model for model in MODELS if not ASSUMED[model] and model not in (*HEADS, MULTILINGUAL, KORBERT)]
MILLION = 10**6


@claim(
    "ko-hanbert+ko-korealbert+ko-kluebert+ko-kcbert+ko-kobigbird+ko-kogpt2+ko-kobart+ko-ket5",
    "ko-korbert",
    "ko-distilkobert",
)
@pytest.mark.parametrize("model", FOLLOW)
def test_the_printed_size_follows_from_the_vocabulary(model: str) -> None:
    assert overlap(exactly(parameters(MODELS[model])), rough(PRINTED[model])), f"{parameters(MODELS[model]):,}"


@claim("ko-kobert+ko-kogpt")
@pytest.mark.parametrize("model", ["KoGPT", f"KoBERT {PAGE}"])
def test_a_size_printed_in_full_is_met_to_the_last_parameter(model: str) -> None:
    assert parameters(MODELS[model]) == int(PRINTED[model])


@claim("vocab-30k", "ko-krbert-char+ko-krbert-subchar")
@pytest.mark.parametrize("model", HEADS)
def test_kr_berts_sizes_are_met_to_the_last_parameter_with_one_class_a_word_and_two_for_the_next_sentence(
    model: str,
) -> None:
    assert parameters(MODELS[model]) + pretraining_heads(MODELS[model]) == int(PRINTED[model])


def test_a_wrong_vocabulary_would_be_seen() -> None:
    for model, words in (("DistilKoBERT", 30_522), ("HanBERT", 45_000), ("KLUE-BERT", 30_522), ("KoGPT2", 50_257)):
        count = parameters(with_vocabulary(MODELS[model], words))
        assert not overlap(exactly(count), rough(PRINTED[model])), model


def test_distilkobert_with_30522_words_would_have_45_million_parameters() -> None:
    assert round(parameters(with_vocabulary(MODELS["DistilKoBERT"], 30_522)) / MILLION, 1) == 45.1


@claim("ko-kcelectra")
def test_124_million_parameters_of_kcelectra_need_about_fifty_thousand_words() -> None:
    row = published.row(papers("korean_models").set_index("model"), "KcELECTRA")
    base = with_vocabulary(MODELS["KLUE-BERT"], 0)
    thirty = parameters(with_vocabulary(base, 30_000))
    assert not overlap(exactly(thirty), printed(row.parameters))
    words = [(size - parameters(base)) / base.hidden for size in printed(row.parameters)]
    assert 48_000 < words[0] < words[1] < 52_000


@claim("ko-mbert")
def test_the_size_printed_for_the_multilingual_bert_is_that_of_the_uncased_model() -> None:
    cased = MODELS[MULTILINGUAL]
    assert cased.vocabulary == 119_547
    assert parameters(cased) == 177_853_440 != int(PRINTED[MULTILINGUAL])
    assert parameters(with_vocabulary(cased, 105_879)) == int(PRINTED[MULTILINGUAL])


@claim("ko-korbert-krbert")
def test_the_size_printed_for_korbert_is_that_of_its_morphemes_with_heads_and_not_of_its_wordpieces() -> None:
    pieces = MODELS[KORBERT]
    morphemes = with_vocabulary(pieces, MODELS["KorBERT morphemes"].vocabulary)
    assert (pieces.vocabulary, morphemes.vocabulary) == (30_797, 30_349)
    assert parameters(morphemes) + pretraining_heads(morphemes) == int(PRINTED[KORBERT])
    assert parameters(pieces) + pretraining_heads(pieces) != int(PRINTED[KORBERT])


@claim("ko-et5")
def test_a_t5_small_with_45100_words_has_67_million_parameters_and_one_with_32128_has_60() -> None:
    small = MODELS["ET5"]
    assert not overlap(exactly(parameters(small)), rough(PRINTED["ET5"]))
    assert round(parameters(small) / MILLION, 1) == 67.1
    assert overlap(exactly(parameters(with_vocabulary(small, 32_128))), rough(PRINTED["ET5"]))
