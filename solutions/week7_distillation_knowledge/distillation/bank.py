"""distillation: classic mistakes and other right ways, for each exercise. Never released."""

import math

import torch
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# soft_targets
@alternative("soft_targets", "by-hand")
def soft_targets(logits, temperature):
    x = (logits.double() - logits.double().amax(dim=-1, keepdim=True)) / temperature
    parts = x.exp()
    return (parts / parts.sum(dim=-1, keepdim=True)).to(logits.dtype)


@alternative("soft_targets", "log-softmax-in-double")
def soft_targets(logits, temperature):
    return functional.log_softmax(logits.double() / temperature, dim=-1).exp().to(logits.dtype)


@alternative("soft_targets", "constants")
def soft_targets(logits, temperature):
    with torch.no_grad():
        return ((logits - logits.amax(dim=-1, keepdim=True)) / temperature).softmax(dim=-1)


edit("soft_targets", "times-temperature", {"/ temperature": "* temperature"},
     "the logits are multiplied by T: a high temperature then sharpens", killed_by="test_at_temperature_2_odds_become_their_square_roots")
edit("soft_targets", "no-temperature", {"((logits - top) / temperature)": "(logits - top)"},
     "T has no effect", killed_by="test_at_temperature_2_odds_become_their_square_roots")
edit("soft_targets", "root-of-temperature", {"/ temperature": "/ temperature**0.5"},
     "the logits are divided by the root of T, as attention's are by √d: here it is T itself",
     killed_by="test_at_temperature_2_odds_become_their_square_roots")
edit("soft_targets", "over-the-batch", {".softmax(dim=-1)": ".softmax(dim=0)"},
     "the softmax runs over the rows of the batch: it runs over the classes of each row", killed_by="test_at_temperature_1_they_are_the_teachers_probabilities")
edit("soft_targets", "second-dimension", {".softmax(dim=-1)": ".softmax(dim=1)"},
     "the classes are taken for the second dimension: they are the last", killed_by="test_the_classes_are_the_last_dimension_however_many_there_are")
edit("soft_targets", "logarithms", {".softmax(dim=-1)": ".log_softmax(dim=-1)"},
     "these are logarithms of probabilities", killed_by="test_at_temperature_1_they_are_the_teachers_probabilities")
edit("soft_targets", "softmax-twice", {"((logits - top) / temperature)": "(logits.softmax(dim=-1) / temperature)"},
     "the softmax is taken of probabilities: temperature acts on logits", killed_by="test_at_temperature_1_they_are_the_teachers_probabilities")
edit("soft_targets", "centred-by-the-mean", {"logits.amax(dim=-1, keepdim=True)": "logits.mean(dim=-1, keepdim=True)"},
     "the mean is taken off: with a class at −∞ it is −∞, and −∞ − (−∞) is not a number", killed_by="test_a_class_that_is_not_offered_has_no_share")
edit("soft_targets", "divided-first", {"(logits - top) / temperature": "logits / temperature"},
     "dividing first can overflow in half precision: take the greatest logit off before", killed_by="test_half_precision_takes_a_low_temperature")
edit("soft_targets", "always-float32", {".softmax(dim=-1)": ".softmax(dim=-1).float()"},
     "the result is float32, whatever comes in", killed_by="test_half_precision_takes_a_low_temperature")
edit("soft_targets", "exp-apart", {"((logits - top) / temperature).softmax(dim=-1)": "(logits / temperature).exp() / (logits / temperature).exp().sum(-1, keepdim=True)"},
     "exp of a large logit is infinite: use softmax, or take the greatest off first", killed_by="test_logits_far_from_zero_are_softened_as_others_are")

edit("soft_targets", "through-float32", {".softmax(dim=-1)": ".float().softmax(dim=-1).to(logits.dtype)"},
     "doubles pass through float32, and lose half of their digits", killed_by="test_the_classes_are_the_last_dimension_however_many_there_are")
edit("soft_targets", "temperature-at-least", {"/ temperature": "/ max(temperature, 0.01)"},
     "a low temperature is taken for 0.01: T may be 0.0005", killed_by="test_very_low_and_very_high_temperatures_are_taken_as_they_are")
edit("soft_targets", "minus-a-thousand", {"((logits - top)": "((logits.masked_fill(logits == -torch.inf, -1000.0) - top)"},
     "−1000 is no −∞: at a high temperature the class has a share again", killed_by="test_very_low_and_very_high_temperatures_are_taken_as_they_are")


edit("soft_targets", "at-least-a-billionth", {".softmax(dim=-1)": ".softmax(dim=-1).clamp(min=1e-9)"},
     "each probability is at least 1e-9: a class that is not offered has none", killed_by="test_small_probabilities_are_themselves_and_those_of_no_class_are_0")
edit("soft_targets", "minus-a-billion", {"((logits - top)": "((logits.masked_fill(logits == -torch.inf, -1e9) - top)"},
     "−1e9 is no −∞: at a very high temperature the class has a share again", killed_by="test_very_low_and_very_high_temperatures_are_taken_as_they_are")


@mistake("soft_targets", "root-of-probabilities", "probabilities are softened, after the small ones have become 0: soften the logits",
         killed_by="test_what_is_hidden_at_temperature_1_comes_out_at_a_high_one")
def soft_targets(logits, temperature):
    parts = logits.softmax(dim=-1) ** (1 / temperature)
    return parts / parts.sum(dim=-1, keepdim=True)


# ask_teacher
@alternative("ask_teacher", "inference-loop")
def ask_teacher(teacher, inputs, size):
    modes = {part: part.training for part in teacher.modules()}
    teacher.train(False)
    found = []
    with torch.inference_mode():
        for start in range(0, len(inputs), size):
            found.append(teacher(inputs[start : start + size]))
    for part in modes:
        part.training = modes[part]
    return torch.cat(found).clone()


