"""electra: classic mistakes and other right ways, for each exercise. Never released."""

import math

import numpy as np
import torch
from torch.nn import functional

from etude.models.bert import IGNORED
from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# sample_tokens
@alternative("sample_tokens", "race")
def sample_tokens(logits, uniform):
    return (uniform.log().neg().log() - logits).argmin(dim=1)


@alternative("sample_tokens", "probabilities-first")
def sample_tokens(logits, uniform):
    gumbel = -(-(uniform.double().log())).log()
    return torch.max(torch.log_softmax(logits.double(), dim=1) + gumbel, dim=1).indices


@alternative("sample_tokens", "numpy")
def sample_tokens(logits, uniform):
    noise = -np.log(-np.log(uniform.numpy()))
    return torch.from_numpy((logits.detach().numpy() + noise).argmax(axis=1))


edit("sample_tokens", "greedy", {"(logits + noise).argmax": "logits.argmax"},
     "the best word is taken: it is drawn, or the discriminator never sees the others", killed_by="test_the_word_with_the_largest_score_and_noise_wins")
edit("sample_tokens", "one-logarithm", {"-torch.log(-torch.log(uniform))": "-torch.log(uniform)"},
     "the noise is −ln u: it is −ln(−ln u)", killed_by="test_the_word_with_the_largest_score_and_noise_wins")
edit("sample_tokens", "sign-of-the-noise", {"-torch.log(-torch.log(uniform))": "torch.log(-torch.log(uniform))"},
     "the noise has the other sign: these words do not come as often as the softmax says", killed_by="test_the_word_with_the_largest_score_and_noise_wins")
edit("sample_tokens", "uniform-noise", {"-torch.log(-torch.log(uniform))": "uniform"},
     "the uniform numbers are added as they are: Gumbel's noise is made of them first", killed_by="test_the_word_with_the_largest_score_and_noise_wins")
edit("sample_tokens", "on-probabilities", {"(logits + noise)": "(logits.softmax(dim=-1) + noise)"},
     "the noise is added to probabilities: it belongs to the scores, or to logarithms of probabilities", killed_by="test_the_word_with_the_largest_score_and_noise_wins")
edit("sample_tokens", "over-the-places", {"argmax(dim=-1)": "argmax(dim=0)"},
     "the largest is looked for over the places: over the words of each place", killed_by="test_words_come_as_often_as_their_softmax_says")
edit("sample_tokens", "least", {"(logits + noise).argmax": "(logits + noise).argmin"},
     "the least sum wins: the largest does", killed_by="test_the_word_with_the_largest_score_and_noise_wins")
edit("sample_tokens", "own-noise", {"torch.log(uniform)": "torch.log(torch.rand_like(uniform))"},
     "the noise is drawn anew: it comes from the numbers that were given", killed_by="test_the_word_with_the_largest_score_and_noise_wins")
edit("sample_tokens", "one-noise-for-all", {"torch.log(uniform)": "torch.log(uniform[:1])"},
     "all places get the noise of the first", killed_by="test_words_come_as_often_as_their_softmax_says")
edit("sample_tokens", "twice-the-noise", {"(logits + noise)": "(logits + 2 * noise)"},
     "the noise counts twice, which flattens the softmax", killed_by="test_words_come_as_often_as_their_softmax_says")
edit("sample_tokens", "small-number-added", {"-torch.log(-torch.log(uniform))": "-torch.log(0.1 - torch.log(uniform + 0.1))"},
     "a small number is added inside of the logarithms, which cuts off the largest noise", killed_by="test_any_place_has_the_winner_of_the_race")
edit("sample_tokens", "tiny-number-added", {"-torch.log(-torch.log(uniform))": "-torch.log(-torch.log(uniform + 1e-6) + 1e-6)"},
     "1e-6 is added inside of the logarithms: numbers are above 0 and below 1 as they are, and the largest noise is cut off",
     killed_by="test_numbers_near_0_and_1_make_their_whole_noise")
edit("sample_tokens", "least-number-added", {"torch.log(uniform)": "torch.log(uniform + 1e-20)"},
     "1e-20 is added inside of the logarithm: numbers are above 0 as they are", killed_by="test_numbers_near_0_and_1_make_their_whole_noise")
edit("sample_tokens", "milliard-for-infinity", {"(logits + noise)": "(logits.masked_fill(torch.isinf(logits), -1e9) + noise)"},
     "−1e9 stands for −∞: a score may be lower, and then a word comes that can never come", killed_by="test_scores_of_any_size_and_number_are_looked_at")
edit("sample_tokens", "scores-in-float32", {"(logits + noise)": "(logits.float() + noise)"},
     "the scores become float32, in which 1e9 and 1e9 + 3 are one", killed_by="test_scores_of_any_size_and_number_are_looked_at")
edit("sample_tokens", "clamped", {"torch.log(uniform)": "torch.log(uniform.clamp(1e-3, 1 - 1e-3))"},
     "the numbers are clamped to .001 … .999: rare words come too rarely", killed_by="test_numbers_near_0_and_1_make_their_whole_noise")
edit("sample_tokens", "float32", {"torch.log(uniform)": "torch.log(uniform.float())"},
     "the numbers become float32, in which one just below 1 is 1, and its noise infinite", killed_by="test_numbers_near_0_and_1_make_their_whole_noise")
