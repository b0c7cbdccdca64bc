"""optimizers: classic mistakes and other right ways, for each exercise. Never released."""

import math

import numpy as np
import torch

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# clip_by_global_norm
@alternative("clip_by_global_norm", "one-long-vector")
def clip_by_global_norm(gradients, limit):
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    factor = torch.clamp(limit / (norm + 1e-6), max=1.0)
    return [gradient * factor for gradient in gradients], norm.item()


@alternative("clip_by_global_norm", "norm-of-norms")
def clip_by_global_norm(gradients, limit):
    norm = float(torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients]).norm())
    if norm <= limit:
        return [gradient.clone() for gradient in gradients], norm
    return [gradient * (limit / norm) for gradient in gradients], norm


@alternative("clip_by_global_norm", "torchs-own")
def clip_by_global_norm(gradients, limit):
    holders = [torch.zeros_like(gradient, requires_grad=True) for gradient in gradients]
    for holder, gradient in zip(holders, gradients):
        holder.grad = gradient.clone()
    norm = torch.nn.utils.clip_grad_norm_(holders, limit)
    return [holder.grad for holder in holders], float(norm)


edit("clip_by_global_norm", "each-tensor-alone",
     {"return [factor * gradient for gradient in gradients], norm":
      "return [g * min(1.0, limit / max(float(g.norm()), 1e-12)) for g in gradients], norm"},
     "each tensor is clipped alone: one factor for all keeps the direction",
     killed_by="test_one_factor_shortens_all_gradients")
edit("clip_by_global_norm", "scales-up", {" if norm > limit else 1.0": " if norm > 0 else 1.0"},
     "short gradients are made as long as the limit: they stay as they are",
     killed_by="test_gradients_within_the_limit_stay_as_they_are")
edit("clip_by_global_norm", "sum-of-norms", {"math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients))":
     "sum(float(gradient.norm()) for gradient in gradients)"},
     "the norms of the tensors are added: add the squares, and take one root",
     killed_by="test_the_norm_is_that_of_all_gradients_together_before_clipping")
edit("clip_by_global_norm", "root-forgotten",
     {"math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients))":
      "sum(float(gradient.square().sum()) for gradient in gradients)"},
     "the root is missing: this is the squared norm",
     killed_by="test_the_norm_is_that_of_all_gradients_together_before_clipping")
edit("clip_by_global_norm", "values-clamped",
     {"[factor * gradient for gradient in gradients]": "[g.clamp(-limit, limit) for g in gradients]"},
     "each number is clamped to the limit: that turns the direction", killed_by="test_one_factor_shortens_all_gradients")
edit("clip_by_global_norm", "norm-after-clipping", {"in gradients], norm": "in gradients], min(norm, limit)"},
     "the norm is that after clipping: the one before is asked for",
     killed_by="test_the_norm_is_that_of_all_gradients_together_before_clipping")
edit("clip_by_global_norm", "unit-length", {"factor = limit / norm if": "factor = 1.0 / norm if"},
     "long gradients get length 1, whatever the limit", killed_by="test_two_clipped_gradients_keep_their_proportion")
edit("clip_by_global_norm", "zero-raises", {"factor = limit / norm if norm > limit else 1.0": "factor = min(1.0, limit / norm)"},
     "a gradient of zeros divides by 0: it stays as it is",
     killed_by="test_zeros_stay_zeros_and_no_limit_clips_nothing")
edit("clip_by_global_norm", "maximum", {"math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients))":
     "max(float(gradient.norm()) for gradient in gradients)"},
     "the norm is that of the longest tensor: all of them count together",
     killed_by="test_the_norm_is_that_of_all_gradients_together_before_clipping")
edit("clip_by_global_norm", "single-numbers-left-out", {"for gradient in gradients))": "for gradient in gradients if gradient.dim()))"},
     "a gradient without an axis is left out of the norm: all of them count",
     killed_by="test_a_gradient_may_have_no_axis_or_three")
edit("clip_by_global_norm", "numpy-out", {"[factor * gradient for gradient in gradients]": "[(factor * g).numpy() for g in gradients]"},
     "numpy arrays come back: what comes next needs tensors", killed_by="test_clipped_gradients_are_tensors")
edit("clip_by_global_norm", "infinity-by-infinity", {"limit / norm if norm > limit else 1.0": "limit / max(norm, limit)"},
     "without a limit (infinity) the factor is ∞ / ∞: it is 1 wherever the norm is not above the limit",
     killed_by="test_zeros_stay_zeros_and_no_limit_clips_nothing")