@alternative("ask_teacher", "detached")
def ask_teacher(teacher, inputs, size):
    training = [part for part in teacher.modules() if part.training]
    try:
        for part in training:
            part.training = False
        return torch.cat([teacher(rows).detach() for rows in torch.split(inputs, size)], dim=0)
    finally:
        for part in training:
            part.training = True


@alternative("ask_teacher", "inference")
def ask_teacher(teacher, inputs, size):
    modes = [(part, part.training) for part in teacher.modules()]
    teacher.eval()
    with torch.inference_mode():
        answers = torch.cat([teacher(rows) for rows in inputs.split(size)])
    for part, mode in modes:
        part.training = mode
    return answers


edit("ask_teacher", "dropout-on", {"    teacher.eval()\n": ""},
     "the teacher answers with dropout: all its parts belong in evaluation mode", killed_by="test_dropout_is_off_while_the_teacher_answers")
edit("ask_teacher", "off-below-the-top-alone", {"    teacher.eval()\n": "    if teacher.training:\n        teacher.eval()\n"},
     "a part in training below a top that is not keeps its dropout: switch every part off",
     killed_by="test_a_part_in_training_answers_in_evaluation_mode")
edit("ask_teacher", "with-gradients", {"with torch.no_grad():": "if True:"},
     "gradients flow through the answers, into the teacher", killed_by="test_no_gradient_flows_through_the_answers")
edit("ask_teacher", "gradients-off-for-good", {"with torch.no_grad():": "torch.set_grad_enabled(False)\n    if True:"},
     "autograd stays off: nothing can be trained any more", killed_by="test_every_part_is_in_evaluation_mode_and_nothing_else_is_changed")
edit("ask_teacher", "dropout-alone", {"    teacher.eval()\n": "    for part, _ in modes:\n        part.training = part.training and \"Dropout\" not in type(part).__name__\n"},
     "dropout alone is switched off: batch normalization, too, answers otherwise in training", killed_by="test_every_part_is_in_evaluation_mode_and_nothing_else_is_changed")
edit("ask_teacher", "all-at-once", {"inputs.split(size)": "[inputs]"},
     "all rows go through at once: `size` at a time", killed_by="test_so_many_rows_go_through_at_a_time")
edit("ask_teacher", "children-alone", {"for part in teacher.modules()]": "for part in [teacher, *teacher.children()]]"},
     "the modes of its children alone are kept: parts have parts of their own", killed_by="test_parts_of_parts_have_modes_of_their_own")
edit("ask_teacher", "autograd-on-for-good", {"    return answers": "    torch.set_grad_enabled(True)\n    return answers"},
     "autograd is on afterwards, also where it was off", killed_by="test_autograd_stays_as_it_was_and_inputs_get_no_gradient_either")
edit("ask_teacher", "weights-asked-no-more", {"with torch.no_grad():": "asking = [weight for weight in teacher.parameters() if weight.requires_grad]\n    for weight in asking:\n        weight.requires_grad_(False)\n    if True:",
     "    return answers": "    for weight in asking:\n        weight.requires_grad_(True)\n    return answers"},
     "the weights ask for no gradient meanwhile, but the inputs may", killed_by="test_autograd_stays_as_it_was_and_inputs_get_no_gradient_either")
edit("ask_teacher", "so-many-batches", {"inputs.split(size)": "inputs.chunk(size)"},
     "these are `size` batches, not batches of `size` rows", killed_by="test_so_many_rows_go_through_at_a_time")
edit("ask_teacher", "answers-in-float32", {"    return answers": "    return torch.zeros(answers.shape).copy_(answers)"},
     "the answers are put into a tensor of float32, whatever the teacher's type", killed_by="test_every_part_is_in_evaluation_mode_and_nothing_else_is_changed")
edit("ask_teacher", "left-in-evaluation", {"part.training = mode\n": "pass\n"},
     "the teacher stays in evaluation mode", killed_by="test_a_teacher_in_training_goes_on_training")
edit("ask_teacher", "all-on-again", {"    for part, mode in modes:\n        part.training = mode\n": "    teacher.train()\n"},
     "teacher.train() switches every part on, also those that were off", killed_by="test_each_part_stays_in_its_own_mode")
edit("ask_teacher", "one-mode-for-all", {"    for part, mode in modes:\n        part.training = mode\n": "    teacher.train(modes[0][1])\n"},
     "all parts get the whole module's mode: each has its own", killed_by="test_each_part_stays_in_its_own_mode")
edit("ask_teacher", "frozen", {"    teacher.eval()\n": "    teacher.eval()\n    teacher.requires_grad_(False)\n"},
     "the teacher's weights are frozen for good: its answers alone are constants", killed_by="test_the_teachers_weights_may_be_trained_afterwards")
edit("ask_teacher", "thawed", {"    return answers": "    teacher.requires_grad_(True)\n    return answers"},
     "all weights ask for gradients afterwards, also those that did not", killed_by="test_the_teachers_weights_may_be_trained_afterwards")
edit("ask_teacher", "last-batch-lost", {"inputs.split(size)": "(inputs[i * size : (i + 1) * size] for i in range(max(1, len(inputs) // size)))"},
     "the last batch is lost where the rows do not divide evenly", killed_by="test_the_last_batch_may_be_smaller")
edit("ask_teacher", "batches-turned-round", {"inputs.split(size)": "inputs.split(size)[::-1]"},
     "the batches come back in another order: the inputs' order stays", killed_by="test_the_last_batch_may_be_smaller")
edit("ask_teacher", "probabilities", {"teacher(rows) for": "teacher(rows).softmax(-1) for"},
     "these are probabilities: the teacher's outputs, its logits, were asked for", killed_by="test_dropout_is_off_while_the_teacher_answers")