edit("sample_tokens", "thousand-for-infinity", {"(logits + noise)": "(logits.masked_fill(torch.isinf(logits), -1000.0) + noise)"},
     "a number such as −1000 stands for −∞: a score may be lower, and then a word comes that can never come", killed_by="test_a_word_that_can_never_come_never_comes")
edit("sample_tokens", "unsafe-softmax", {"(logits + noise)": "((logits.exp() / logits.exp().sum(dim=-1, keepdim=True)).log() + noise)"},
     "exp of a large score is infinite: the scores themselves do", killed_by="test_huge_scores_draw_as_others_do")
edit("sample_tokens", "squeezed", {"argmax(dim=-1)": "argmax(dim=-1).squeeze()"},
     "one place alone loses its dimension", killed_by="test_one_place_and_none_keep_their_dimension")


# replace_tokens
@alternative("replace_tokens", "masked-scatter")
def replace_tokens(tokens, chosen, sampled):
    read = tokens.masked_scatter(chosen, sampled)
    return read, ~read.eq(tokens)


@alternative("replace_tokens", "where")
def replace_tokens(tokens, chosen, sampled):
    order = chosen.flatten().cumsum(dim=0).reshape(chosen.shape) - 1
    there = torch.cat([sampled, sampled.new_zeros(1)])
    read = torch.where(chosen, there[order], tokens)
    return read, chosen & (read != tokens)


@alternative("replace_tokens", "loop")
def replace_tokens(tokens, chosen, sampled):
    read, words = tokens.tolist(), iter(sampled.tolist())
    for row, places in zip(read, chosen.tolist()):
        for place, masked in enumerate(places):
            if masked:
                row[place] = next(words)
    read = torch.tensor(read)
    return read, (read - tokens).abs() > 0


edit("replace_tokens", "by-position", {"read != tokens": "chosen"},
     "every masked place is called replaced: a guess that is right is original", killed_by="test_a_guess_that_is_right_is_original")
edit("replace_tokens", "upside-down", {"read != tokens": "read == tokens"},
     "the labels are the other way round: True is replaced", killed_by="test_guesses_take_their_places_and_what_differs_is_replaced")
edit("replace_tokens", "in-place", {"tokens.clone()": "tokens"},
     "the original text is written over: copy it first", killed_by="test_guesses_take_their_places_and_what_differs_is_replaced")
edit("replace_tokens", "by-columns", {"read[chosen] = sampled": "read.T[chosen.T] = sampled"},
     "the guesses are put in column by column: they come row by row", killed_by="test_guesses_take_their_places_and_what_differs_is_replaced")
edit("replace_tokens", "whole-numbers", {"read != tokens": "(read != tokens).long()"},
     "the labels are whole numbers: bools were asked for", killed_by="test_guesses_take_their_places_and_what_differs_is_replaced")
edit("replace_tokens", "backwards", {"read[chosen] = sampled": "read[chosen] = sampled.flip(0)"},
     "the guesses are put in from the end", killed_by="test_guesses_take_their_places_and_what_differs_is_replaced")
edit("replace_tokens", "everywhere-else", {"read[chosen] = sampled": "read[chosen] = sampled\n    chosen = ~chosen", "read != tokens": "chosen"},
     "what was not masked is called replaced", killed_by="test_guesses_take_their_places_and_what_differs_is_replaced")
edit("replace_tokens", "in-floats", {"read = tokens.clone()\n    read[chosen] = sampled": "read = tokens.float()\n    read[chosen] = sampled.float()\n    read = read.long()"},
     "the text is put together in float32, which cannot tell 2²⁴ from 2²⁴ + 1", killed_by="test_any_text_is_read_place_by_place")
edit("replace_tokens", "small-numbers", {"read = tokens.clone()\n    read[chosen] = sampled": "read = tokens.short()\n    read[chosen] = sampled.short()\n    read = read.long()"},
     "the text is put together in int16, which ends at 32,767", killed_by="test_any_text_is_read_place_by_place")
edit("replace_tokens", "int32", {"read = tokens.clone()\n    read[chosen] = sampled": "read = tokens.int()\n    read[chosen] = sampled.int()\n    read = read.long()"},
     "the text is put together in int32, which ends at 2³¹ − 1", killed_by="test_any_text_is_read_place_by_place")
edit("replace_tokens", "nought-is-none", {"read[chosen] = sampled": "if sampled.any():\n        read[chosen] = sampled"},
     "guesses that are all word 0 are taken for none", killed_by="test_word_0_is_a_guess_like_any_other")
edit("replace_tokens", "first-guess-everywhere", {"read[chosen] = sampled": "if len(sampled):\n        read[chosen] = sampled[0]"},
     "all places get the first guess", killed_by="test_guesses_take_their_places_and_what_differs_is_replaced")


# discriminator_loss
@alternative("discriminator_loss", "softplus")
def discriminator_loss(scores, replaced, real):
    signs = torch.where(replaced, -1.0, 1.0).to(scores.dtype)
    return functional.softplus(signs * scores)[real].mean()


