"""small_models: classic mistakes and other right ways, for each exercise. Never released."""

import torch
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# take_layers
@alternative("take_layers", "prefixes-cut-off")
def take_layers(weights, kept):
    first = weights["bert.input.segments.weight"][:1]
    out = {}
    for name in weights:
        inner = name.removeprefix("bert.layers.")
        number, _, rest = inner.partition(".")
        if inner == name:
            if not (name.startswith("bert.pooler.") or name.startswith("next_sentence.") or name.startswith("bert.input.segments.")):
                out[name] = weights[name]
        elif int(number) in kept:
            out[f"bert.layers.{kept.index(int(number))}.{rest}"] = weights[name]
    out["bert.input.positions.weight"] = out["bert.input.positions.weight"] + first
    return out


@alternative("take_layers", "layer-by-layer")
def take_layers(weights, kept):
    left_out = ("bert.layers.", "bert.pooler.", "next_sentence.", "bert.input.segments.")
    found = {name: tensor.clone() for name, tensor in weights.items() if not name.startswith(left_out)}
    found["bert.input.positions.weight"] += weights["bert.input.segments.weight"][0]
    for place, layer in enumerate(kept):
        begin = f"bert.layers.{layer}."
        for name in weights:
            if name.startswith(begin):
                found[f"bert.layers.{place}." + name[len(begin):]] = weights[name]
    return found


edit("take_layers", "old-numbers", {"str(place), *parts[3:]": "parts[2], *parts[3:]"},
     "the layers keep the teacher's numbers: the student's count from 0", killed_by="test_every_second_layer_gets_a_new_number")
edit("take_layers", "first-layers", {"int(parts[2]) in kept": "int(parts[2]) < len(kept)", "kept.index(int(parts[2]))": "int(parts[2])"},
     "the teacher's first layers are taken: those that are asked for", killed_by="test_every_second_layer_gets_a_new_number")
edit("take_layers", "sorted", {"kept.index(int(parts[2]))": "sorted(kept).index(int(parts[2]))"},
     "the layers are put in the teacher's order: the list says the student's", killed_by="test_layers_stand_in_the_order_that_is_asked_for")
edit("take_layers", "segments-dropped", {'tensor + weights["bert.input.segments.weight"][0]': "tensor"},
     "the segments' table is dropped: its row 0, which stood in every sum, is lost", killed_by="test_positions_hold_the_first_segments_vector")
edit("take_layers", "both-segments", {'weights["bert.input.segments.weight"][0]': 'weights["bert.input.segments.weight"].sum(dim=0)'},
     "both segments are added: a single text has the first alone", killed_by="test_positions_hold_the_first_segments_vector")
edit("take_layers", "second-segment", {'weights["bert.input.segments.weight"][0]': 'weights["bert.input.segments.weight"][-1]'},
     "the last segment's vector is added: a single text has the first one's", killed_by="test_positions_hold_the_first_segments_vector")
edit("take_layers", "pooler-kept", {'name.startswith(("bert.pooler.", "next_sentence."))': 'name.startswith("next_sentence.")'},
     "the pooler is kept: DistilBERT has none", killed_by="test_pooler_next_sentence_and_segments_are_left_out")
edit("take_layers", "segments-kept", {'name != "bert.input.segments.weight" and not': "not"},
     "the segments' table is kept: DistilBERT has none", killed_by="test_pooler_next_sentence_and_segments_are_left_out")
edit("take_layers", "next-sentence-kept", {'name.startswith(("bert.pooler.", "next_sentence."))': 'name.startswith("bert.pooler.")'},
     "the head for next sentences is kept: DistilBERT has none", killed_by="test_pooler_next_sentence_and_segments_are_left_out")
edit("take_layers", "encoder-alone", {'name != "bert.input.segments.weight" and not name.startswith(("bert.pooler.", "next_sentence."))': 'name.startswith("bert.input.") and name != "bert.input.segments.weight"'},
     "the head for masked words is lost: transform, norm and bias stay", killed_by="test_pooler_next_sentence_and_segments_are_left_out")
edit("take_layers", "anywhere-in-the-name", {'not name.startswith(("bert.pooler.", "next_sentence."))': 'not ("pooler" in name or "next_sentence" in name)'},
     "a name that holds the word somewhere is left out: it is the beginning that tells", killed_by="test_one_segment_and_names_of_other_teachers")
edit("take_layers", "in-place", {'tensor + weights["bert.input.segments.weight"][0]': 'tensor.add_(weights["bert.input.segments.weight"][0])'},
     "the teacher's positions are changed: make a new tensor", killed_by="test_positions_hold_the_first_segments_vector")