edit("ask_teacher", "squeezed", {"    return answers": "    return answers.squeeze()"},
     "squeeze takes the batch away where it is one row", killed_by="test_the_last_batch_may_be_smaller")


# wrong_classes
@alternative("wrong_classes", "class-by-class")
def wrong_classes(logits, labels, temperature):
    rows = []
    for label in range(logits.shape[1]):
        mine = logits[labels == label].clone()
        mine[:, label] = -math.inf
        parts = torch.softmax(mine / temperature, dim=-1)
        rows.append(parts.mean(dim=0) if len(parts) else torch.zeros_like(logits[0]))
    return torch.stack(rows)


@alternative("wrong_classes", "one-hot-product")
def wrong_classes(logits, labels, temperature):
    right = functional.one_hot(labels, logits.shape[1]).bool()
    parts = (logits / temperature).masked_fill(right, -torch.inf).softmax(dim=1)
    member = right.to(logits.dtype)
    return member.T @ parts / member.sum(dim=0).clamp(min=1)[:, None]


edit("wrong_classes", "true-class-kept", {"logits.scatter(1, labels[:, None], -torch.inf)": "logits"},
     "the true class is left in: it takes nearly all", killed_by="test_one_row_shares_the_rest_among_the_others")
edit("wrong_classes", "not-shared-anew", {"others = logits.scatter(1, labels[:, None], -torch.inf)  # (B, K)\n    shares = (others / temperature).softmax(dim=1)":
     "shares = (logits / temperature).softmax(dim=1).scatter(1, labels[:, None], 0.0)"},
     "the others' probabilities are not shared anew: each row's sum to 1", killed_by="test_one_row_shares_the_rest_among_the_others")
edit("wrong_classes", "divided-by-the-rest", {"others = logits.scatter(1, labels[:, None], -torch.inf)  # (B, K)\n    shares = (others / temperature).softmax(dim=1)":
     "every = (logits / temperature).softmax(dim=1)\n    shares = every.scatter(1, labels[:, None], 0.0) / (1 - every.gather(1, labels[:, None]))"},
     "1 − p is 0 where the teacher is sure: leave the true class out before the softmax", killed_by="test_a_teacher_who_is_quite_sure_still_says_something")
edit("wrong_classes", "greatest-left-out", {"logits.scatter(1, labels[:, None]": "logits.scatter(1, logits.argmax(dim=1, keepdim=True)"},
     "the teacher's own class is left out: the true one is to be", killed_by="test_the_label_is_the_true_class_and_not_the_teachers")
edit("wrong_classes", "by-the-teachers-class", {"index_add(0, labels, shares)": "index_add(0, logits.argmax(dim=1), shares)"},
     "rows are put together by what the teacher says: by the label", killed_by="test_the_label_is_the_true_class_and_not_the_teachers")
edit("wrong_classes", "sums", {"table / labels.bincount(minlength=classes).clamp(min=1)[:, None]": "table"},
     "these are sums: the mean over the rows of a label was asked for", killed_by="test_rows_of_one_label_are_averaged")
edit("wrong_classes", "mean-over-all", {"labels.bincount(minlength=classes).clamp(min=1)[:, None]": "len(labels)"},
     "the sums are divided by all rows: by those of the label", killed_by="test_rows_of_one_label_are_averaged")
edit("wrong_classes", "zero-by-zero", {".clamp(min=1)": ""},
     "a label without rows is 0/0", killed_by="test_one_row_shares_the_rest_among_the_others")
edit("wrong_classes", "transposed", {"return table / labels.bincount(minlength=classes).clamp(min=1)[:, None]":
     "return (table / labels.bincount(minlength=classes).clamp(min=1)[:, None]).T"},
     "rows and columns are exchanged: a row is a true class", killed_by="test_one_row_shares_the_rest_among_the_others")
edit("wrong_classes", "no-temperature", {"(others / temperature)": "others"},
     "T has no effect", killed_by="test_the_label_is_the_true_class_and_not_the_teachers")
edit("wrong_classes", "minus-a-thousand", {"-torch.inf": "-1000.0"},
     "−1000 is no −∞: other logits may be lower", killed_by="test_logits_of_thousands_below_zero_share_the_rest_too")
edit("wrong_classes", "minus-ten-thousand", {"-torch.inf": "-1e4"},
     "−10,000 is no −∞: a high temperature brings the true class back", killed_by="test_twelve_classes_at_a_high_temperature")
edit("wrong_classes", "minus-a-billion", {"-torch.inf": "-1e9"},
     "−1e9 is no −∞: other logits may be lower", killed_by="test_logits_of_thousands_below_zero_share_the_rest_too")
edit("wrong_classes", "a-little-added", {"(others / temperature).softmax(dim=1)": "(others / temperature).softmax(dim=1) + 1e-9"},
     "a little is added to each share: the true class has none", killed_by="test_small_shares_are_themselves_and_the_true_class_has_none")
edit("wrong_classes", "nine-classes", {"table / labels.bincount(minlength=classes).clamp(min=1)[:, None]":
     "(table / labels.bincount(minlength=classes).clamp(min=1)[:, None]) * (torch.arange(classes) < 9)[:, None]"},
     "the lesson has nine classes: others have more", killed_by="test_twelve_classes_at_a_high_temperature")
edit("wrong_classes", "in-place", {"logits.scatter(1": "logits.scatter_(1"},
     "the logits themselves are changed: work on a copy", killed_by="test_one_row_shares_the_rest_among_the_others")