@alternative("discriminator_loss", "weights")
def discriminator_loss(scores, replaced, real):
    heavy = real.to(scores.dtype)
    costs = functional.binary_cross_entropy_with_logits(scores, replaced.to(scores.dtype), reduction="none")
    return (costs * heavy).sum() / heavy.sum()


@alternative("discriminator_loss", "logsigmoid")
def discriminator_loss(scores, replaced, real):
    wrong, right = functional.logsigmoid(scores), functional.logsigmoid(-scores)
    return -torch.masked_select(torch.where(replaced, wrong, right), real).mean()


edit("discriminator_loss", "padding-too", {"replaced[real]": "replaced.flatten()", "scores[real]": "scores.flatten()"},
     "padding is judged, too: it is no token", killed_by="test_the_mean_is_over_all_real_tokens_and_no_padding")
edit("discriminator_loss", "upside-down", {"replaced[real].to": "(~replaced[real]).to"},
     "1 stands for original here: a score above 0 says replaced", killed_by="test_a_score_above_0_says_replaced")
edit("discriminator_loss", "sum", {"binary_cross_entropy_with_logits(scores[real], labels)": 'binary_cross_entropy_with_logits(scores[real], labels, reduction="sum")'},
     "the tokens are summed: their mean is asked for", killed_by="test_who_knows_nothing_pays_ln_2_for_every_token")
edit("discriminator_loss", "sigmoid-twice", {"with_logits(scores[real], labels)": "with_logits(scores[real].sigmoid(), labels)"},
     "the function takes logits and makes the sigmoid itself: here it is made twice", killed_by="test_who_knows_nothing_pays_ln_2_for_every_token")
edit("discriminator_loss", "replaced-alone", {"replaced[real].to": "replaced[real & replaced].to", "scores[real]": "scores[real & replaced]"},
     "replaced tokens alone are judged: all real ones are", killed_by="test_a_score_above_0_says_replaced")
edit("discriminator_loss", "divided-by-all-places", {"return functional": "return real.sum() / real.numel() * functional"},
     "the sum is divided by all places, padding among them", killed_by="test_the_mean_is_over_all_real_tokens_and_no_padding")
edit("discriminator_loss", "unsafe", {"binary_cross_entropy_with_logits(scores[real], labels)": "binary_cross_entropy(scores[real].sigmoid().clamp(1e-7, 1 - 1e-7), labels)"},
     "the sigmoid is clipped before the logarithm: a sure verdict that is wrong costs what its score says", killed_by="test_sure_verdicts_that_are_wrong_cost_what_they_say")
edit("discriminator_loss", "log-of-sigmoid", {"functional.binary_cross_entropy_with_logits(scores[real], labels)": "-(labels * scores[real].sigmoid().log() + (1 - labels) * (1 - scores[real].sigmoid()).log()).mean()"},
     "σ(200) is 1, and ln(1 − 1) is −∞: compute from the logits", killed_by="test_sure_verdicts_that_are_wrong_cost_what_they_say")
edit("discriminator_loss", "nought-is-padding", {"return functional.binary_cross_entropy_with_logits(scores[real], labels)": 'costs = functional.binary_cross_entropy_with_logits(scores[real], labels, reduction="none")\n    return costs.sum() / costs.ne(0).sum()'},
     "a token that costs 0 is taken for padding: a sure verdict that is right counts in the mean", killed_by="test_sure_verdicts_that_are_wrong_cost_what_they_say")
edit("discriminator_loss", "balanced", {"with_logits(scores[real], labels)": "with_logits(scores[real], labels, pos_weight=(1 - labels).sum() / labels.sum().clamp_min(1))"},
     "replaced tokens are made heavier: each token counts the same", killed_by="test_who_knows_nothing_pays_ln_2_for_every_token")
edit("discriminator_loss", "always-float32", {"scores[real], labels)": "scores[real].float(), labels.float())"},
     "it computes in float32, whatever comes in", killed_by="test_the_verdicts_loss_keeps_double_precision")
edit("discriminator_loss", "both-branches", {"functional.binary_cross_entropy_with_logits(scores[real], labels)":
     "(lambda s: torch.where(s > 0, s + torch.log1p(torch.exp(-s)), torch.log1p(torch.exp(s))))(torch.where(labels > 0, -scores[real], scores[real])).mean()"},
     "both branches are computed and one is chosen: the other's infinity makes the gradient NaN", killed_by="test_every_real_token_is_taught_and_padding_is_not")
edit("discriminator_loss", "plain-number", {"return functional.binary_cross_entropy_with_logits(scores[real], labels)": "return torch.tensor(float(functional.binary_cross_entropy_with_logits(scores[real], labels)))"},
     "the loss is a plain number: nothing can be trained with it", killed_by="test_every_real_token_is_taught_and_padding_is_not")


@mistake("discriminator_loss", "mean-of-means", "the mean of the texts' means: tokens of short texts count more",
         killed_by="test_the_mean_is_over_all_real_tokens_and_no_padding")
def discriminator_loss(scores, replaced, real):
    rows = [functional.binary_cross_entropy_with_logits(s[r], y[r].to(s.dtype)) for s, y, r in zip(scores, replaced, real) if r.any()]
    return torch.stack(rows).mean()