@mistake("take_layers", "one-digit", "only one digit of a layer's number is read: there may be two", killed_by="test_any_of_twelve_layers_stands_at_its_place")
def take_layers(weights, kept):
    out = {}
    for name, tensor in weights.items():
        if name.startswith("bert.layers."):
            for place, layer in enumerate(kept):
                if name.startswith(f"bert.layers.{layer}"):
                    out[f"bert.layers.{place}" + name[len(f"bert.layers.{layer}"):]] = tensor
        elif name == "bert.input.positions.weight":
            out[name] = tensor + weights["bert.input.segments.weight"][0]
        elif name != "bert.input.segments.weight" and not name.startswith(("bert.pooler.", "next_sentence.")):
            out[name] = tensor
    return out


edit("take_layers", "without-the-dot", {'("bert.pooler.", "next_sentence.")': '("bert.pooler", "next_sentence")'},
     "a name that only begins with the same letters is left out: the dot belongs to what tells", killed_by="test_one_segment_and_names_of_other_teachers")
edit("take_layers", "through-float32", {"    return taken": "    return {name: tensor.float().to(tensor.dtype) for name, tensor in taken.items()}"},
     "numbers go through float32 and lose their digits: they stay as they are", killed_by="test_numbers_keep_their_types")


@mistake("take_layers", "segments-come-first", "the segments' table is taken to come before the positions: they are found by name",
         killed_by="test_one_segment_and_names_of_other_teachers")
def take_layers(weights, kept):
    out, segment = {}, 0.0
    for name, tensor in weights.items():
        parts = name.split(".")
        if name == "bert.input.segments.weight":
            segment = tensor[0]
        elif name == "bert.input.positions.weight":
            out[name] = tensor + segment
        elif parts[:2] == ["bert", "layers"]:
            if int(parts[2]) in kept:
                out[".".join(["bert.layers", str(kept.index(int(parts[2]))), *parts[3:]])] = tensor
        elif not name.startswith(("bert.pooler.", "next_sentence.")):
            out[name] = tensor
    return out


edit("take_layers", "always-float32", {"    return taken": "    return {name: tensor.float() for name, tensor in taken.items()}"},
     "all numbers become float32: their types stay", killed_by="test_numbers_keep_their_types")


# triple_loss
@alternative("triple_loss", "flat-and-logarithms")
def triple_loss(logits, teacher, labels, own, theirs, real, temperature, weights):
    z, v = logits[real], teacher[real].detach()
    q = torch.softmax(v / temperature, dim=1)
    soft = -(q * torch.log_softmax(z / temperature, dim=1)).sum(dim=1).mean() * temperature**2
    flat = labels.flatten()
    masked = functional.cross_entropy(logits.flatten(0, 1), flat, ignore_index=-100, reduction="sum") / max(1, int((flat != -100).sum()))
    a, b = functional.normalize(own[real], dim=-1), functional.normalize(theirs[real].detach(), dim=-1)
    cosine = (1 - (a * b).sum(dim=-1)).mean()
    return sum(weight * part for weight, part in zip(weights, (soft, masked, cosine)))


@alternative("triple_loss", "with-embedding-loss")
def triple_loss(logits, teacher, labels, own, theirs, real, temperature, weights):
    alpha, beta, gamma = weights
    rows = real.nonzero(as_tuple=True)
    targets = torch.softmax(teacher[rows].detach() / temperature, dim=-1)
    loss = alpha * temperature * temperature * functional.cross_entropy(logits[rows] / temperature, targets)
    if (labels != -100).any():
        loss = loss + beta * functional.cross_entropy(logits.transpose(1, 2), labels)
    same = torch.ones(len(rows[0]), device=own.device)
    return loss + gamma * functional.cosine_embedding_loss(own[rows], theirs[rows].detach(), same)


edit("triple_loss", "distillation-alone", {"weights[0] * soft + weights[1] * masked + weights[2] * (1 - cosines).mean()": "weights[0] * soft"},
     "this is the distillation loss alone: the triple loss is a sum of three", killed_by="test_it_is_a_sum_of_three")
edit("triple_loss", "without-the-cosine", {" + weights[2] * (1 - cosines).mean()": ""},
     "the cosine of states is missing", killed_by="test_it_is_a_sum_of_three")
edit("triple_loss", "without-masked-words", {"weights[1] * masked + ": ""},
     "the masked words are missing", killed_by="test_it_is_a_sum_of_three")
edit("triple_loss", "no-t-squared", {"temperature**2 * functional": "functional"},
     "T² is missing", killed_by="test_soft_targets_alone")
edit("triple_loss", "student-not-softened", {"logits[real] / temperature": "logits[real]"},
     "the student's scores are not divided by T: both are softened", killed_by="test_soft_targets_alone")
edit("triple_loss", "teacher-not-softened", {"teacher[real].detach() / temperature": "teacher[real].detach()"},
     "the teacher's scores are not divided by T: both are softened", killed_by="test_soft_targets_alone")
edit("triple_loss", "masked-words-softened", {"functional.cross_entropy(logits[asked], ": "functional.cross_entropy(logits[asked] / temperature, "},
     "the masked words are asked at T: they are asked at 1", killed_by="test_masked_words_alone_at_temperature_1")