@alternative("wrong_classes", "running-mean")
def wrong_classes(logits, labels, temperature):
    k = logits.shape[1]
    table, seen = torch.zeros(k, k, dtype=logits.dtype), [0] * k
    for row, c in zip(logits, labels.tolist()):
        others = [j for j in range(k) if j != c]
        left = row[others] / temperature
        seen[c] += 1
        table[c, others] += (torch.exp(left - torch.logsumexp(left, dim=0)) - table[c, others]) / seen[c]
    return table


# soft_loss
@alternative("soft_loss", "cross-entropy")
def soft_loss(student, teacher, temperature, real):
    z, v = student[real] / temperature, teacher[real].detach() / temperature
    if not len(z):
        return z.sum()
    return temperature * temperature * functional.cross_entropy(z, torch.softmax(v, dim=-1))


@alternative("soft_loss", "divergence-and-entropy")
def soft_loss(student, teacher, temperature, real):
    rows, classes = real.nonzero(as_tuple=True), student.shape[-1]
    z, v = student[rows].reshape(-1, classes), teacher[rows].detach().reshape(-1, classes)
    q = torch.softmax(v / temperature, dim=1)
    apart = functional.kl_div(torch.log_softmax(z / temperature, dim=1), q, reduction="sum")
    return temperature**2 * (apart + torch.special.entr(q).sum()) / max(len(q), 1)


edit("soft_loss", "no-t-squared", {"-(temperature**2) * ": "-"},
     "T² is missing: the gradient then shrinks with T²", killed_by="test_both_are_softened_and_the_loss_grows_by_t_squared")
edit("soft_loss", "t-once", {"temperature**2": "temperature"},
     "the loss is multiplied by T: by T², once for the scale of z and once for that of p − q", killed_by="test_both_are_softened_and_the_loss_grows_by_t_squared")
edit("soft_loss", "student-not-softened", {"(student[real] / temperature)": "student[real]"},
     "the student's logits are not divided by T: both are softened", killed_by="test_both_are_softened_and_the_loss_grows_by_t_squared")
edit("soft_loss", "teacher-not-softened", {"(teacher[real].detach() / temperature)": "teacher[real].detach()"},
     "the teacher's logits are not divided by T: both are softened", killed_by="test_both_are_softened_and_the_loss_grows_by_t_squared")
edit("soft_loss", "turned-round", {"teacher[real].detach()": "student[real]", "(student[real] / temperature).log": "(teacher[real].detach() / temperature).log"},
     "the student's probabilities weigh the teacher's logarithms: it is the other way round", killed_by="test_the_teachers_probabilities_weigh_the_students_logarithms")
edit("soft_loss", "divergence", {"(targets * logs).sum()": "(targets * (logs - targets.clamp(min=1e-30).log())).sum()"},
     "this is the divergence, which is smaller by the teacher's entropy: cross entropy was asked for",
     killed_by="test_a_student_that_says_the_same_pays_the_entropy")
edit("soft_loss", "sum-over-rows", {" / real.sum().clamp(min=1)": ""},
     "the rows are summed: their mean is asked for", killed_by="test_it_is_the_mean_over_real_rows_whatever_stands_in_the_others")
edit("soft_loss", "mean-over-all-rows", {"real.sum().clamp(min=1)": "real.numel()"},
     "the sum is divided by all rows: by the real ones", killed_by="test_it_is_the_mean_over_real_rows_whatever_stands_in_the_others")
edit("soft_loss", "mean-over-classes", {"(targets * logs).sum() / real.sum().clamp(min=1)": "(targets * logs).mean()"},
     "the mean runs over classes, too: classes are summed", killed_by="test_a_student_that_says_the_same_pays_the_entropy")
edit("soft_loss", "nothing-is-nan", {"real.sum().clamp(min=1)": "real.sum()"},
     "a batch without a real row is 0/0", killed_by="test_a_batch_without_a_real_row_costs_nothing")
edit("soft_loss", "teacher-learns", {".detach()": ""},
     "a gradient reaches the teacher", killed_by="test_only_the_student_learns")
edit("soft_loss", "student-is-constant", {"(student[real] / temperature)": "(student[real].detach() / temperature)"},
     "the student's logits are constants, so nothing is trained", killed_by="test_only_the_student_learns")
edit("soft_loss", "log-of-softmax", {".log_softmax(dim=-1)": ".softmax(dim=-1).log()"},
     "the softmax of a far logit is 0, and its logarithm −∞: use log_softmax", killed_by="test_logits_of_thousands_cost_no_infinity")
edit("soft_loss", "a-little-added", {".log_softmax(dim=-1)": ".softmax(dim=-1).add(1e-8).log()"},
     "1e-8 is added to each probability: a class far below then costs 18 and no more", killed_by="test_logits_of_thousands_cost_no_infinity")


@mistake("soft_loss", "mask-multiplied", "rows that do not count are multiplied by 0, and 0 · NaN is NaN: choose the real rows first",
         killed_by="test_it_is_the_mean_over_real_rows_whatever_stands_in_the_others")
def soft_loss(student, teacher, temperature, real):
    targets = (teacher.detach() / temperature).softmax(dim=-1)
    each = -(targets * (student / temperature).log_softmax(dim=-1)).sum(dim=-1)
    return temperature**2 * (each * real).sum() / real.sum().clamp(min=1)


@mistake("soft_loss", "nan-in-the-gradient", "torch.where hides the NaN of the loss, not that of its gradient: choose the real rows first",
         killed_by="test_gradients_reach_real_rows_alone_and_none_is_nan")
def soft_loss(student, teacher, temperature, real):
    targets = (teacher.detach() / temperature).softmax(dim=-1)
    each = -(targets * (student / temperature).log_softmax(dim=-1)).sum(dim=-1)
    return temperature**2 * torch.where(real, each, 0.0).sum() / real.sum().clamp(min=1)