# electra_loss
@alternative("electra_loss", "by-hand")
def electra_loss(logits, wanted, scores, replaced, real, weight=50.0):
    chances = logits.log_softmax(dim=1)[torch.arange(len(wanted)), wanted]
    judged = discriminator_loss(scores, replaced, real)
    return judged * weight - chances.mean()


@alternative("electra_loss", "nll")
def electra_loss(logits, wanted, scores, replaced, real, weight=50.0):
    generator = functional.nll_loss(functional.log_softmax(logits, dim=-1), wanted)
    return torch.stack([generator, weight * discriminator_loss(scores, replaced, real)]).sum()


edit("electra_loss", "as-a-gan", {"+ weight *": "- weight *"},
     "the discriminator's loss is taken off, as if somebody were to fool it: the two are added", killed_by="test_the_two_means_are_summed_with_lambda")
edit("electra_loss", "no-lambda", {"+ weight * discriminator": "+ discriminator"},
     "λ is left out", killed_by="test_the_two_means_are_summed_with_lambda")
edit("electra_loss", "lambda-on-the-generator", {"functional.cross_entropy(logits, wanted) + weight *": "weight * functional.cross_entropy(logits, wanted) +"},
     "λ stands before the generator's loss: it belongs to the discriminator's", killed_by="test_the_two_means_are_summed_with_lambda")
edit("electra_loss", "sum-over-masked", {"cross_entropy(logits, wanted)": 'cross_entropy(logits, wanted, reduction="sum")'},
     "the masked words are summed: their mean is asked for", killed_by="test_the_two_means_are_summed_with_lambda")
edit("electra_loss", "always-50", {"+ weight *": "+ 50 *"},
     "λ is 50 whatever was said", killed_by="test_the_two_means_are_summed_with_lambda")
edit("electra_loss", "another-default", {"weight=50.0": "weight=1.0"},
     "λ is 1 if nobody says otherwise: the paper's is 50", killed_by="test_lambda_is_50_if_nobody_says_otherwise")
edit("electra_loss", "discriminator-alone", {"functional.cross_entropy(logits, wanted) + ": ""},
     "the generator's loss is missing: nobody trains it then", killed_by="test_the_two_means_are_summed_with_lambda")
edit("electra_loss", "mean-of-both", {"return functional.cross_entropy(logits, wanted) + weight * discriminator_loss(scores, replaced, real)":
     "return (functional.cross_entropy(logits, wanted) + weight * discriminator_loss(scores, replaced, real)) / (1 + weight)"},
     "the sum is divided by 1 + λ", killed_by="test_the_two_means_are_summed_with_lambda")
edit("electra_loss", "generator-detached", {"cross_entropy(logits, wanted)": "cross_entropy(logits.detach(), wanted)"},
     "the generator's scores are taken as constants: nothing trains it", killed_by="test_the_generators_gradient_is_that_of_maximum_likelihood_whatever_lambda")
edit("electra_loss", "verdicts-detached", {"discriminator_loss(scores, replaced": "discriminator_loss(scores.detach(), replaced"},
     "the verdicts are taken as constants: nothing trains the discriminator", killed_by="test_the_generators_gradient_is_that_of_maximum_likelihood_whatever_lambda")
edit("electra_loss", "softmax-twice", {"cross_entropy(logits, wanted)": "cross_entropy(logits.softmax(dim=-1), wanted)"},
     "cross_entropy takes logits and makes the softmax itself: here it is made twice", killed_by="test_each_masked_word_is_scored_by_its_own_row")
edit("electra_loss", "float32", {"return functional.cross_entropy(logits, wanted) + weight * discriminator_loss(scores, replaced, real)":
     "return (functional.cross_entropy(logits, wanted) + weight * discriminator_loss(scores, replaced, real)).float()"},
     "the loss is float32, whatever comes in", killed_by="test_the_sum_keeps_double_precision")
edit("electra_loss", "word-0-is-padding", {"cross_entropy(logits, wanted)": "cross_entropy(logits, wanted, ignore_index=0)"},
     "word 0 is taken for padding, and left out of the generator's mean", killed_by="test_any_two_losses_are_summed")
edit("electra_loss", "lambda-capped", {"+ weight *": "+ min(weight, 100.0) *"},
     "λ ends at 100: it is a number from 0 on", killed_by="test_any_two_losses_are_summed")
edit("electra_loss", "nought-is-none", {"return functional": "weight = weight or 50.0\n    return functional"},
     "λ = 0 is taken for none: it is a number like any other", killed_by="test_any_two_losses_are_summed")


# adversarial_loss
@alternative("adversarial_loss", "cross-entropy")
def adversarial_loss(logits, sampled, rewards, baseline=0.0):
    costs = functional.cross_entropy(logits, sampled, reduction="none")
    return (costs * (rewards.detach() - baseline)).sum() / len(sampled)


@alternative("adversarial_loss", "categorical")
def adversarial_loss(logits, sampled, rewards, baseline=0.0):
    chances = torch.distributions.Categorical(logits=logits).log_prob(sampled)
    better = rewards.detach() - baseline
    return torch.mean(-better * chances)