edit("triple_loss", "cosine-itself", {"(1 - cosines)": "cosines"},
     "the cosine is made small, so states turn away: it is 1 minus the cosine", killed_by="test_directions_alone")
edit("triple_loss", "squares-of-states", {"functional.cosine_similarity(own[real], theirs[real].detach(), dim=-1)": "1 - (own[real] - theirs[real].detach()).square().mean(dim=-1)"},
     "states are compared by squares: by their direction", killed_by="test_directions_alone")
edit("triple_loss", "cosine-over-tokens", {"theirs[real].detach(), dim=-1)": "theirs[real].detach(), dim=0)"},
     "the cosine runs over tokens: over the numbers of one state", killed_by="test_directions_alone")
edit("triple_loss", "padding-counts", {"teacher[real]": "teacher.flatten(0, 1)", "logits[real]": "logits.flatten(0, 1)"},
     "soft targets are matched at padding, too", killed_by="test_padding_does_not_count_whatever_stands_there")
edit("triple_loss", "padding-has-directions", {"own[real]": "own", "theirs[real]": "theirs"},
     "states of padding are compared, too", killed_by="test_padding_does_not_count_whatever_stands_there")
edit("triple_loss", "masked-words-summed", {' / asked.sum().clamp(min=1)': ""},
     "the masked words are summed: their mean is asked for", killed_by="test_masked_words_alone_at_temperature_1")
edit("triple_loss", "masked-mean-over-real", {"asked.sum().clamp(min=1)": "real.sum()"},
     "the masked words are divided by all tokens: by those with a label", killed_by="test_masked_words_alone_at_temperature_1")
edit("triple_loss", "nothing-is-nan", {".clamp(min=1)": ""},
     "without a label the mean is 0/0", killed_by="test_without_any_label_the_masked_words_cost_0")
edit("triple_loss", "soft-at-masked-words", {"teacher[real]": "teacher[labels != -100]", "logits[real]": "logits[labels != -100]"},
     "soft targets are matched at masked words alone: at all real tokens", killed_by="test_it_is_a_sum_of_three")
edit("triple_loss", "weights-exchanged", {"weights[0] * soft + weights[1] * masked": "weights[1] * soft + weights[0] * masked"},
     "the first two weights are exchanged: soft, masked, cosine", killed_by="test_soft_targets_alone")
edit("triple_loss", "teacher-learns", {"teacher[real].detach()": "teacher[real]"},
     "a gradient reaches the teacher's scores", killed_by="test_scores_and_states_learn_and_the_teachers_do_not")
edit("triple_loss", "teachers-states-learn", {"theirs[real].detach()": "theirs[real]"},
     "a gradient reaches the teacher's states", killed_by="test_scores_and_states_learn_and_the_teachers_do_not")
edit("triple_loss", "log-of-softmax", {"functional.cross_entropy(logits[real] / temperature, targets)": "-(targets * (logits[real] / temperature).softmax(dim=-1).log()).sum(dim=-1).mean()"},
     "the softmax of a far score is 0, and its logarithm −∞", killed_by="test_far_scores_cost_what_they_say")
@mistake("triple_loss", "weighted-means-of-texts", "a text without a real token has no mean: 0/0 spoils the sum, though 0 tokens are its weight",
         killed_by="test_any_batch_costs_its_three_means")
def triple_loss(logits, teacher, labels, own, theirs, real, temperature, weights):
    soft, cosine, count = 0, 0, int(real.sum())
    for z, v, a, b, words in zip(logits, teacher, own, theirs, real):
        targets = (v[words].detach() / temperature).softmax(dim=-1)
        share = int(words.sum()) / count
        soft = soft + share * temperature**2 * functional.cross_entropy(z[words] / temperature, targets)
        cosine = cosine + share * (1 - functional.cosine_similarity(a[words], b[words].detach(), dim=-1)).mean()
    asked = labels != -100
    masked = functional.cross_entropy(logits[asked], labels[asked], reduction="sum") / asked.sum().clamp(min=1)
    return weights[0] * soft + weights[1] * masked + weights[2] * cosine


edit("triple_loss", "chosen-too-late", {"teacher[real].detach()": "teacher.detach()", "functional.cross_entropy(logits[real] / temperature, targets)": "-(targets * (logits / temperature).log_softmax(dim=-1)).sum(dim=-1)[real].mean()"},
     "padding is left out after it was computed with: NaN times 0 stays in the gradients", killed_by="test_the_teachers_padding_spoils_no_gradient")
edit("triple_loss", "divergence", {"functional.cross_entropy(logits[real] / temperature, targets)": "functional.kl_div((logits[real] / temperature).log_softmax(dim=-1), targets, reduction=\"batchmean\")"},
     "this is the divergence, smaller by the teacher's entropy: cross entropy was asked for", killed_by="test_soft_targets_alone")