@alternative("soft_loss", "logsumexp")
def soft_loss(student, teacher, temperature, real):
    total, rows = student.new_zeros(()), real.flatten().nonzero()[:, 0].tolist()
    students, teachers = student.flatten(0, -2), teacher.detach().flatten(0, -2)
    for row in rows:
        z, v = students[row] / temperature, teachers[row] / temperature
        total = total + z.logsumexp(dim=0) - ((v - v.logsumexp(dim=0)).exp() * z).sum()
    return total * temperature**2 / max(1, len(rows))


# soft_gradient
@alternative("soft_gradient", "autograd")
def soft_gradient(student, teacher, temperature):
    if temperature == math.inf:
        z, v = (x - x.mean(dim=1, keepdim=True) for x in (student, teacher))
        return (z - v) / student.numel()
    z = student.detach().clone().requires_grad_()
    loss = temperature**2 * functional.cross_entropy(z / temperature, (teacher / temperature).softmax(dim=1))
    return torch.autograd.grad(loss, z)[0]


@alternative("soft_gradient", "inverse-temperature")
def soft_gradient(student, teacher, temperature):
    beta = 1 / temperature  # 0 at the limit
    if beta == 0:
        apart = (student - teacher) / student.shape[1]
        return (apart - apart.mean(dim=-1)[:, None]) / len(student)
    p, q = torch.softmax(student * beta, dim=-1), torch.softmax(teacher * beta, dim=-1)
    return (p - q) / (beta * len(student))


edit("soft_gradient", "no-t-squared", {"temperature * (p - q)": "(p - q) / temperature"},
     "this is the gradient without T² in the loss", killed_by="test_at_temperature_4_it_is_four_times_p_minus_q")
edit("soft_gradient", "t-squared", {"temperature * (p - q)": "temperature**2 * (p - q)"},
     "z is divided by T inside: of T² one T is left", killed_by="test_at_temperature_4_it_is_four_times_p_minus_q")
edit("soft_gradient", "no-t", {"temperature * (p - q)": "(p - q)"},
     "of T² one T is left in front of p − q", killed_by="test_at_temperature_4_it_is_four_times_p_minus_q")
edit("soft_gradient", "sign", {"(p - q)": "(q - p)"},
     "q − p is the way downhill: the gradient is p − q", killed_by="test_at_temperature_1_it_is_p_minus_q")
edit("soft_gradient", "sum-over-rows", {"temperature * (p - q) / rows": "temperature * (p - q)"},
     "the loss is a mean: each row has 1/B of it", killed_by="test_each_row_of_a_batch_has_its_part_of_the_mean")
edit("soft_gradient", "limit-not-centred", {"(apart - apart.mean(dim=1, keepdim=True))": "apart"},
     "the paper's means are 0, these are not: take each row's mean off", killed_by="test_the_limit_is_the_difference_of_centred_logits")
edit("soft_gradient", "limit-without-k", {"(classes * rows)": "rows"},
     "the limit has 1/K, since all probabilities come to 1/K", killed_by="test_the_limit_is_the_difference_of_centred_logits")
edit("soft_gradient", "limit-sum-over-rows", {"(classes * rows)": "classes"},
     "the limit has 1/B, too: the loss is a mean over rows", killed_by="test_the_limit_is_the_difference_of_centred_logits")
edit("soft_gradient", "no-limit", {"    if math.isinf(temperature):\n        apart = student - teacher\n        return (apart - apart.mean(dim=1, keepdim=True)) / (classes * rows)\n": ""},
     "∞ · 0 is not a number: the limit needs its own formula", killed_by="test_the_limit_is_the_difference_of_centred_logits")
edit("soft_gradient", "limit-over-the-batch", {"apart.mean(dim=1, keepdim=True)": "apart.mean(dim=0, keepdim=True)"},
     "the mean over the batch is taken off: over the classes of each row", killed_by="test_the_limit_is_the_difference_of_centred_logits")

edit("soft_gradient", "the-object-inf", {"math.isinf(temperature)": "temperature is math.inf"},
     "`is` asks for one object: float(\"inf\") is another, and the same number", killed_by="test_any_limit_is_what_high_temperatures_come_to")
edit("soft_gradient", "limit-from-1000", {"math.isinf(temperature)": "temperature >= 1000"},
     "a temperature of thousands is not the limit: logits of thousands tell them apart", killed_by="test_any_gradient_is_autograds")
edit("soft_gradient", "limit-from-a-million", {"math.isinf(temperature)": "temperature >= 1e6"},
     "a temperature of millions is not the limit: logits of millions tell them apart", killed_by="test_any_gradient_is_autograds")
edit("soft_gradient", "limit-from-100", {"math.isinf(temperature)": "temperature >= 100"},
     "100 is taken for ∞: at T = 100 the limit is a hundredth off, or more", killed_by="test_any_gradient_is_autograds")


# logit_loss
@alternative("logit_loss", "variance")
def logit_loss(student, teacher):
    apart = student - teacher.detach()
    return apart.shape[1] / 2 * apart.var(dim=1, correction=0).mean()


@alternative("logit_loss", "each-centred")
def logit_loss(student, teacher):
    z = student - student.mean(dim=-1, keepdim=True)
    v = (teacher - teacher.mean(dim=-1, keepdim=True)).detach()
    return functional.mse_loss(z, v, reduction="sum") / (2 * len(z))


edit("logit_loss", "not-centred", {"    apart = apart - apart.mean(dim=1, keepdim=True)\n": ""},
     "a number common to all logits of a row costs something: take each row's mean off", killed_by="test_a_number_added_to_all_logits_of_a_row_costs_nothing")
edit("logit_loss", "centred-over-the-batch", {"apart.mean(dim=1, keepdim=True)": "apart.mean(dim=0, keepdim=True)"},
     "the mean over the batch is taken off: over the classes of each row", killed_by="test_half_the_squared_distance")
