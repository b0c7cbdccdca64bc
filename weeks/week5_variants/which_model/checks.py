"""which_model: the public checks. Expected values come from scipy, hand counts, a clock that is given, and the paper's own table."""

import math

from scipy import stats

from etude.lesson.checks import claim, close, equal, exercise, true
from etude.lesson.interface import Student


# interval
@exercise("interval")
def test_five_scores_have_students_interval(student: Student) -> None:
    scores = [0.5, 0.75, 1.0, 0.75, 0.5]
    expected = stats.t.interval(0.95, 4, loc=0.7, scale=stats.sem(scores))
    close(list(student.interval(scores)), [float(end) for end in expected], given=f"scores {scores}")


@exercise("interval")
def test_two_scores_know_little(student: Student) -> None:
    half = math.tan(0.475 * math.pi) * 0.5  # of Student's t with one degree of freedom, which is Cauchy's
    close(list(student.interval([1.0, 2.0])), [1.5 - half, 1.5 + half], given="scores [1.0, 2.0]")


@exercise("interval", points=0.5, needs="test_five_scores_have_students_interval")
def test_equal_scores_have_no_width(student: Student) -> None:
    close(list(student.interval([0.25, 0.25, 0.25])), [0.25, 0.25], given="scores [0.25, 0.25, 0.25]")


# tied_with_best
@exercise("tied_with_best")
def test_always_a_little_worse_is_worse(student: Student) -> None:
    scores = {"a": [0.25, 0.5, 0.75], "b": [0.28125, 0.53125, 0.78125]}
    equal(list(student.tied_with_best(scores)), ["b"], given=f"scores {scores}: b is 1/32 better in every draw")


@exercise("tied_with_best")
def test_better_here_and_worse_there_is_a_tie(student: Student) -> None:
    scores = {"a": [0.5, 0.75, 0.25, 0.5], "b": [0.75, 0.5, 0.5, 0.5], "c": [0.0, 0.0, 0.0, 0.125]}
    equal(list(student.tied_with_best(scores)), ["a", "b"], given=f"scores {scores}")


@exercise("tied_with_best", needs="test_always_a_little_worse_is_worse")
def test_the_names_stand_in_the_dicts_order(student: Student) -> None:
    scores = {"z": [0.5, 0.25], "best": [0.5, 1.0], "a": [0.75, 0.5]}
    equal(list(student.tied_with_best(scores)), ["z", "best", "a"], given=f"scores {scores}: two draws tell nothing apart")


@exercise("tied_with_best")
def test_the_best_has_the_highest_mean(student: Student) -> None:
    scores = {"lucky once": [1.0, 0.0, 0.0, 0.0], "steady": [0.5, 0.5, 0.5, 0.5], "low": [0.25, 0.25, 0.25, 0.25]}
    equal(list(student.tied_with_best(scores)), ["lucky once", "steady"], given=f"scores {scores}")


@exercise("tied_with_best", points=0.5, needs="test_always_a_little_worse_is_worse")
def test_the_same_scores_are_a_tie(student: Student) -> None:
    scores = {"a": [0.5, 0.25, 0.5], "twin": [0.5, 0.25, 0.5]}
    equal(list(student.tied_with_best(scores)), ["a", "twin"], given=f"scores {scores}")


# seconds_of
def readings(*taken: float) -> list[tuple[float, float]]:
    """What a clock says around calls that take so long, with a second of something else between them."""
    now, pairs = 100.0, []
    for seconds in taken:
        pairs.append((now, now + seconds))
        now += seconds + 1
    return pairs


@exercise("seconds_of")
def test_the_first_call_does_not_count(student: Student) -> None:
    close(student.seconds_of(readings(64, 1, 1)), 1.0, given="calls of 64, 1, 1 seconds")
    close(student.seconds_of(readings(8, 2)), 2.0, given="calls of 8 and 2 seconds")