# fitting_words
@alternative("fitting_words", "counted-upwards")
def fitting_words(low, high, layers):
    one = 512 * 768 + 2 * 768 + layers * 7_087_872
    smallest = max(1, (low - one + 767) // 768)
    greatest = (high - one - (high - one) % 768) // 768
    if greatest < smallest:
        return None
    return smallest, greatest


@alternative("fitting_words", "part-by-part")
def fitting_words(low, high, layers):
    def count(words):
        attention = 4 * (768 * 768 + 768) + 2 * 768
        feed_forward = 768 * 3072 + 3072 + 3072 * 768 + 768 + 2 * 768
        return (words + 512) * 768 + 2 * 768 + layers * (attention + feed_forward)

    greatest = (high - count(0)) // 768
    smallest = (low - count(0)) // 768
    while count(smallest) < low:
        smallest += 1
    smallest = max(smallest, 1)
    return (smallest, greatest) if smallest <= greatest else None


edit("fitting_words", "rounded-down", {"-((rest - low) // width)": "(low - rest) // width"},
     "the smallest is rounded down: then the model is smaller than low", killed_by="test_both_ends_belong_to_the_range")
edit("fitting_words", "rounded-up", {"(high - rest) // width": "-((rest - high) // width)"},
     "the greatest is rounded up: then the model is larger than high", killed_by="test_both_ends_belong_to_the_range")
edit("fitting_words", "six-layers-always", {"+ layers * (": "+ 6 * ("},
     "there are always six layers", killed_by="test_distilkobert_has_about_eight_thousand_words")
edit("fitting_words", "segments-counted", {"512 * width": "514 * width"},
     "two segments are counted: DistilBERT has none", killed_by="test_distilberts_parameters_are_those_of_30522_words")
edit("fitting_words", "pooler-counted", {" + 2 * width +": " + 2 * width + width**2 + width +"},
     "the pooler is counted: DistilBERT has none", killed_by="test_distilberts_parameters_are_those_of_30522_words")
edit("fitting_words", "no-positions", {"512 * width + 2 * width": "2 * width"},
     "the table of positions is forgotten", killed_by="test_distilberts_parameters_are_those_of_30522_words")
edit("fitting_words", "no-norm", {"512 * width + 2 * width": "512 * width"},
     "the LayerNorm of the embeddings is forgotten", killed_by="test_distilberts_parameters_are_those_of_30522_words")
edit("fitting_words", "no-biases", {" + 13 * width": ""},
     "biases and LayerNorms of the layers are forgotten", killed_by="test_distilberts_parameters_are_those_of_30522_words")
edit("fitting_words", "head-counted", {" + 2 * width +": " + 2 * width + width**2 + 3 * width +"},
     "the head for masked words is counted: the encoder alone is asked for", killed_by="test_distilberts_parameters_are_those_of_30522_words")
edit("fitting_words", "none-forgotten", {"(smallest, greatest) if smallest <= greatest else None": "(smallest, greatest)"},
     "a range that no model meets gives two numbers: None", killed_by="test_between_two_vocabularies_there_is_none")
edit("fitting_words", "no-words-at-all", {"max(1, -((rest - low) // width))": "-((rest - low) // width)"},
     "a model of no words or fewer is allowed: there is at least one", killed_by="test_a_model_without_words_is_none")
edit("fitting_words", "by-floats", {"-((rest - low) // width)": "__import__('math').ceil((low - rest) / width)", "(high - rest) // width": "int((high - rest) / width)"},
     "floats have 16 digits: divide whole numbers", killed_by="test_large_sizes_are_exact")


# layer_map
@alternative("layer_map", "one-formula")
def layer_map(teacher, student, way):
    if way == "uniform" and teacher % student != 0:
        raise ValueError("not evenly")
    step = teacher // student if way == "uniform" else 1
    shift = teacher - student if way == "top" else 0
    return [0] + [m * step + shift for m in range(1, student + 1)] + [teacher + 1]


@alternative("layer_map", "slices")
def layer_map(teacher, student, way):
    layers = list(range(teacher + 2))
    if way == "top":
        return [0] + layers[teacher - student + 1 :]
    if way == "bottom":
        return layers[: student + 1] + layers[-1:]
    k, left = divmod(teacher, student)
    if left:
        raise ValueError(f"{student} does not divide {teacher}")
    return layers[::k][: student + 1] + [layers[-1]]


edit("layer_map", "no-embeddings", {"[0, *inner, teacher + 1]": "[*inner, teacher + 1]"},
     "the embeddings' 0 is missing at the beginning", killed_by="test_tinyberts_four_layers_learn_from_every_third")
edit("layer_map", "no-prediction", {"[0, *inner, teacher + 1]": "[0, *inner]"},
     "the prediction's N + 1 is missing at the end", killed_by="test_tinyberts_four_layers_learn_from_every_third")
edit("layer_map", "prediction-of-the-student", {"teacher + 1]": "student + 1]"},
     "the prediction is the teacher's layer N + 1, not M + 1", killed_by="test_tinyberts_four_layers_learn_from_every_third")
edit("layer_map", "from-the-first", {"teacher // student * m for": "teacher // student * (m - 1) + 1 for"},
     "each layer learns from the first of its k: from the last of them, k · m", killed_by="test_tinyberts_four_layers_learn_from_every_third")
edit("layer_map", "top-and-bottom-exchanged", {'way == "top"': 'way == "bottom"'},
     "top and bottom are exchanged", killed_by="test_top_and_bottom")
edit("layer_map", "top-one-too-low", {"m + teacher - student for": "m + teacher - student - 1 for"},
     "the top is one layer too low: the student's last layer learns from the teacher's last", killed_by="test_top_and_bottom")
edit("layer_map", "rounded", {"        if teacher % student:\n            raise ValueError(f\"{teacher} layers cannot be shared out evenly among {student}\")\n": ""},
     "a map that cannot be uniform is made all the same: ValueError", killed_by="test_five_of_twelve_cannot_be_uniform")
edit("layer_map", "all-must-divide", {'    if way == "uniform":\n        if teacher % student:\n            raise ValueError(f"{teacher} layers cannot be shared out evenly among {student}")\n': '    if teacher % student:\n        raise ValueError(f"{teacher} layers cannot be shared out evenly among {student}")\n    if way == "uniform":\n'},
     "top and bottom need no M that divides N", killed_by="test_only_the_uniform_map_must_divide")
edit("layer_map", "floats", {"teacher // student * m": "teacher / student * m"},
     "these are floats: layers have whole numbers", killed_by="test_tinyberts_four_layers_learn_from_every_third")


# attention_loss
@alternative("attention_loss", "filled-with-zeros")
def attention_loss(own, theirs, real):
    pairs = (real.unsqueeze(1) & real.unsqueeze(2)).unsqueeze(1)
    a, b = own.masked_fill(~pairs, 0.0), theirs.detach().masked_fill(~pairs, 0.0)
    return (a - b).square().sum() / (pairs.sum() * own.shape[1])


@alternative("attention_loss", "heads-last")
def attention_loss(own, theirs, real):
    where = real[:, :, None] & real[:, None, :]
    a, b = own.permute(0, 2, 3, 1)[where], theirs.detach().permute(0, 2, 3, 1)[where]
    return ((a - b) ** 2).mean()


edit("attention_loss", "after-the-softmax", {"functional.mse_loss(own[pairs], theirs[pairs].detach())": "functional.mse_loss(own.softmax(-1)[pairs], theirs.softmax(-1)[pairs].detach())"},
     "the softmax of scores is compared: the scores before it", killed_by="test_scores_are_compared_before_the_softmax")
edit("attention_loss", "queries-alone", {"real[:, None, :, None] & real[:, None, None, :]": "real[:, None, :, None]"},
     "pairs count whose key is padding: both must be real", killed_by="test_a_pair_counts_if_both_tokens_are_real")
edit("attention_loss", "keys-alone", {"real[:, None, :, None] & real[:, None, None, :]": "real[:, None, None, :]"},
     "pairs count whose query is padding: both must be real", killed_by="test_a_pair_counts_if_both_tokens_are_real")
edit("attention_loss", "either", {"real[:, None, :, None] & real[:, None, None, :]": "real[:, None, :, None] | real[:, None, None, :]"},
     "pairs count of which one is real: both must be", killed_by="test_a_pair_counts_if_both_tokens_are_real")
edit("attention_loss", "mean-over-all-pairs", {"functional.mse_loss(own[pairs], theirs[pairs].detach())": "functional.mse_loss(own[pairs], theirs[pairs].detach(), reduction=\"sum\") / own.numel()"},
     "the sum is divided by all pairs, padding too: by the real ones", killed_by="test_a_pair_counts_if_both_tokens_are_real")
edit("attention_loss", "sum", {"theirs[pairs].detach())": "theirs[pairs].detach(), reduction=\"sum\")"},
     "the squares are summed: their mean is asked for", killed_by="test_the_mean_of_squares_over_heads_and_pairs")
edit("attention_loss", "heads-summed", {"return functional": "return own.shape[1] * functional"},
     "the heads are summed: their mean is asked for", killed_by="test_the_mean_of_squares_over_heads_and_pairs")
edit("attention_loss", "absolute", {"mse_loss": "l1_loss"},
     "absolute differences: squares are asked for", killed_by="test_the_mean_of_squares_over_heads_and_pairs")
edit("attention_loss", "teacher-learns", {".detach()": ""},
     "a gradient reaches the teacher", killed_by="test_only_the_students_scores_are_moved")
edit("attention_loss", "student-is-constant", {"own[pairs], theirs[pairs].detach()": "own[pairs].detach(), theirs[pairs].detach()"},
     "the student's scores are constants, so nothing is learned", killed_by="test_only_the_students_scores_are_moved")


@mistake("attention_loss", "text-by-text", "each text's mean counts alike: all pairs of the batch do", killed_by="test_pairs_of_the_whole_batch_count_alike")
def attention_loss(own, theirs, real):
    found = []
    for a, b, words in zip(own, theirs, real):
        pairs = (words[:, None] & words[None, :]).expand_as(a)
        found.append(functional.mse_loss(a[pairs], b[pairs].detach()))
    return torch.stack(found).mean()


@mistake("attention_loss", "weighted-means-of-texts", "a text without a real token has no mean: 0/0 spoils the sum, though 0 pairs are its weight",
         killed_by="test_any_batch_costs_the_mean_of_its_squares")
def attention_loss(own, theirs, real):
    total, count = 0, 0
    for a, b, words in zip(own, theirs, real):
        number = int(words.sum()) ** 2
        total = total + number * functional.mse_loss(a[:, words][:, :, words], b[:, words][:, :, words].detach())
        count += number
    return total / count


@mistake("attention_loss", "mask-multiplied", "pairs of padding are multiplied by 0, and 0 · ∞ is not a number: choose the real pairs first",
         killed_by="test_minus_infinity_at_padding_does_not_matter")
def attention_loss(own, theirs, real):
    pairs = (real[:, None, :, None] & real[:, None, None, :]).to(own.dtype)
    return ((own - theirs.detach()).square() * pairs).sum() / (pairs.sum() * own.shape[1])


# hidden_loss
@alternative("hidden_loss", "einsum")
def hidden_loss(own, theirs, lift, real):
    up = torch.einsum("rk,kd->rd", own[real], lift)
    return (up - theirs[real].detach()).pow(2).mean()


@alternative("hidden_loss", "linear-and-sum")
def hidden_loss(own, theirs, lift, real):
    rows = real.nonzero(as_tuple=True)
    apart = functional.linear(own[rows], lift.t()) - theirs.detach()[rows]
    return apart.square().sum() / apart.numel()


edit("hidden_loss", "turned-round", {"own[real] @ lift": "own[real] @ lift.T"},
     "the lift is turned round: it is (d', d), as it multiplies the student's states from the right", killed_by="test_a_square_lift_is_not_turned_round")
edit("hidden_loss", "teacher-brought-down", {"own[real] @ lift, theirs[real].detach()": "own[real], theirs[real].detach() @ lift.T"},
     "the teacher is brought down to the student's width: the student is brought up", killed_by="test_the_students_states_are_brought_up")
edit("hidden_loss", "padding-counts", {"own[real] @ lift, theirs[real].detach()": "own @ lift, theirs.detach()"},
     "padding counts, too", killed_by="test_real_tokens_of_the_whole_batch_count_alike")
edit("hidden_loss", "sum", {"theirs[real].detach())": "theirs[real].detach(), reduction=\"sum\")"},
     "the squares are summed: their mean is asked for", killed_by="test_the_students_states_are_brought_up")
edit("hidden_loss", "width-summed", {"return functional": "return theirs.shape[-1] * functional"},
     "the squares of a state are summed: their mean over the width is asked for", killed_by="test_the_students_states_are_brought_up")
edit("hidden_loss", "absolute", {"mse_loss": "l1_loss"},
     "absolute differences: squares are asked for", killed_by="test_the_students_states_are_brought_up")
edit("hidden_loss", "half", {"return functional": "return 0.5 * functional"},
     "half the squares: MSE has no half", killed_by="test_the_students_states_are_brought_up")
edit("hidden_loss", "teacher-learns", {".detach()": ""},
     "a gradient reaches the teacher", killed_by="test_student_and_lift_learn_and_the_teacher_does_not")
edit("hidden_loss", "lift-is-constant", {"@ lift": "@ lift.detach()"},
     "the lift is constant: it is learned with the student", killed_by="test_student_and_lift_learn_and_the_teacher_does_not")
edit("hidden_loss", "student-is-constant", {"own[real] @": "own[real].detach() @"},
     "the student's states are constants: only the lift would learn", killed_by="test_student_and_lift_learn_and_the_teacher_does_not")


@mistake("hidden_loss", "weighted-means-of-texts", "a text without a real token has no mean: 0/0 spoils the sum, though 0 tokens are its weight",
         killed_by="test_any_states_are_lifted_and_compared")
def hidden_loss(own, theirs, lift, real):
    total = 0
    for a, b, words in zip(own, theirs, real):
        total = total + int(words.sum()) * functional.mse_loss(a[words] @ lift, b[words].detach())
    return total / int(real.sum())


@mistake("hidden_loss", "mask-multiplied", "padding is multiplied by 0, and 0 · NaN is NaN: choose the real tokens first",
         killed_by="test_real_tokens_of_the_whole_batch_count_alike")
def hidden_loss(own, theirs, lift, real):
    squares = (own @ lift - theirs.detach()).square() * real[..., None]
    return squares.sum() / (real.sum() * lift.shape[1])


# tinybert_loss
@alternative("tinybert_loss", "two-sums")
def tinybert_loss(own, own_scores, theirs, their_scores, lifts, real, places):
    hidden = [hidden_loss(a, theirs[g], lift, real) for a, g, lift in zip(own, places, lifts)]
    attention = [attention_loss(a, their_scores[g - 1], real) for a, g in zip(own_scores, places[1:])]
    return torch.stack(hidden).sum() + torch.stack(attention).sum()


@alternative("tinybert_loss", "backwards")
def tinybert_loss(own, own_scores, theirs, their_scores, lifts, real, places):
    total = 0
    for m in reversed(range(len(own))):
        g = places[m]
        total = total + hidden_loss(own[m], theirs[g], lifts[m], real)
        if m > 0:
            total = total + attention_loss(own_scores[m - 1], their_scores[g - 1], real)
    return total


edit("tinybert_loss", "scores-one-too-high", {"their_scores[places[m] - 1]": "their_scores[min(places[m], len(their_scores) - 1)]"},
     "the teacher's scores are one layer too high: the first of the list is layer 1's", killed_by="test_scores_count_from_the_first_layer")
edit("tinybert_loss", "same-numbers", {"theirs[places[m]], lifts[m]": "theirs[m], lifts[m]"},
     "layer m learns from the teacher's layer m: from g(m)", killed_by="test_each_layer_learns_from_the_one_on_the_map")
edit("tinybert_loss", "scores-of-the-same-number", {"their_scores[places[m] - 1]": "their_scores[m - 1]"},
     "the scores of layer m are compared with the teacher's layer m: with g(m)'s", killed_by="test_scores_count_from_the_first_layer")
edit("tinybert_loss", "no-embeddings", {"total = hidden_loss(own[0], theirs[places[0]], lifts[0], real)": "total = 0 * own[0].sum()"},
     "the embeddings are not matched", killed_by="test_the_embeddings_are_matched_too")
edit("tinybert_loss", "one-lift", {"lifts[m]": "lifts[0]"},
     "the embeddings' lift is used for all: each state has its own", killed_by="test_each_state_has_its_own_lift")
edit("tinybert_loss", "no-attention", {"        total = total + attention_loss(own_scores[m - 1], their_scores[places[m] - 1], real)\n": ""},
     "attention is not matched", killed_by="test_scores_count_from_the_first_layer")
edit("tinybert_loss", "last-layer-alone", {"range(1, len(own))": "range(len(own) - 1, len(own))"},
     "the last layer alone is matched: each of them", killed_by="test_each_layer_learns_from_the_one_on_the_map")
edit("tinybert_loss", "last-layer-missing", {"range(1, len(own))": "range(1, len(own) - 1)"},
     "the last layer is not matched", killed_by="test_each_layer_learns_from_the_one_on_the_map")
edit("tinybert_loss", "teacher-learns", {"attention_loss(own_scores[m - 1], their_scores[places[m] - 1], real)": "attention_loss(their_scores[places[m] - 1], own_scores[m - 1], real)"},
     "student and teacher are exchanged: the gradient reaches the teacher's scores", killed_by="test_states_scores_and_lifts_learn_and_the_teachers_do_not")
edit("tinybert_loss", "mean-over-layers", {"    return total": "    return total / len(own)"},
     "the mean over layers is taken: their sum is asked for", killed_by="test_each_layer_learns_from_the_one_on_the_map")


# quantise
@alternative("quantise", "norm-and-clamp")
def quantise(weight):
    scales = torch.linalg.vector_norm(weight, ord=torch.inf, dim=1) / 127
    scales = scales.masked_fill(scales == 0, 1.0)
    whole = torch.clamp(torch.round(weight / scales.unsqueeze(1)), -127, 127)
    return whole.char(), scales


@alternative("quantise", "row-by-row")
def quantise(weight):
    rows, scales = [], []
    for row in weight:
        top = float(row.abs().max())
        scale = top / 127 if top > 0 else 1.0
        rows.append(torch.floor(row.double() / scale + 0.5).to(torch.int8))
        scales.append(scale)
    return torch.stack(rows), torch.tensor(scales, dtype=torch.float32)


edit("quantise", "one-scale", {"weight.abs().amax(dim=1)": "weight.abs().max().expand(len(weight))"},
     "all rows have one scale: each has its own", killed_by="test_a_large_weight_makes_its_own_row_coarse_alone")
edit("quantise", "greatest-with-sign", {"weight.abs().amax(dim=1)": "weight.amax(dim=1)"},
     "the greatest number is taken with its sign: the greatest absolute value", killed_by="test_the_greatest_of_a_row_becomes_127")
edit("quantise", "not-rounded", {".round()": ""},
     "what stands behind the point is cut off: round to the nearest", killed_by="test_whole_numbers_are_the_nearest")
edit("quantise", "rounded-down", {".round()": ".floor()"},
     "numbers are rounded down: to the nearest", killed_by="test_whole_numbers_are_the_nearest")
edit("quantise", "128", {"greatest / 127": "greatest / 128"},
     "the greatest becomes 128, which one byte with a sign does not hold", killed_by="test_the_greatest_of_a_row_becomes_127")
edit("quantise", "seven-bits", {"greatest / 127": "greatest / 63"},
     "the greatest becomes 63: there is room up to 127", killed_by="test_the_greatest_of_a_row_becomes_127")
edit("quantise", "zero-by-zero", {"torch.where(greatest > 0, greatest / 127, torch.ones_like(greatest))": "greatest / 127"},
     "the scale of a row of zeros is 1, so that nothing is divided by 0", killed_by="test_a_row_of_zeros_has_scale_1")
edit("quantise", "still-floats", {".to(torch.int8)": ""},
     "the whole numbers are still floats of four bytes", killed_by="test_a_number_takes_one_byte")
edit("quantise", "wide-whole-numbers", {"torch.int8": "torch.int32"},
     "the whole numbers take four bytes: int8", killed_by="test_a_number_takes_one_byte")
edit("quantise", "without-sign", {"torch.int8": "torch.uint8"},
     "uint8 has no negative numbers", killed_by="test_a_number_takes_one_byte")
edit("quantise", "scale-turned-round", {".to(torch.int8), scales": ".to(torch.int8), 1 / scales"},
     "the scale is turned round: weights are whole numbers times the scale", killed_by="test_the_greatest_of_a_row_becomes_127")
edit("quantise", "least-scale", {"torch.where(greatest > 0, greatest / 127, torch.ones_like(greatest))": "torch.where(greatest > 1e-20, greatest / 127, torch.ones_like(greatest))"},
     "a row of very small numbers is taken for zeros", killed_by="test_small_rows_and_many_rows")
edit("quantise", "a-little-added", {"torch.where(greatest > 0, greatest / 127, torch.ones_like(greatest))": "torch.where(greatest > 0, greatest / 127 + 1e-8, torch.ones_like(greatest))"},
     "something is added to the scale: small rows lose their digits", killed_by="test_small_rows_and_many_rows")


@mistake("quantise", "columns", "each column has a scale: each row has one", killed_by="test_the_greatest_of_a_row_becomes_127")
def quantise(weight):
    greatest = weight.abs().amax(dim=0)
    scales = torch.where(greatest > 0, greatest / 127, torch.ones_like(greatest))
    return (weight / scales).round().to(torch.int8), scales


for exercise, label, why in (
    ("take_layers", "10: ('bert.pooler.', 'next_sentence.') → ('next_sentence.', 'bert.pooler.')", "a name begins with either, whichever is asked first"),
    ("triple_loss", "1: (teacher[real].detach() / temperature).softmax(dim=-1) → (teacher[real].detach() / temperature).softmax(dim=1)", "the real tokens are a table, (R, V)"),
    ("triple_loss", "5: functional.cosine_similarity(own[real], theirs[real].detach(), dim=-1) → functional.cosine_similarity(own[real], theirs[real].detach())",
     "the real tokens are a table, and its second dimension is what torch takes unless told otherwise"),
    ("triple_loss", "5: functional.cosine_similarity(own[real], theirs[real].detach(), dim=-1) → functional.cosine_similarity(theirs[real].detach(), own[real], dim=-1)",
     "a cosine does not mind the order"),
    ("triple_loss", "5: functional.cosine_similarity(own[real], theirs[real].detach(), dim=-1) → functional.cosine_similarity(own[real], theirs[real].detach(), dim=1)",
     "the real tokens are a table, (R, H)"),
    ("triple_loss", "6: weights[0] * soft + weights[1] * masked + weights[2] * (1 - cosines).mean() → (weights[0] * soft + weights[1] * masked + weights[2] * (1 - cosines).mean()).squeeze()",
     "a sum of numbers has no dimension"),
    ("layer_map", "8: list(range(1, student + 1)) → range(1, student + 1)", "it is unpacked into a list at the end"),
    ("attention_loss", "2: functional.mse_loss(own[pairs], theirs[pairs].detach()) → functional.mse_loss(theirs[pairs].detach(), own[pairs])", "a square does not see the sign"),
    ("attention_loss", "2: functional.mse_loss(own[pairs], theirs[pairs].detach()) → functional.mse_loss(own[pairs], theirs[pairs].detach()).squeeze()", "a mean has no dimension"),
    ("hidden_loss", "1: functional.mse_loss(own[real] @ lift, theirs[real].detach()) → functional.mse_loss(theirs[real].detach(), own[real] @ lift)", "a square does not see the sign"),
    ("hidden_loss", "1: functional.mse_loss(own[real] @ lift, theirs[real].detach()) → functional.mse_loss(own[real] @ lift, theirs[real].detach()).squeeze()", "a mean has no dimension"),
    ("tinybert_loss", "5: total → total.squeeze()", "a sum of means has no dimension"),
):
    equivalent(exercise, label, why)