edit("logit_loss", "centred-by-all", {"apart.mean(dim=1, keepdim=True)": "apart.mean()"},
     "one mean is taken off all rows: each row has its own", killed_by="test_squares_are_summed_over_classes_and_averaged_over_rows")
edit("logit_loss", "mean-over-classes", {".sum(dim=1).mean()": ".mean()"},
     "the mean runs over classes, too, as mse_loss's: classes are summed", killed_by="test_half_the_squared_distance")
edit("logit_loss", "sum-over-rows", {".sum(dim=1).mean()": ".sum()"},
     "the rows are summed: their mean is asked for", killed_by="test_squares_are_summed_over_classes_and_averaged_over_rows")
edit("logit_loss", "not-halved", {".mean() / 2": ".mean()"},
     "the half is missing", killed_by="test_half_the_squared_distance")
edit("logit_loss", "root", {".sum(dim=1).mean() / 2": ".sum(dim=1).sqrt().mean() / 2"},
     "this is the distance: its square was asked for", killed_by="test_half_the_squared_distance")
edit("logit_loss", "absolute", {".square()": ".abs()"},
     "these are absolute differences: squares were asked for", killed_by="test_half_the_squared_distance")
edit("logit_loss", "teacher-learns", {".detach()": ""},
     "a gradient reaches the teacher", killed_by="test_only_the_students_logits_are_moved")
edit("logit_loss", "probabilities", {"student - teacher.detach()": "student.softmax(dim=1) - teacher.detach().softmax(dim=1)"},
     "probabilities are compared: logits were asked for", killed_by="test_half_the_squared_distance")
edit("logit_loss", "squares-less-square", {"    apart = apart - apart.mean(dim=1, keepdim=True)\n    return apart.square().sum(dim=1).mean() / 2":
     "    return (apart.square().sum(dim=1) - apart.sum(dim=1).square() / apart.shape[1]).mean() / 2"},
     "the sum of squares less the square of the sum: far from zero float32 has lost the difference by then", killed_by="test_logits_far_from_zero_keep_their_distance")


# mixed_loss
@alternative("mixed_loss", "by-hand")
def mixed_loss(student, teacher, labels, temperature, weight):
    q = torch.softmax(teacher.detach() / temperature, dim=1)
    soft = -(q * torch.log_softmax(student / temperature, dim=1)).sum(dim=1).mean() * temperature * temperature
    rows = (labels >= 0).nonzero()[:, 0]
    own = student.log_softmax(dim=1)[rows, labels[rows]]
    hard = -own.mean() if len(rows) else 0.0
    return weight * soft + (1 - weight) * hard


@alternative("mixed_loss", "chosen-rows")
def mixed_loss(student, teacher, labels, temperature, weight):
    known = labels != -100
    with torch.no_grad():
        targets = functional.softmax(teacher / temperature, dim=-1)
    loss = weight * temperature**2 * functional.cross_entropy(student / temperature, targets)
    if known.any():
        loss = loss + (1 - weight) * functional.cross_entropy(student[known], labels[known])
    return loss


@alternative("mixed_loss", "nan-to-num")  # a mean over nothing has a gradient of 0
def mixed_loss(student, teacher, labels, temperature, weight):
    targets = (teacher.detach() / temperature).softmax(dim=1)
    soft = temperature**2 * functional.cross_entropy(student / temperature, targets)
    return weight * soft + (1 - weight) * functional.cross_entropy(student, labels).nan_to_num()


edit("mixed_loss", "no-t-squared", {"temperature**2 * ": ""},
     "T² is missing: the soft part then loses its weight as T grows", killed_by="test_weight_1_is_the_soft_targets_alone_with_t_squared")
edit("mixed_loss", "t-squared-for-both", {"(1 - weight) * hard": "(1 - weight) * temperature**2 * hard"},
     "T² belongs to the soft part alone", killed_by="test_weight_0_is_the_labels_alone_at_temperature_1")
edit("mixed_loss", "labels-at-t", {"cross_entropy(student, labels": "cross_entropy(student / temperature, labels"},
     "the hard part is taken at T: at 1", killed_by="test_weight_0_is_the_labels_alone_at_temperature_1")
edit("mixed_loss", "weights-exchanged", {"return weight * soft + (1 - weight) * hard": "return (1 - weight) * soft + weight * hard"},
     "w belongs to the soft part", killed_by="test_weight_0_is_the_labels_alone_at_temperature_1")
edit("mixed_loss", "hard-whole", {"(1 - weight) * hard": "hard"},
     "the hard part has the weight 1: 1 − w", killed_by="test_weight_1_is_the_soft_targets_alone_with_t_squared")
edit("mixed_loss", "mean-over-all-rows", {"(labels != -100).sum().clamp(min=1)": "len(labels)"},
     "the hard part is divided by all rows: by those with a label", killed_by="test_each_part_is_a_mean_over_its_own_rows")
edit("mixed_loss", "nothing-is-nan", {".clamp(min=1)": ""},
     "a batch without any label is 0/0", killed_by="test_without_any_label_the_hard_part_is_0")
edit("mixed_loss", "soft-for-labelled-alone", {"functional.cross_entropy(student / temperature, targets)":
     "(functional.cross_entropy(student / temperature, targets, reduction=\"none\") * (labels >= 0)).sum() / (labels >= 0).sum().clamp(min=1)"},
     "the soft part leaves unlabelled rows out: they are what it is for", killed_by="test_each_part_is_a_mean_over_its_own_rows")
edit("mixed_loss", "student-not-softened", {"cross_entropy(student / temperature, targets)": "cross_entropy(student, targets)"},
     "the student's logits are not divided by T in the soft part", killed_by="test_weight_1_is_the_soft_targets_alone_with_t_squared")