@exercise("seconds_of")
def test_one_slow_call_moves_no_median(student: Student) -> None:
    close(student.seconds_of(readings(0, 1, 32, 2, 1, 3)), 2.0, given="calls of 0, then 1, 32, 2, 1, 3 seconds")


@exercise("seconds_of", points=0.5, needs="test_one_slow_call_moves_no_median")
def test_of_an_even_number_the_two_in_the_middle_count(student: Student) -> None:
    close(student.seconds_of(readings(0, 4, 1, 2, 16)), 3.0, given="calls of 0, then 4, 1, 2, 16 seconds")


# forward_flops
@exercise("forward_flops")
def test_each_product_is_counted(student: Student) -> None:
    equal(int(student.forward_flops(1, 1, 1, 1)), 16, given="1 token, 1 layer, all widths 1: 4 + 2 + 2 pairs")
    equal(int(student.forward_flops(1, 1, 1, 10)), 52, given="1 token, 1 layer, width 1, an inner width of 10")
    equal(int(student.forward_flops(1, 1, 10, 1)), 880, given="1 token, 1 layer, width 10, an inner width of 1")


@exercise("forward_flops")
def test_attention_grows_with_the_square_of_the_text(student: Student) -> None:
    twice = int(student.forward_flops(20, 3, 8, 32)) - 2 * int(student.forward_flops(10, 3, 8, 32))
    equal(twice, 2 * 3 * 2 * 8 * (400 - 200), given="3 layers, width 8, inner 32: what 20 tokens take more than twice 10 tokens")


@exercise("forward_flops")
def test_words_are_scored_where_it_is_asked(student: Student) -> None:
    more = int(student.forward_flops(5, 2, 4, 16, 100, 3)) - int(student.forward_flops(5, 2, 4, 16))
    equal(more, 2 * 3 * 4 * 100, given="5 tokens, 2 layers, width 4, inner 16: what scoring 100 words at 3 places adds")


@exercise("forward_flops", points=0.5)
def test_gpt3_takes_two_flops_for_each_weight(student: Student) -> None:
    found = int(student.forward_flops(1, 96, 12_288, 49_152))
    expected = 2 * 96 * (12 * 12_288**2 + 2 * 12_288)
    equal(found, expected, given="GPT-3: 1 token, 96 layers, width 12,288, inner 49,152")


# serving_bytes
@exercise("serving_bytes")
def test_weights_alone(student: Student) -> None:
    equal(int(student.serving_bytes(1000, 2, 8, 16, 0, 4)), 4000, given="1,000 weights of 4 bytes, no text")


@exercise("serving_bytes")
def test_keys_and_values_of_every_layer_token_and_text(student: Student) -> None:
    equal(int(student.serving_bytes(0, 3, 5, 7, 11, 1)), 3 * 5 * 7 * 11 * 2, given="no weights, 3 layers, width 5, 7 tokens, 11 texts, 1 byte")


@exercise("serving_bytes", points=0.5)
def test_gpt3s_cache_of_one_text(student: Student) -> None:
    found = int(student.serving_bytes(0, 96, 12_288, 2048, 1, 2))
    equal(found, 9_663_676_416, given="GPT-3 without its weights: 96 layers, width 12,288, one text of 2,048 tokens, 2 bytes a number")


# energy
@claim("energy-elmo")
@exercise("energy")
def test_elmos_row_of_the_papers_table(student: Student) -> None:
    kwh, pounds = student.energy(336, 517.66, 0.0)
    true(round(float(kwh)) == 275 and round(float(pounds)) == 262, "the paper prints 275 kWh and 262 lb", given="336 hours, 517.66 W", actual=(kwh, pounds))


@claim("energy-bert")
@exercise("energy")
def test_berts_printed_energy_needs_more_hours_than_are_printed(student: Student) -> None:
    kwh, _ = student.energy(79, 12_041.51, 0.0)
    true(round(float(kwh)) == 1503, "by the paper's equation it is 1,503 kWh; 1,507 are printed", given="79 hours, 12,041.51 W", actual=kwh)