edit("adversarial_loss", "other-way", {"return -((": "return (("},
     "the sign is turned round: rewarded guesses become less likely", killed_by="test_rewarded_guesses_become_more_likely")
edit("adversarial_loss", "probabilities", {"logits.log_softmax(dim=-1)": "logits.softmax(dim=-1)"},
     "p in place of ln p: its gradient is that of E[R] weighted by p once more", killed_by="test_on_average_the_gradient_is_that_of_the_expected_reward")
edit("adversarial_loss", "best-word", {"gather(1, sampled[:, None])[:, 0]": "max(dim=1).values"},
     "the best word is made more likely: the one that was drawn is", killed_by="test_rewarded_guesses_become_more_likely")
edit("adversarial_loss", "sum", {".mean()": ".sum()"},
     "the guesses are summed: their mean is asked for", killed_by="test_rewarded_guesses_become_more_likely")
edit("adversarial_loss", "baseline-added", {"rewards - baseline": "rewards + baseline"},
     "the baseline is added: it is taken off", killed_by="test_its_value_is_the_mean_of_reward_times_minus_ln_p")
edit("adversarial_loss", "no-baseline", {"rewards - baseline": "rewards"},
     "the baseline is left out", killed_by="test_its_value_is_the_mean_of_reward_times_minus_ln_p")
edit("adversarial_loss", "no-reward", {"(rewards - baseline).detach() * chances": "chances"},
     "the rewards are left out: every guess becomes more likely", killed_by="test_rewarded_guesses_become_more_likely")
edit("adversarial_loss", "rewards-trained", {"(rewards - baseline).detach()": "(rewards - baseline)"},
     "a gradient goes to the rewards, so the discriminator learns from the generator's loss", killed_by="test_no_gradient_goes_to_the_rewards")
edit("adversarial_loss", "scores-detached", {"logits.log_softmax": "logits.detach().log_softmax"},
     "the scores are taken as constants: nothing is learnt", killed_by="test_rewarded_guesses_become_more_likely")
edit("adversarial_loss", "nought-is-none", {"(rewards - baseline).detach()": "(rewards - (baseline or rewards.mean())).detach()"},
     "a baseline of 0 is taken for none, and the mean reward for the baseline", killed_by="test_its_value_is_the_mean_of_reward_times_minus_ln_p")
edit("adversarial_loss", "rewards-changed", {"return -((rewards - baseline).detach()": "better = rewards.detach()\n    better -= baseline\n    return -(better"},
     "a detached tensor shares its numbers with the rewards, and −= changes both", killed_by="test_its_value_is_the_mean_of_reward_times_minus_ln_p")
edit("adversarial_loss", "better-guesses-alone", {"(rewards - baseline).detach()": "(rewards - baseline).clamp(min=0).detach()"},
     "guesses that are worse than usual are left out: they become less likely", killed_by="test_rewarded_guesses_become_more_likely")
edit("adversarial_loss", "over-places", {"log_softmax(dim=-1)": "log_softmax(dim=0)"},
     "the softmax runs over the places: over the words of each place", killed_by="test_its_value_is_the_mean_of_reward_times_minus_ln_p")
edit("adversarial_loss", "mean-reward", {"(rewards - baseline).detach()": "(rewards - baseline).mean().detach()"},
     "all guesses get the mean reward: each has its own", killed_by="test_rewarded_guesses_become_more_likely")
edit("adversarial_loss", "float32", {"logits.log_softmax": "logits.float().log_softmax"},
     "the scores become float32, whatever comes in", killed_by="test_reinforce_keeps_double_precision")
edit("adversarial_loss", "unsafe", {"logits.log_softmax(dim=-1)": "(logits.softmax(dim=-1) + 1e-12).log()"},
     "ln of a probability that underflows: log_softmax does not", killed_by="test_an_unlikely_guess_costs_no_infinity")


# step_flops
@alternative("step_flops", "list-of-products")
def step_flops(objective, tokens, masked, layers, width, small, words):
    def layer(w):
        return [(tokens, w, w)] * 4 + [(tokens, w, tokens), (tokens, tokens, w), (tokens, w, 4 * w), (tokens, 4 * w, w)]

    products = layer(width) * layers
    asked = tokens if objective in ("electra", "all-tokens-mlm") else masked
    if objective != "mlm":
        products += layer(small) * layers + [(masked, small, width), (masked, width, words)]
        products += [(tokens, width, small)] if small != width else []
    if objective in ("electra", "electra-15"):
        products += [(asked, width, width), (asked, width, 1)]
    else:
        products += [(asked, width, width), (asked, width, words)]
    if objective == "all-tokens-mlm":
        products.append((asked, width, 1))
    return 3 * sum(2 * math.prod(shape) for shape in products)


@alternative("step_flops", "table-of-heads")
def step_flops(objective, tokens, masked, layers, width, small, words):
    guess = width * width + width * words
    heads = {
        "mlm": masked * guess,
        "replace-mlm": masked * guess,
        "all-tokens-mlm": tokens * (guess + width),
        "electra-15": masked * width * (width + 1),
        "electra": tokens * width * (width + 1),
    }
    total = heads[objective] + layers * 2 * tokens * width * (6 * width + tokens)
    if objective != "mlm":
        total += layers * 2 * tokens * small * (6 * small + tokens) + masked * width * (small + words)
        total += tokens * width * small * (small < width)
    return torch.tensor(6 * total)