edit("mixed_loss", "teacher-learns", {"teacher.detach()": "teacher"},
     "a gradient reaches the teacher", killed_by="test_both_parts_train_the_student_and_none_the_teacher")
edit("mixed_loss", "hard-is-constant", {"cross_entropy(student, labels": "cross_entropy(student.detach(), labels"},
     "the hard part is a constant, so the labels train nothing", killed_by="test_both_parts_train_the_student_and_none_the_teacher")
edit("mixed_loss", "labels-of-the-teacher", {"cross_entropy(student, labels": "cross_entropy(teacher, labels"},
     "the hard part is the teacher's: the student is to be trained", killed_by="test_weight_0_is_the_labels_alone_at_temperature_1")
edit("mixed_loss", "label-0-is-none", {"(labels != -100)": "(labels > 0)"},
     "0 is a label like any other: −100 alone is none", killed_by="test_any_batch_costs_its_two_means")
edit("mixed_loss", "divergence", {"targets = (teacher.detach() / temperature).softmax(dim=1)": "targets = (teacher.detach() / temperature).log_softmax(dim=1)",
     "functional.cross_entropy(student / temperature, targets)": "functional.kl_div((student / temperature).log_softmax(dim=1), targets, reduction=\"batchmean\", log_target=True)"},
     "this is the divergence, which is smaller by the teacher's entropy: cross entropy was asked for",
     killed_by="test_weight_1_is_the_soft_targets_alone_with_t_squared")


# without_similarity
@alternative("without_similarity", "mask")
def without_similarity(targets):
    classes = targets.shape[1]
    greatest = functional.one_hot(targets.argmax(dim=1), classes).bool()
    rest = targets.masked_fill(greatest, 0).sum(dim=1, keepdim=True) / (classes - 1)
    return torch.where(greatest, targets, rest)


@alternative("without_similarity", "row-by-row")
def without_similarity(targets):
    rows = []
    for row in targets.tolist():
        place = row.index(max(row))
        others = (math.fsum(row) - row[place]) / (len(row) - 1)
        rows.append([share if i == place else others for i, share in enumerate(row)])
    return torch.tensor(rows, dtype=targets.dtype)


edit("without_similarity", "all-even", {".scatter(1, place, top)": ""},
     "the greatest is made even with the others: it stays", killed_by="test_the_greatest_stays_and_the_others_become_even")
edit("without_similarity", "shared-among-all", {"(targets.shape[1] - 1)": "targets.shape[1]"},
     "the rest is shared among K: among the K − 1 others", killed_by="test_the_greatest_stays_and_the_others_become_even")
edit("without_similarity", "others-nothing", {"rest = (1 - top) / (targets.shape[1] - 1)": "rest = 0 * top"},
     "the others get nothing: they share what the greatest leaves", killed_by="test_the_greatest_stays_and_the_others_become_even")
edit("without_similarity", "hard-label", {"scatter(1, place, top)": "scatter(1, place, 1.0)"},
     "the greatest becomes 1: it stays as it was", killed_by="test_the_greatest_stays_and_the_others_become_even")
edit("without_similarity", "all-greatest-stay", {"rest.expand_as(targets).scatter(1, place, top)":
     "torch.where(targets == top, targets, (1 - (targets * (targets == top)).sum(1, keepdim=True)) / (targets != top).sum(1, keepdim=True).clamp(min=1))"},
     "all of several greatest stay: the first alone", killed_by="test_of_two_greatest_the_first_is_kept")
edit("without_similarity", "last-greatest", {"targets.max(dim=1, keepdim=True)": "targets.flip(1).max(dim=1, keepdim=True)",
     "    rest = ": "    place = targets.shape[1] - 1 - place\n    rest = "},
     "of several greatest the last is kept: the first", killed_by="test_of_two_greatest_the_first_is_kept")
edit("without_similarity", "turned-round", {"rest.expand_as(targets).scatter(1, place, top)": "targets.flip(1).scatter(1, place, top)"},
     "the others are put in another order: they get the same each", killed_by="test_the_greatest_stays_and_the_others_become_even")
edit("without_similarity", "in-place", {"rest.expand_as(targets).scatter(1, place, top)": "targets.copy_(rest.expand_as(targets).scatter(1, place, top))"},
     "the targets themselves are changed: work on a copy", killed_by="test_the_greatest_stays_and_the_others_become_even")


# raise_bias
@alternative("raise_bias", "newton-and-halves")
def raise_bias(logits, number, share):
    logits = logits.double()
    rest = logits.clone()
    rest[:, number] = -math.inf
    odds = logits[:, number] - torch.logsumexp(rest, dim=1)
    low, high = -odds.max().item() - 60, -odds.min().item() + 60
    bias = (low + high) / 2
    for _ in range(200):
        p = torch.sigmoid(odds + bias)
        low, high = (bias, high) if p.mean() < share else (low, bias)
        slope = (p * (1 - p)).mean().item()
        step = bias + (share - p.mean().item()) / slope if slope > 1e-12 else math.inf
        bias = step if low < step < high else (low + high) / 2
    return torch.tensor(bias, dtype=torch.float64)


@alternative("raise_bias", "ever-smaller-steps")
def raise_bias(logits, number, share):
    bias, step = -(2.0**17), 2.0**17
    while step > 1e-9:
        raised = logits.double().clone()
        raised[:, number] += bias + step
        if raised.softmax(dim=1)[:, number].mean() < share:
            bias += step
        step /= 2
    return bias


edit("raise_bias", "mean-of-log-odds", {"low, high = wanted - float(odds.max()), wanted - float(odds.min())": "low = high = wanted - float(odds.mean())"},
     "the mean of the log-odds is moved: the mean of probabilities was asked for", killed_by="test_the_mean_of_probabilities_is_the_share")