# sgd
@alternative("sgd", "two-branches")
def sgd(gradient, velocity, beta=0.9, nesterov=False):
    new = torch.add(gradient, velocity, alpha=beta)
    if nesterov:
        return torch.add(gradient, new, alpha=beta), new
    return new.clone(), new


@alternative("sgd", "expanded")
def sgd(gradient, velocity, beta=0.9, nesterov=False):
    kept = beta * velocity + gradient
    if not nesterov:
        return kept, kept
    return (1 + beta) * gradient + beta**2 * velocity, kept


edit("sgd", "running-mean", {"beta * velocity + gradient  #": "beta * velocity + (1 - beta) * gradient  #"},
     "a running mean is kept: this velocity is a sum", killed_by="test_the_first_direction_is_the_gradient")
edit("sgd", "old-velocity-ahead", {"    velocity = beta * velocity + gradient  # (P,)\n": "    old = velocity\n    velocity = beta * velocity + gradient\n",
     "gradient + beta * velocity if": "gradient + beta * old if"},
     "Nesterov's direction is made with the old velocity: the new one looks ahead",
     killed_by="test_nesterov_looks_one_step_ahead")
edit("sgd", "direction-kept", {"return direction, velocity": "return direction, direction"},
     "the direction is kept for the next step: it is the velocity that is kept",
     killed_by="test_nesterov_looks_one_step_ahead")
edit("sgd", "nesterov-always", {" if nesterov else velocity": ""},
     "Nesterov's direction always: without the flag the direction is the velocity",
     killed_by="test_the_first_direction_is_the_gradient")
edit("sgd", "nesterov-never", {"gradient + beta * velocity if nesterov else velocity": "velocity"},
     "the flag nesterov changes nothing", killed_by="test_nesterov_looks_one_step_ahead")
edit("sgd", "old-velocity-kept", {"    velocity = beta * velocity + gradient  # (P,)\n": "    old, velocity = velocity, beta * velocity + gradient\n",
     "return direction, velocity": "return direction, old"},
     "the velocity that comes back is the old one", killed_by="test_the_first_direction_is_the_gradient")
edit("sgd", "velocity-as-it-is", {"velocity = beta * velocity + gradient": "velocity = velocity + gradient"},
     "the old velocity is added in full: it is multiplied by β", killed_by="test_equal_gradients_add_up")
edit("sgd", "beta-of-the-gradient", {"velocity = beta * velocity + gradient": "velocity = velocity + beta * gradient"},
     "β multiplies the gradient: it multiplies the velocity", killed_by="test_the_first_direction_is_the_gradient")
edit("sgd", "lists-out", {"return direction, velocity": "return direction.tolist(), velocity.tolist()"},
     "lists come back: what comes next needs tensors", killed_by="test_direction_and_velocity_are_tensors")