edit("step_flops", "generator-for-nothing", {"return 6 * (generator + encoder": "return 6 * (encoder"},
     "the generator's work is not counted", killed_by="test_electra_pays_for_its_generator_and_judges_everywhere")
edit("step_flops", "forward-alone", {"return 6 * (encoder": "return 2 * (encoder", "return 6 * (generator": "return 2 * (generator"},
     "the backward pass is left out: it costs twice what the forward one does", killed_by="test_bert_has_no_generator_and_scores_words_at_masked_places")
edit("step_flops", "multiplications", {"return 6 * (encoder": "return 3 * (encoder", "return 6 * (generator": "return 3 * (generator"},
     "multiplications alone are counted: with each goes an addition", killed_by="test_bert_has_no_generator_and_scores_words_at_masked_places")
edit("step_flops", "words-everywhere", {"generator = encoder(small) + word_scores(small, masked)": "generator = encoder(small) + word_scores(small, tokens)"},
     "the generator scores words at all places: at the masked ones alone", killed_by="test_electra_pays_for_its_generator_and_judges_everywhere")
edit("step_flops", "verdicts-where-masked", {'in ("electra", "all-tokens-mlm") else masked': 'in ("all-tokens-mlm",) else masked'},
     "ELECTRA's verdicts are counted at masked places: it judges everywhere", killed_by="test_electra_pays_for_its_generator_and_judges_everywhere")
edit("step_flops", "fifteen-everywhere", {'in ("electra", "all-tokens-mlm") else masked': 'in ("electra", "electra-15", "all-tokens-mlm") else masked'},
     "ELECTRA 15% judges the masked places alone", killed_by="test_electra_pays_for_its_generator_and_judges_everywhere")
edit("step_flops", "always-a-projection", {"    if small < width:\n        generator += tokens * width * small\n": "    generator += tokens * width * small\n"},
     "a generator as wide as the embeddings needs no projection", killed_by="test_a_generator_as_wide_as_the_model_needs_no_projection")
edit("step_flops", "no-projection", {"    if small < width:\n        generator += tokens * width * small\n": ""},
     "the generator's projection is left out", killed_by="test_electra_pays_for_its_generator_and_judges_everywhere")
edit("step_flops", "no-copy-score", {"head += places * width\n": "head += 0\n"},
     "the copy score of All-Tokens MLM is left out", killed_by="test_the_steps_between_counted_by_hand")
edit("step_flops", "narrow-words", {"w * width + width * words": "w * w + w * words"},
     "words are scored by the shared embeddings, which are H wide, whatever the model's width", killed_by="test_electra_pays_for_its_generator_and_judges_everywhere")
edit("step_flops", "one-linear-verdict", {"places * (width**2 + width)": "places * width"},
     "a verdict has two maps: H to H, and H to 1", killed_by="test_electra_pays_for_its_generator_and_judges_everywhere")
edit("step_flops", "in-floats", {"return 6 * (encoder(width) + word_scores(width, masked))": "return int(6.0 * (encoder(width) + word_scores(width, masked)))"},
     "floats round large whole numbers", killed_by="test_costs_beyond_what_floats_hold_are_counted_to_the_digit")
edit("step_flops", "generator-in-floats", {"generator += tokens * width * small": "generator += int(tokens * width * width * (small / width))"},
     "the projection is counted in floats, which round large whole numbers", killed_by="test_costs_beyond_what_floats_hold_are_counted_to_the_digit")
edit("step_flops", "no-masked-no-generator", {"generator = encoder(small) + word_scores(small, masked)": "generator = encoder(small) * bool(masked) + word_scores(small, masked)"},
     "without masked tokens the generator is left out: its layers read the text all the same", killed_by="test_a_text_without_masked_tokens_costs_its_layers")
edit("step_flops", "generator-of-bert", {'    if objective == "mlm":\n        return 6 * (encoder(width) + word_scores(width, masked))\n': ""},
     "BERT has no generator", killed_by="test_bert_has_no_generator_and_scores_words_at_masked_places")


# ladder
@alternative("ladder", "table")
def ladder(objective, tokens, chosen, sampled, mask, padding):
    read, replaced = replace_tokens(tokens, chosen, sampled)
    nothing, real = torch.full_like(tokens, IGNORED), tokens != padding
    return {
        "mlm": lambda: (torch.where(chosen, mask, tokens), torch.where(chosen, tokens, nothing)),
        "replace-mlm": lambda: (read, torch.where(chosen, tokens, nothing)),
        "all-tokens-mlm": lambda: (read, torch.where(real, tokens, nothing)),
        "electra-15": lambda: (read, torch.where(chosen, replaced.long(), nothing)),
        "electra": lambda: (read, torch.where(real, replaced.long(), nothing)),
    }[objective]()


@alternative("ladder", "written-into")
def ladder(objective, tokens, chosen, sampled, mask, padding):
    read = tokens.clone()
    read[chosen] = mask if objective == "mlm" else sampled
    targets = torch.full(tokens.shape, -100)
    where = chosen if objective in ("mlm", "replace-mlm", "electra-15") else tokens.ne(padding)
    source = tokens if objective.endswith("mlm") else (read != tokens).to(torch.int64)
    targets[where] = source[where]
    return [read, targets]