edit("raise_bias", "log-odds-of-the-mean", {"low, high = wanted - float(odds.max()), wanted - float(odds.min())": "low = high = wanted - float(odds.sigmoid().mean().logit())"},
     "the log-odds of the mean are moved: each row moves along its own curve", killed_by="test_the_mean_of_probabilities_is_the_share")
edit("raise_bias", "sign", {"return high": "return -high"},
     "the sign is turned round: the bias is added to the class", killed_by="test_one_row_needs_the_difference_of_log_odds")
edit("raise_bias", "own-class-in-the-sum", {"others = torch.cat([logits[:, :number], logits[:, number + 1 :]], dim=1)": "others = logits"},
     "the class itself is among the others: log-odds leave it out", killed_by="test_one_row_needs_the_difference_of_log_odds")
edit("raise_bias", "greatest-other", {"others.logsumexp(dim=1)": "others.amax(dim=1)"},
     "the greatest other logit stands for all of them: their logsumexp", killed_by="test_one_row_needs_the_difference_of_log_odds")
edit("raise_bias", "other-half", {"< share": "> share"},
     "the wrong half is kept: if the class has too little, the bias must grow", killed_by="test_the_mean_of_probabilities_is_the_share")
edit("raise_bias", "from-0-to-50", {"low, high = wanted - float(odds.max()), wanted - float(odds.min())": "low, high = 0.0, 50.0"},
     "the bias is looked for between 0 and 50: it may be negative, or larger", killed_by="test_a_class_that_is_said_too_often_gets_a_negative_bias")
edit("raise_bias", "within-a-hundred", {"low, high = wanted - float(odds.max()), wanted - float(odds.min())": "low, high = -100.0, 100.0"},
     "the bias is looked for within fixed bounds: logits of thousands need thousands", killed_by="test_logits_of_thousands_need_a_bias_of_thousands")
edit("raise_bias", "exp-apart", {"others.logsumexp(dim=1)": "others.exp().sum(dim=1).log()"},
     "exp of a large logit is infinite: use logsumexp", killed_by="test_far_above_and_far_below")
edit("raise_bias", "twenty-halves", {"range(100)": "range(20)"},
     "twenty halves of a span of twenty thousand are not four digits", killed_by="test_any_class_gets_any_share")
edit("raise_bias", "first-thousand-rows", {"logits = logits.double()": "logits = logits[:1000].double()"},
     "the first thousand rows alone are looked at: the mean runs over all", killed_by="test_every_row_of_many_counts")
edit("raise_bias", "few-halves", {"range(100)": "range(8)"},
     "eight halves are not four digits", killed_by="test_the_mean_of_probabilities_is_the_share")


@mistake("raise_bias", "share-of-rows", "so many rows would say the class: the mean of its probability was asked for",
         killed_by="test_the_mean_of_probabilities_is_the_share")
def raise_bias(logits, number, share):
    rest = logits.double().clone()
    rest[:, number] = -math.inf
    odds = logits[:, number].double() - rest.logsumexp(dim=1)
    return -float(odds.quantile(1 - share))
edit("raise_bias", "in-float32", {"logits = logits.double()": "logits = logits.float()"},
     "float32 has seven digits: a bias of a hundred thousand then has two behind the point", killed_by="test_large_logits_lose_no_digits")


equivalent("wrong_classes", "5: table / labels.bincount(minlength=classes).clamp(min=1)[:, None] → (table / labels.bincount(minlength=classes).clamp(min=1)[:, None]).squeeze()",
           "there are two classes at least, in rows and in columns")
for label in ("1: (teacher[real].detach() / temperature).softmax(dim=-1) → (teacher[real].detach() / temperature).softmax(dim=1)",
              "2: (student[real] / temperature).log_softmax(dim=-1) → (student[real] / temperature).log_softmax(dim=1)"):
    equivalent("soft_loss", label, "the real rows are a table, (M, K)")
equivalent("soft_loss", "3: -temperature ** 2 * (targets * logs).sum() / real.sum().clamp(min=1) → (-temperature ** 2 * (targets * logs).sum() / real.sum().clamp(min=1)).squeeze()",
           "a sum has no dimension")
equivalent("soft_gradient", "5: (student, teacher) → __import__('itertools').islice((student, teacher), 10)", "there are two of them")
equivalent("logit_loss", "1: student - teacher.detach() → teacher.detach() - student", "the square does not see the sign")
equivalent("logit_loss", "2: apart - apart.mean(dim=1, keepdim=True) → apart.mean(dim=1, keepdim=True) - apart", "the square does not see the sign")
equivalent("logit_loss", "3: apart.square().sum(dim=1).mean() / 2 → (apart.square().sum(dim=1).mean() / 2).squeeze()", "a mean has no dimension")
equivalent("mixed_loss", "3: functional.cross_entropy(student, labels, ignore_index=-100, reduction='sum') → functional.cross_entropy(student, labels, reduction='sum')",
           "−100 is what cross_entropy leaves out unless told otherwise")
equivalent("mixed_loss", "5: weight * soft + (1 - weight) * hard → (weight * soft + (1 - weight) * hard).squeeze()", "a sum of two numbers has no dimension")
for label in ("6: range(100) → range(101)", "6: range(100) → range(99)"):
    equivalent("raise_bias", label, "after some sixty halves nothing is left to halve")
equivalent("raise_bias", "8: float((odds + middle).sigmoid().mean()) < share → float((odds + middle).sigmoid().mean()) <= share",
           "where the mean is the share, either half ends there")
equivalent("soft_loss", "3: targets * logs → targets.detach() * logs",
           "the teacher's logits, of which the targets are made, are detached")