@exercise("energy")
def test_every_gpu_draws(student: Student) -> None:
    close(list(student.energy(10, 50.0, 25.0, 100.0, 4, overhead=1.0, pounds=2.0)), [4.75, 9.5], given="10 hours, 50 + 25 W, 4 GPUs of 100 W, overhead 1, 2 lb for each kWh")


@exercise("energy")
def test_cooling_is_on_all_of_it(student: Student) -> None:
    close(list(student.energy(1, 1000.0, 1000.0, 1000.0, 2, overhead=1.5, pounds=1.0)), [6.0, 6.0], given="1 hour, 1,000 W for each of processors, memory and 2 GPUs, overhead 1.5")


# pareto_front
@exercise("pareto_front")
def test_dearer_and_worse_is_dominated(student: Student) -> None:
    models = {"C": (4.0, 0.9), "A": (1.0, 0.3), "D": (5.0, 0.8), "B": (2.0, 0.7)}
    equal(list(student.pareto_front(models)), ["A", "B", "C"], given=f"{models}: cheapest first")


@exercise("pareto_front")
def test_as_good_and_dearer_is_dominated(student: Student) -> None:
    models = {"a": (1.0, 0.5), "b": (2.0, 0.5), "c": (3.0, 0.75), "d": (3.0, 0.25)}
    equal(list(student.pareto_front(models)), ["a", "c"], given=str(models))


@exercise("pareto_front")
def test_twins_do_not_dominate_each_other(student: Student) -> None:
    models = {"z": (1.0, 0.5), "b": (1.0, 0.5), "c": (3.0, 0.25)}
    equal(list(student.pareto_front(models)), ["z", "b"], given=f"{models}: of equal costs in the dict's order")


@exercise("pareto_front", points=0.5, needs="test_dearer_and_worse_is_dominated")
def test_no_models_have_no_front(student: Student) -> None:
    equal(list(student.pareto_front({})), [], given="no models")


# choose
FACTS = {
    "big": {"quality": 0.9, "ms": 50.0, "bits": 1.0},
    "small": {"quality": 0.8, "ms": 5.0, "bits": None},
    "twin": {"quality": 0.8, "ms": 5.0, "bits": 2.0},
    "free": {"quality": 0.5, "ms": 0.0},
}


@exercise("choose")
def test_the_cheapest_that_is_good_enough(student: Student) -> None:
    equal(student.choose(FACTS, [("quality", "at least", 0.75)], "ms"), "small", given="at least .75 of quality, by milliseconds")
    equal(student.choose(FACTS, [("quality", "at least", 0.85)], "ms"), "big", given="at least .85 of quality, by milliseconds")
    equal(student.choose(FACTS, [], "ms"), "free", given="no needs, by milliseconds; one model takes 0")


@exercise("choose")
def test_all_needs_count_and_a_bound_may_be_reached(student: Student) -> None:
    needs = [("quality", "at least", 0.8), ("ms", "at most", 5.0), ("bits", "at most", 2.0)]
    equal(student.choose(FACTS, needs, "ms"), "twin", given=f"needs {needs}")


@exercise("choose")
def test_what_is_not_known_meets_no_need(student: Student) -> None:
    equal(student.choose(FACTS, [("bits", "at most", 9.0)], "ms"), "twin", given="at most 9 bits; small has None, free has no such fact")
    equal(student.choose(FACTS, [("bits", "at least", 0.0)], "quality"), "twin", given="at least 0 bits, the lowest quality")


@exercise("choose")
def test_if_no_model_meets_the_needs_there_is_none(student: Student) -> None:
    equal(student.choose(FACTS, [("quality", "at least", 0.95)], "ms"), None, given="at least .95 of quality")
    equal(student.choose({}, [], "ms"), None, given="no models")