edit("ladder", "masks-for-all", {'    if objective == "mlm":\n        read = tokens.masked_fill(chosen, mask)': "    read = tokens.masked_fill(chosen, mask)"},
     "every model reads [MASK]: BERT alone does", killed_by="test_replace_mlm_reads_guesses_and_is_asked_for_masked_words")
edit("ladder", "guesses-for-bert", {'    if objective == "mlm":\n        read = tokens.masked_fill(chosen, mask)\n': ""},
     "BERT reads the guesses: it reads [MASK]", killed_by="test_bert_reads_masks_and_is_asked_for_masked_words")
edit("ladder", "by-position", {"replaced.long() if": "chosen.long() if"},
     "masked places are called replaced: a guess that is right is original", killed_by="test_electra_is_asked_for_verdicts_everywhere_or_at_masked_places")
edit("ladder", "fifteen-everywhere", {'objective in ("electra", "all-tokens-mlm")': 'objective in ("electra", "electra-15", "all-tokens-mlm")'},
     "ELECTRA 15% is asked everywhere: at the masked places alone", killed_by="test_electra_is_asked_for_verdicts_everywhere_or_at_masked_places")
edit("ladder", "all-tokens-where-masked", {'objective in ("electra", "all-tokens-mlm")': 'objective == "electra"'},
     "All-Tokens MLM is asked at masked places: at all real ones", killed_by="test_all_tokens_mlm_is_asked_for_every_word_but_padding")
edit("ladder", "padding-asked", {"asked = tokens != padding if": "asked = tokens == tokens if"},
     "padding is asked for, too", killed_by="test_all_tokens_mlm_is_asked_for_every_word_but_padding")
edit("ladder", "padding-of-the-guesses", {"asked = tokens != padding if": "asked = read != padding if"},
     "padding is told by what is read: a guess may be the padding's id", killed_by="test_any_text_is_read_and_asked_place_by_place")
edit("ladder", "asked-by-the-mask", {"else chosen\n": 'else read == mask if objective == "mlm" else chosen\n'},
     "BERT is asked wherever [MASK] stands: at masked places, as `chosen` says them", killed_by="test_any_text_is_read_and_asked_place_by_place")
edit("ladder", "greater-ids-alone", {"asked = tokens != padding if": "asked = tokens > padding if"},
     "ids below that of padding are taken for padding", killed_by="test_any_text_is_read_and_asked_place_by_place")
edit("ladder", "asked-for-the-guess", {"else tokens\n": "else read\n"},
     "the target is the word that is read: the original is asked for", killed_by="test_replace_mlm_reads_guesses_and_is_asked_for_masked_words")
edit("ladder", "original-is-1", {"replaced.long() if": "(~replaced).long() if"},
     "1 stands for original: it is replaced", killed_by="test_electra_is_asked_for_verdicts_everywhere_or_at_masked_places")
edit("ladder", "nought-for-nothing", {"masked_fill(~asked, -100)": "masked_fill(~asked, 0)"},
     "where nothing is asked there is a 0, which says original, or is a word: −100 stands there", killed_by="test_bert_reads_masks_and_is_asked_for_masked_words")
edit("ladder", "mask-0-is-none", {"masked_fill(chosen, mask)": "masked_fill(chosen, mask or 1)"},
     "[MASK] of the id 0 is taken for none", killed_by="test_mask_and_padding_may_have_any_ids")
edit("ladder", "bools", {"replaced.long() if": "replaced if"},
     "the verdicts are bools, which hold no −100", killed_by="test_electra_is_asked_for_verdicts_everywhere_or_at_masked_places")


# copy_loss
@alternative("copy_loss", "two-cases")
def copy_loss(logits, copy, read, wanted):
    written = -functional.softplus(copy) - functional.cross_entropy(logits, wanted, reduction="none")
    either = torch.stack([written, -functional.softplus(-copy)]).logsumexp(dim=0)
    return -torch.where(read == wanted, either, written).mean()


@alternative("copy_loss", "one-softmax")
def copy_loss(logits, copy, read, wanted):
    own = functional.logsigmoid(-copy)[:, None] + logits.log_softmax(dim=1)  # (T, V)
    taken = functional.logsigmoid(copy)
    rows = []
    for i in range(len(wanted)):
        if read[i] == wanted[i]:
            rows.append(torch.logaddexp(own[i, wanted[i]], taken[i]))
        else:
            rows.append(own[i, wanted[i]])
    return -sum(rows) / len(rows)


edit("copy_loss", "no-copy", {"-torch.logaddexp(written, copied).mean()": "-written.mean()"},
     "the copy is left out where the token stands there already", killed_by="test_a_token_that_stands_there_may_be_copied_or_written")
edit("copy_loss", "copy-or-write", {"-torch.logaddexp(written, copied).mean()": "-torch.maximum(written, copied).mean()"},
     "the larger of the two is taken: their probabilities are added", killed_by="test_a_token_that_stands_there_may_be_copied_or_written")