# adam
@alternative("adam", "in-place-on-copies")
def adam(gradient, memory, beta1=0.9, beta2=0.999, eps=1e-8):
    t, m, v = memory[0] + 1, memory[1].clone(), memory[2].clone()
    m.mul_(beta1).add_(gradient, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    size = (v / (1 - beta2**t)).sqrt().add_(eps)
    return m / (1 - beta1**t) / size, (t, m, v)


@alternative("adam", "one-factor")
def adam(gradient, memory, beta1=0.9, beta2=0.999, eps=1e-8):
    t, m, v = memory
    t, m, v = t + 1, torch.lerp(m, gradient, 1 - beta1), torch.lerp(v, gradient**2, 1 - beta2)
    factor = math.sqrt(1 - beta2**t) / (1 - beta1**t)
    return factor * m / (v.sqrt() + eps * math.sqrt(1 - beta2**t)), [t, m, v]


edit("adam", "no-root", {"square.sqrt() + eps": "square + eps"},
     "the root is missing: the divisor is a mean of squares", killed_by="test_the_first_direction_is_the_sign_of_the_gradient")
edit("adam", "no-correction", {"m / (1 - beta1**t), v / (1 - beta2**t)": "m, v"},
     "the means are not corrected: they start at 0 and are too small at first",
     killed_by="test_the_first_direction_is_the_sign_of_the_gradient")
edit("adam", "counts-too-late", {"    t = t + 1\n": "", "eps), (t, m, v)": "eps), (t + 1, m, v)",
     "1 - beta1**t": "1 - beta1 ** max(t, 1)", "1 - beta2**t": "1 - beta2 ** max(t, 1)"},
     "the correction takes the number of earlier steps: this step counts, too",
     killed_by="test_several_steps_agree_with_torch")
edit("adam", "step-0", {"    t = t + 1\n": "", "eps), (t, m, v)": "eps), (t + 1, m, v)"},
     "the first correction divides by 1 − β⁰ = 0: count the step first",
     killed_by="test_the_first_direction_is_the_sign_of_the_gradient")
edit("adam", "epsilon-inside", {"(square.sqrt() + eps)": "(square + eps).sqrt()"},
     "ε stands inside the root: it is added outside", killed_by="test_a_huge_epsilon_is_added_outside_of_the_root_after_the_correction")
edit("adam", "epsilon-before-correction", {"mean / (square.sqrt() + eps)": "mean * math.sqrt(1 - beta2**t) / (v.sqrt() + eps)"},
     "ε is added before the correction: it is added after", killed_by="test_a_huge_epsilon_is_added_outside_of_the_root_after_the_correction")
edit("adam", "corrected-means-kept", {"eps), (t, m, v)": "eps), (t, mean, square)"},
     "the corrected means are kept, and corrected again: the memory holds them without correction",
     killed_by="test_the_memory_counts_the_step_and_holds_means_without_correction")
edit("adam", "betas-swapped", {"beta1 * m + (1 - beta1)": "beta2 * m + (1 - beta2)", "beta2 * v + (1 - beta2)": "beta1 * v + (1 - beta1)",
     "m / (1 - beta1**t), v / (1 - beta2**t)": "m / (1 - beta2**t), v / (1 - beta1**t)"},
     "the betas are swapped: β₁ belongs to the gradients, β₂ to their squares",
     killed_by="test_the_memory_counts_the_step_and_holds_means_without_correction")
edit("adam", "squared-mean", {"gradient.square()": "m.square()"},
     "v is made of the squared mean: it is the mean of the gradients' squares", killed_by="test_the_first_direction_is_the_sign_of_the_gradient")
edit("adam", "same-correction", {"v / (1 - beta2**t)": "v / (1 - beta1**t)"},
     "v is corrected with β₁: each mean has its own β", killed_by="test_the_first_direction_is_the_sign_of_the_gradient")
edit("adam", "correction-without-power", {"1 - beta1**t": "1 - beta1", "1 - beta2**t": "1 - beta2"},
     "the correction stays that of the first step: 1 − βᵗ grows with t", killed_by="test_several_steps_agree_with_torch")
edit("adam", "a-greater-epsilon", {"square.sqrt() + eps": "square.sqrt() + max(eps, 1e-7)"},
     "ε is 1e-7 at least: it is what is given", killed_by="test_epsilon_counts_beside_a_tiny_gradient")
edit("adam", "still-at-zero", {"return mean / (square.sqrt() + eps), (t, m, v)": "return (gradient != 0) * mean / (square.sqrt() + eps), (t, m, v)"},
     "where the gradient is 0 there is no step: the running mean goes on", killed_by="test_a_gradient_of_zero_lets_the_mean_roll_on")
edit("adam", "correction-ends", {"mean, square = m / (1 - beta1**t), v / (1 - beta2**t)": "mean, square = (m / (1 - beta1**t), v / (1 - beta2**t)) if t <= 1000 else (m, v)"},
     "the correction ends after 1,000 steps: v still lacks a third of its weight there",
     killed_by="test_the_correction_goes_on_after_many_steps")


# adam_step
@alternative("adam_step", "shrink-first")
def adam_step(weights, gradient, memory, lr, decay, decoupled=True):
    penalty = 0.0 if decoupled else decay
    direction, memory = adam(gradient + penalty * weights, memory)
    if decoupled:
        weights = weights * (1 - lr * decay)
    return weights - lr * direction, memory


@alternative("adam_step", "written-out")
def adam_step(weights, gradient, memory, lr, decay, decoupled=True):
    t, m, v = memory
    g = gradient if decoupled else gradient.add(weights, alpha=decay)
    t, m, v = t + 1, 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    step = lr * (m / (1 - 0.9**t)) / (torch.sqrt(v / (1 - 0.999**t)) + 1e-8)
    shrunk = weights - lr * decay * weights if decoupled else weights
    return shrunk - step, (t, m, v)


edit("adam_step", "decay-in-the-gradient", {"if not decoupled:": "if True:", "    if decoupled:\n        direction = direction + decay * weights\n": ""},
     "the decay is added to the gradient in both cases: AdamW's goes beside the step",
     killed_by="test_decoupled_decay_goes_beside_the_step")
edit("adam_step", "both-decays", {"if not decoupled:": "if True:"},
     "AdamW decays twice: its gradient stays as it is", killed_by="test_decoupled_decay_goes_beside_the_step")
edit("adam_step", "decay-without-rate", {"        direction = direction + decay * weights\n": "        weights = weights - decay * weights\n"},
     "the decay is not multiplied by the learning rate", killed_by="test_decoupled_decay_goes_beside_the_step")
edit("adam_step", "flags-swapped", {"if not decoupled:": "if decoupled:", "    if decoupled:\n": "    if not decoupled:\n"},
     "the two cases are swapped", killed_by="test_decoupled_decay_goes_beside_the_step")
edit("adam_step", "never-decoupled", {"    if decoupled:\n        direction = direction + decay * weights\n": ""},
     "AdamW's weights do not shrink at all", killed_by="test_decoupled_decay_goes_beside_the_step")
edit("adam_step", "no-penalty", {"gradient = gradient + decay * weights": "decay = 0.0"},
     "without decoupling there is no decay at all: the gradient gets λw", killed_by="test_l2_goes_through_adam")
edit("adam_step", "grows", {"direction = direction + decay * weights": "direction = direction - decay * weights"},
     "the weights grow: the decay has the wrong sign", killed_by="test_decoupled_decay_goes_beside_the_step")
edit("adam_step", "decays-after-the-step", {"    if decoupled:\n        direction = direction + decay * weights\n": "",
     "return weights - lr * direction, memory":
     "weights = weights - lr * direction\n    return (weights - lr * decay * weights if decoupled else weights), memory"},
     "the weights after the step decay: it is those before it",
     killed_by="test_both_agree_with_torch_over_several_steps")
edit("adam_step", "another-epsilon", {"adam(gradient, memory)": "adam(gradient, memory, eps=1e-6)"},
     "ε is 1e-6, as in BERT's code: Adam's default is asked for",
     killed_by="test_epsilon_is_adams_default_and_the_memory_counts_on")
edit("adam_step", "old-memory", {"direction, memory = adam": "direction, _ = adam"},
     "the memory that comes back is the old one", killed_by="test_the_memory_knows_of_l2_and_not_of_decoupled_decay")
edit("adam_step", "penalty-past-adam", {"gradient = gradient + decay * weights": "weights = weights - lr * decay * weights"},
     "the penalty goes beside Adam in both cases: L2 goes into the gradient", killed_by="test_l2_goes_through_adam")


# noam
@alternative("noam", "two-branches")
def noam(step, width, warmup):
    if step < warmup:
        return step / (math.sqrt(width) * warmup * math.sqrt(warmup))
    return 1 / math.sqrt(width * step)


@alternative("noam", "peak-times-shape")
def noam(step, width, warmup):
    return (width * warmup) ** -0.5 * min(step / warmup, (warmup / step) ** 0.5)


@alternative("noam", "tensors")
def noam(step, width, warmup):
    s = torch.tensor(float(step), dtype=torch.float64)
    return width**-0.5 * torch.minimum(s.rsqrt(), s * warmup**-1.5)


edit("noam", "falls-in-a-line", {"min(step**-0.5, step * warmup**-1.5)": "warmup**-0.5 * min(step / warmup, max(0.0, (25 * warmup - step) / (24 * warmup)))"},
     "it falls in a line: Noam's rate falls with the root of the steps",
     killed_by="test_it_falls_with_the_root_of_the_steps_and_not_in_a_line")
edit("noam", "maximum", {"min(": "max("},
     "the greater of the two is taken: the rate is the smaller one", killed_by="test_it_rises_in_a_line")
edit("noam", "width-forgotten", {"width**-0.5 * min": "min"},
     "the width is missing: wider models get a smaller rate", killed_by="test_the_papers_highest_rate_is_at_step_4000")
edit("noam", "falls-with-the-steps", {"step**-0.5": "warmup**0.5 / step"},
     "it falls with the steps: it is their root", killed_by="test_it_falls_with_the_root_of_the_steps_and_not_in_a_line")
edit("noam", "off-by-one", {"min(step**-0.5, step * warmup**-1.5)": "min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)"},
     "the step is counted on by one: the first step is 1 already", killed_by="test_it_rises_in_a_line")
edit("noam", "no-fall", {"step**-0.5, step": "warmup**-0.5, step"},
     "after the warm-up the rate stays: it falls with the root of the steps",
     killed_by="test_it_falls_with_the_root_of_the_steps_and_not_in_a_line")
edit("noam", "warmup-exponent", {"warmup**-1.5": "warmup**-1"},
     "the warm-up has the exponent −1: with −1.5 the two branches meet", killed_by="test_it_rises_in_a_line")
edit("noam", "times-the-width", {"width**-0.5": "width**0.5"},
     "the root of the width multiplies: it divides", killed_by="test_the_papers_highest_rate_is_at_step_4000")
edit("noam", "peak-of-one", {"width**-0.5 * min(step**-0.5, step * warmup**-1.5)": "min(step / warmup, (warmup / step) ** 0.5)"},
     "the highest rate is made 1: equation 3 has 1/√(dW)", killed_by="test_the_papers_highest_rate_is_at_step_4000")
edit("noam", "ends-at-100000", {"min(step**-0.5": "min(min(step, 100_000) ** -0.5"},
     "from step 100,000 on the rate stays: it falls without an end", killed_by="test_it_falls_without_an_end")


# linear_decay
@alternative("linear_decay", "minimum-of-two-lines")
def linear_decay(step, steps, warmup):
    down = max(steps - step, 0) / (steps - warmup)
    return min(step / warmup, down) if warmup else down


@alternative("linear_decay", "interpolated")
def linear_decay(step, steps, warmup):
    if warmup == 0:
        return float(np.interp(step, [0, steps], [1.0, 0.0]))
    return float(np.interp(step, [0, warmup, steps], [0.0, 1.0, 0.0]))


@alternative("linear_decay", "share-of-the-way")
def linear_decay(step, steps, warmup):
    if warmup > 0 and step <= warmup:
        return step / warmup
    if step >= steps:
        return 0
    return 1 - (step - warmup) / (steps - warmup)


edit("linear_decay", "whole-numbers", {"return step / warmup": "return step // warmup"},
     "// leaves whole numbers alone: divide by /", killed_by="test_the_way_up_is_a_line_from_0")
edit("linear_decay", "falls-from-the-start", {"(steps - step) / (steps - warmup)": "(steps - step) / steps"},
     "the way down is measured from step 0: it starts at the end of the warm-up", killed_by="test_the_way_down_is_a_line_to_0")
edit("linear_decay", "rise-off-by-one", {"return step / warmup": "return (step + 1) / warmup"},
     "the rise is one step ahead: at step s it is s / W", killed_by="test_the_way_up_is_a_line_from_0")
edit("linear_decay", "starts-late", {"return step / warmup": "return (step - 1) / warmup"},
     "the rise is one step late: at step s it is s / W", killed_by="test_the_way_up_is_a_line_from_0")
edit("linear_decay", "inverse-root", {"max(0.0, (steps - step) / (steps - warmup))": "(max(warmup, 1) / max(step, 1)) ** 0.5"},
     "it falls with the root of the steps: that is Noam's, BERT's falls in a line", killed_by="test_the_way_down_is_a_line_to_0")
edit("linear_decay", "below-0", {"max(0.0, (steps - step) / (steps - warmup))": "(steps - step) / (steps - warmup)"},
     "after the last step it falls below 0: it stays 0", killed_by="test_after_the_last_step_it_stays_0")
edit("linear_decay", "no-warmup-raises", {"if step < warmup:": "if step / warmup < 1:"},
     "without warm-up it divides by 0", killed_by="test_without_warm_up_there_is_the_way_down_alone")
edit("linear_decay", "ends-early", {"(steps - step) / (steps - warmup)": "(steps - warmup - step) / (steps - warmup)"},
     "the way down starts lower and ends early: after step s, S − s steps are left", killed_by="test_the_way_up_is_a_line_from_0")
edit("linear_decay", "constant", {"max(0.0, (steps - step) / (steps - warmup))": "1.0"},
     "after the warm-up the factor stays 1: it falls to 0", killed_by="test_the_way_down_is_a_line_to_0")
edit("linear_decay", "one-step-skipped", {"if step < warmup:": "if 1 < warmup > step:", "max(0.0, ": "max(0.0, min(1.0, ", "(steps - warmup))": "(steps - warmup)))"},
     "a warm-up of one step is taken for none: it has the factor 0 at step 0", killed_by="test_a_warm_up_of_one_step_starts_at_0")
edit("linear_decay", "rounded", {"return step / warmup": "return round(step / warmup, 6)"},
     "the factor is rounded to six digits", killed_by="test_of_millions_of_steps_each_has_its_factor")
edit("linear_decay", "never-0", {"max(0.0, ": "max(1e-8, "},
     "the end is a little above 0: the line ends at 0", killed_by="test_after_the_last_step_it_stays_0")


# rectification
@alternative("rectification", "by-mean-age")
def rectification(step, beta2=0.999, threshold=5.0):
    shares = [beta2**age for age in range(step)]
    rho = 2 * sum(age * share for age, share in enumerate(shares)) / sum(shares) + 1
    top = (1 + beta2) / (1 - beta2)
    if not rho > threshold:
        return rho, None
    return rho, ((rho - 4) / (top - 4) * (rho - 2) / (top - 2) * top / rho) ** 0.5


@alternative("rectification", "ratio-of-variances")
def rectification(step, beta2=0.999, threshold=5.0):
    def variance(length):
        return length / (2 * (length - 2) * (length - 4))

    power = beta2**step
    last = 2.0 / (1.0 - beta2) - 1.0
    rho = last - 2.0 * step * power / (1.0 - power)
    return rho, math.sqrt(variance(last) / variance(rho)) if rho > threshold else None


edit("rectification", "no-threshold", {"    if rho <= threshold:\n        return rho, None\n": "",
     "math.sqrt((rho - 4)": "math.sqrt(abs((rho - 4)", "(last - 2) * rho))": "(last - 2) * rho)))"},
     "there is always a factor: up to the threshold there is none", killed_by="test_with_the_threshold_of_common_code_step_6_is_the_first")
edit("rectification", "fixed-threshold", {"rho <= threshold": "rho <= 4"},
     "the threshold is 4, whatever is asked for", killed_by="test_with_the_threshold_of_common_code_step_6_is_the_first")
edit("rectification", "fixed-threshold-5", {"rho <= threshold": "rho <= 5"},
     "the threshold is 5, whatever is asked for", killed_by="test_with_the_papers_threshold_step_5_is_the_first")
edit("rectification", "root-forgotten", {"math.sqrt((rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho))":
     "(rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho)"},
     "the root of r is missing", killed_by="test_the_factor_is_that_of_torch")
edit("rectification", "step-0", {"2 * step * beta2**step / (1 - beta2**step)": "2 * (step - 1) * beta2 ** (step - 1) / (1 - beta2 ** max(step - 1, 1))"},
     "steps are counted from 0: the first is 1", killed_by="test_with_the_threshold_of_common_code_step_6_is_the_first")
edit("rectification", "factor-of-one", {"return rho, None": "return rho, 1.0"},
     "without a factor 1.0 comes back, as if Adam could be trusted: None says that there is none",
     killed_by="test_with_the_threshold_of_common_code_step_6_is_the_first")
edit("rectification", "rho-of-the-end", {"rho = last - 2 * step * beta2**step / (1 - beta2**step)": "rho = last - 2 * beta2**step / (1 - beta2**step)"},
     "the step is missing in ρ: its last part is 2 t βᵗ / (1 − βᵗ)", killed_by="test_with_the_threshold_of_common_code_step_6_is_the_first")
edit("rectification", "last-without-minus", {"2 / (1 - beta2) - 1": "2 / (1 - beta2)"},
     "ρ∞ is one too large: it is 2 / (1 − β₂) − 1", killed_by="test_the_first_step_counts_for_one_gradient")
edit("rectification", "upside-down", {"(rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho)": "(last - 4) * (last - 2) * rho / ((rho - 4) * (rho - 2) * last)"},
     "the factor is upside down: it is at most 1", killed_by="test_the_factor_is_that_of_torch")
edit("rectification", "step-against-threshold", {"rho <= threshold": "step <= threshold"},
     "the step itself is compared with the threshold: ρ counts for less than t gradients", killed_by="test_the_threshold_is_for_rho_and_not_for_the_step")
edit("rectification", "step-for-rho", {"rho <= threshold": "step <= threshold + 1"},
     "the step is compared with the threshold: it is ρ", killed_by="test_with_the_threshold_of_common_code_step_6_is_the_first")
edit("rectification", "tensors-out", {"return rho, math.sqrt(": "return rho, torch.sqrt(torch.tensor(1.0, dtype=torch.float64) * "},
     "the factor is a tensor: a float was asked for", killed_by="test_both_numbers_are_floats")
edit("rectification", "factor-at-the-threshold", {"rho <= threshold": "rho < threshold"},
     "a ρ that is just the threshold gets a factor: it must be above", killed_by="test_just_at_the_threshold_there_is_no_factor")


# radam
@alternative("radam", "written-out")
def radam(gradient, memory, beta1=0.9, beta2=0.999, eps=1e-8, threshold=5.0):
    t, m, v = memory
    t += 1
    m = m + (1 - beta1) * (gradient - m)
    v = v + (1 - beta2) * (gradient * gradient - v)
    mean = m / (1 - beta1**t)
    last = 2 / (1 - beta2) - 1
    rho = last - 2 * t * beta2**t / (1 - beta2**t)
    if rho > threshold:
        r = math.sqrt((rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho))
        mean = r * mean / (torch.sqrt(v / (1 - beta2**t)) + eps)
    return mean, (t, m, v)


@alternative("radam", "divisor-taken-back")
def radam(gradient, memory, beta1=0.9, beta2=0.999, eps=1e-8, threshold=5.0):
    direction, memory = adam(gradient, memory, beta1=beta1, beta2=beta2, eps=eps)
    factor = rectification(memory[0], beta2, threshold)[1]
    if factor is not None:
        return direction * factor, memory
    return direction * ((memory[2] / (1 - beta2 ** memory[0])).sqrt() + eps), memory


edit("radam", "always-rectified", {"if factor is None:\n        return m / (1 - beta1**t), (t, m, v)": "if factor is None:\n        factor = 1.0"},
     "Adam's direction stands in the first steps: RAdam does not divide there", killed_by="test_the_first_direction_is_the_gradient_itself")
edit("radam", "mean-not-corrected", {"return m / (1 - beta1**t), (t, m, v)": "return m, (t, m, v)"},
     "the mean of the first steps is not corrected", killed_by="test_the_first_direction_is_the_gradient_itself")
edit("radam", "gradient-at-first", {"return m / (1 - beta1**t), (t, m, v)": "return gradient, (t, m, v)"},
     "the first steps take the gradient alone: it is the mean so far, corrected", killed_by="test_up_to_the_threshold_it_is_the_corrected_mean")
edit("radam", "no-step-at-first", {"return m / (1 - beta1**t), (t, m, v)": "return 0 * m, (t, m, v)"},
     "the first steps stand still: they take the corrected mean", killed_by="test_the_first_direction_is_the_gradient_itself")
edit("radam", "factor-forgotten", {"return factor * direction, (t, m, v)": "return direction, (t, m, v)"},
     "the factor is missing: from the threshold on this is Adam", killed_by="test_the_weights_after_each_step_are_those_of_torch")
edit("radam", "old-step", {"rectification(t, beta2, threshold)": "rectification(max(t - 1, 1), beta2, threshold)"},
     "the factor is that of the step before", killed_by="test_the_weights_after_each_step_are_those_of_torch")
edit("radam", "threshold-left-out", {"rectification(t, beta2, threshold)": "rectification(t, beta2)"},
     "the threshold is left at 5, whatever is asked for", killed_by="test_the_threshold_of_the_paper_rectifies_one_step_earlier")
edit("radam", "defaults-left", {"adam(gradient, memory, beta1, beta2, eps)": "adam(gradient, memory)"},
     "the betas and ε are left at their defaults", killed_by="test_any_gradients_lead_where_algorithm_2_goes")
edit("radam", "factor-divides", {"return factor * direction": "return direction / factor"},
     "the factor divides: it multiplies", killed_by="test_the_weights_after_each_step_are_those_of_torch")
edit("radam", "epsilon-left-out", {"adam(gradient, memory, beta1, beta2, eps)": "adam(gradient, memory, beta1, beta2, 0.0 if eps < 1e-6 else eps)"},
     "a small ε is left out, so a gradient of zeros divides 0 by 0", killed_by="test_gradients_of_zero_never_give_nan")
edit("radam", "factor-times-mean", {"return factor * direction": "return factor * m / (1 - beta1**t)"},
     "the rectified step is not divided by √v̂", killed_by="test_the_weights_after_each_step_are_those_of_torch")


# rank1_residual
@alternative("rank1_residual", "least-squares")
def rank1_residual(x):
    ones = torch.ones(len(x), 1, dtype=x.dtype)
    row = torch.linalg.lstsq(ones, x).solution  # (1, d)
    return torch.linalg.norm(x - ones @ row) / torch.linalg.norm(x)


@alternative("rank1_residual", "centring-matrix")
def rank1_residual(x):
    n = len(x)
    centre = torch.eye(n, dtype=x.dtype) - 1 / n
    return ((centre @ x).square().sum().sqrt() / x.square().sum().sqrt()).item()


edit("rank1_residual", "mean-of-each-token", {"x.mean(dim=0)": "x.mean(dim=1, keepdim=True)"},
     "the mean of each token's own numbers is taken off, as in layer normalisation: it is the mean token",
     killed_by="test_equal_tokens_have_none")
edit("rank1_residual", "mean-of-all-numbers", {"x.mean(dim=0)": "x.mean()"},
     "one mean of all numbers is taken off: each dimension has its own", killed_by="test_equal_tokens_have_none")
edit("rank1_residual", "not-divided", {"rest.norm() / x.norm()": "rest.norm()"},
     "the length of the table is missing: a share was asked for", killed_by="test_longer_tokens_are_no_less_alike")
edit("rank1_residual", "squared", {"rest.norm() / x.norm()": "rest.square().sum() / x.square().sum()"},
     "the share is that of the squares: take the root", killed_by="test_the_lengths_are_those_of_the_whole_table")
edit("rank1_residual", "mean-of-tokens-shares", {"rest.norm() / x.norm()": "(rest.norm(dim=1) / x.norm(dim=1).clamp(min=1e-9)).mean()"},
     "each token has its own share, and their mean is taken: one share of the whole table was asked for",
     killed_by="test_the_lengths_are_those_of_the_whole_table")
edit("rank1_residual", "what-is-common", {"rest.norm() / x.norm()": "1 - rest.norm() / x.norm()"},
     "what the tokens have in common was measured: what is left was asked for", killed_by="test_equal_tokens_have_none")
edit("rank1_residual", "first-token", {"x.mean(dim=0)": "x[0]"},
     "the first token is taken off: the mean token is nearest to all", killed_by="test_opposite_tokens_have_nothing_in_common")
edit("rank1_residual", "greatest-number", {"rest.norm() / x.norm()": "rest.abs().max() / x.abs().max()"},
     "the greatest numbers are compared: the lengths count all of them", killed_by="test_the_lengths_are_those_of_the_whole_table")


@mistake("rank1_residual", "best-rank-one", "the nearest table of rank 1 is taken off, whose rows may differ in length: here all rows are equal",
         killed_by="test_opposite_tokens_have_nothing_in_common")
def rank1_residual(x):
    left, scale, right = torch.linalg.svd(x, full_matrices=False)
    return float((x - scale[0] * torch.outer(left[:, 0], right[0])).norm() / x.norm())


edit("rank1_residual", "by-pythagoras", {"return float(rest.norm() / x.norm())":
     "common = len(x) * x.mean(dim=0).square().sum()\n    return float((1 - common / x.square().sum()).clamp(min=0).sqrt())"},
     "squares are subtracted: of a residual below 1e-8 rounding leaves nothing",
     killed_by="test_tokens_that_are_nearly_alike_still_differ")
edit("rank1_residual", "mean-square-minus-square-of-mean", {"return float(rest.norm() / x.norm())":
     "var = x.square().mean(dim=0) - x.mean(dim=0).square()\n    return float((var.clamp(min=0).sum() / x.square().mean(dim=0).sum()).sqrt())"},
     "squares are subtracted: of a residual below 1e-8 rounding leaves nothing",
     killed_by="test_tokens_that_are_nearly_alike_still_differ")
edit("rank1_residual", "float32", {"rest = x - x": "x = x.float()\n    rest = x - x"},
     "float32 takes the last digits off the tokens before they are compared: residuals end at 1e-7",
     killed_by="test_tokens_that_are_nearly_alike_still_differ")
edit("rank1_residual", "rounded", {"float(rest.norm() / x.norm())": "round(float(rest.norm() / x.norm()), 6)"},
     "the share is rounded: small residuals vanish", killed_by="test_tokens_that_are_nearly_alike_still_differ")
edit("rank1_residual", "at-least-a-millionth", {"float(rest.norm() / x.norm())": "max(1e-6, float(rest.norm() / x.norm()))"},
     "the share is at least 1e-6: tokens may be more alike than that", killed_by="test_tokens_that_are_nearly_alike_still_differ")
edit("rank1_residual", "first-256-tokens", {"rest = x - x": "x = x[:256]\n    rest = x - x"},
     "the first 256 tokens alone are compared: all are", killed_by="test_every_one_of_many_tokens_counts")
edit("rank1_residual", "epsilon", {"x.norm())": "(x.norm() + 1e-8))"},
     "the ε in the divisor makes short tokens look alike: x is never all zeros", killed_by="test_very_short_tokens_are_no_more_alike")
edit("rank1_residual", "large-epsilon", {"x.norm())": "(x.norm() + 1e-6))"},
     "the ε in the divisor makes short tokens look alike: x is never all zeros", killed_by="test_very_short_tokens_are_no_more_alike")
edit("rank1_residual", "floor", {"x.norm())": "x.norm().clamp(min=1e-9))"},
     "the divisor's least value makes short tokens look alike: x is never all zeros", killed_by="test_very_short_tokens_are_no_more_alike")


equivalent("clip_by_global_norm", "2: norm > limit → norm >= limit", "at the limit the factor is 1 either way")
equivalent("rank1_residual", "1: x - x.mean(dim=0) → x.mean(dim=0) - x", "a length does not ask for the sign")
equivalent("radam", "3: factor is None → not factor", "a factor that is there is above 0")