edit("copy_loss", "always-copied", {".masked_fill(read != wanted, -math.inf)": ""},
     "the copy counts even where another word stands", killed_by="test_a_replaced_token_must_be_written")
edit("copy_loss", "logarithms-added", {"-torch.logaddexp(written, copied).mean()": "-(written + functional.logsigmoid(copy)).mean()"},
     "the logarithms are added, which multiplies the two: the probabilities are added", killed_by="test_a_token_that_stands_there_may_be_copied_or_written")
edit("copy_loss", "d-upside-down", {"functional.logsigmoid(-copy) + chances": "functional.logsigmoid(copy) + chances", "functional.logsigmoid(copy).masked_fill": "functional.logsigmoid(-copy).masked_fill"},
     "D and 1 − D are exchanged", killed_by="test_a_token_that_stands_there_may_be_copied_or_written")
edit("copy_loss", "write-all-of-it", {"functional.logsigmoid(-copy) + chances": "chances"},
     "1 − D is left out: the two parts make more than 1", killed_by="test_a_replaced_token_must_be_written")
edit("copy_loss", "sum", {"copied).mean()": "copied).sum()"},
     "the tokens are summed: their mean is asked for", killed_by="test_the_mean_is_over_all_tokens")
edit("copy_loss", "asked-for-what-is-read", {"gather(1, wanted[:, None])": "gather(1, read[:, None])"},
     "the probability of the word that is read: the original's is asked for", killed_by="test_the_mean_is_over_all_tokens")
edit("copy_loss", "larger-for-infinite", {"-math.inf": "-1e9"},
     "−1e9 for ln 0: where writing costs more, a copy is taken that cannot be", killed_by="test_nothing_underflows")
edit("copy_loss", "float32", {"logits.log_softmax": "logits.float().log_softmax"},
     "the scores become float32, whatever comes in", killed_by="test_the_mixture_keeps_double_precision")
edit("copy_loss", "large-for-infinite", {"-math.inf": "-100.0"},
     "−100 for ln 0: a word that is 1,000 times less likely still costs more", killed_by="test_nothing_underflows")


@mistake("copy_loss", "probabilities", "the probabilities underflow: ln 0 is −∞", killed_by="test_nothing_underflows")
def copy_loss(logits, copy, read, wanted):
    d = torch.sigmoid(copy)
    p = (1 - d) * logits.softmax(dim=-1).gather(1, wanted[:, None])[:, 0] + d * (read == wanted)
    return -p.log().mean()


@mistake("copy_loss", "clipped", "a small number is added before the logarithm: what is nearly impossible then costs too little",
         killed_by="test_nothing_underflows")
def copy_loss(logits, copy, read, wanted):
    d = torch.sigmoid(copy)
    p = (1 - d) * logits.softmax(dim=-1).gather(1, wanted[:, None])[:, 0] + d * (read == wanted)
    return -(p + 1e-9).log().mean()


equivalent("sample_tokens", "2: (logits + noise).argmax(dim=-1) → (logits + noise).argmax(dim=1)", "there are two dimensions: places and words")
equivalent("discriminator_loss", "2: functional.binary_cross_entropy_with_logits(scores[real], labels) → functional.binary_cross_entropy_with_logits(scores[real], labels).squeeze()", "a mean has no dimension")
equivalent("electra_loss", "1: functional.cross_entropy(logits, wanted) + weight * discriminator_loss(scores, replaced, real) → (functional.cross_entropy(logits, wanted) + weight * discriminator_loss(scores, replaced, real)).squeeze()", "a sum of two means has no dimension")
equivalent("adversarial_loss", "1: logits.log_softmax(dim=-1) → logits.log_softmax(dim=1)", "there are two dimensions: places and words")
equivalent("adversarial_loss", "1: logits.log_softmax(dim=-1).gather(1, sampled[:, None])[:, 0] → logits.log_softmax(dim=-1).gather(1, sampled[:, None])[:, -1]", "one column was gathered: it is the first and the last")
equivalent("adversarial_loss", "2: -((rewards - baseline).detach() * chances).mean() → (-((rewards - baseline).detach() * chances).mean()).squeeze()", "a mean has no dimension")
equivalent("copy_loss", "1: logits.log_softmax(dim=-1) → logits.log_softmax(dim=1)", "there are two dimensions: tokens and words")
equivalent("copy_loss", "1: logits.log_softmax(dim=-1).gather(1, wanted[:, None])[:, 0] → logits.log_softmax(dim=-1).gather(1, wanted[:, None])[:, -1]", "one column was gathered: it is the first and the last")
equivalent("copy_loss", "4: -torch.logaddexp(written, copied).mean() → (-torch.logaddexp(written, copied).mean()).squeeze()", "a mean has no dimension")
equivalent("copy_loss", "4: torch.logaddexp(written, copied) → torch.logaddexp(copied, written)", "a sum does not depend on the order")
equivalent("adversarial_loss", "2: rewards - baseline → rewards.detach() - baseline",
           "the difference is detached in any case")
for exercise, line in (("step_flops", 12), ("ladder", 4)):
    equivalent(exercise, f"{line}: ('electra', 'all-tokens-mlm') → ('all-tokens-mlm', 'electra')", "the order of what is looked through does not matter")
