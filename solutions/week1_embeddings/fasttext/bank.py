"""fastText: classic mistakes and other right ways, for each exercise. Never released."""


import numpy as np
import torch
from torch.nn.functional import logsigmoid

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# char_ngrams
@alternative("char_ngrams", "one-comprehension")
def char_ngrams(word, smallest=3, largest=6):
    marked = "<" + word + ">"
    sizes, last = range(smallest, largest + 1), len(marked) - 1
    spans = [(start, n) for start in range(len(marked)) for n in sizes if start + n <= len(marked)]
    return [marked[start : start + n] for start, n in spans if (start, n) not in ((0, 1), (last, 1))]


@alternative("char_ngrams", "recursive")
def char_ngrams(word, smallest=3, largest=6):
    marked = f"<{word}>"

    def from_here(start):
        if start == len(marked):
            return []
        ends = range(start + smallest, 1 + min(start + largest, len(marked)))
        alone = start in (0, len(marked) - 1)
        return [marked[start:end] for end in ends if not (alone and end == start + 1)] + from_here(start + 1)

    return from_here(0)


edit("char_ngrams", "no-marks", {'f"<{word}>"': "word",
     "if end - start > 1 or 0 < start < len(marked) - 1:\n                found.append(marked[start:end])":
     "found.append(marked[start:end])"},
     "the word has no marks: write < before it and > behind it", killed_by="test_artificial_has_ten_trigrams")
edit("char_ngrams", "last-ngram-missing",
     {"min(start + largest, len(marked)) + 1": "min(start + largest + 1, len(marked))"},
     "the last n-gram of each length is missing: range ends too early", killed_by="test_artificial_has_ten_trigrams")
edit("char_ngrams", "by-length-first", {"return found": "return sorted(found, key=len)"},
     "the order is by length first: it should be by start, and at each start from short to long",
     killed_by="test_lengths_come_from_short_to_long_at_each_start")
edit("char_ngrams", "marks-as-ngrams",
     {"if end - start > 1 or 0 < start < len(marked) - 1:\n                found.append(marked[start:end])":
     "found.append(marked[start:end])"},
     "the marks alone are taken for n-grams", killed_by="test_the_marks_alone_are_no_ngrams")
edit("char_ngrams", "whole-word-left-out", {"end - start > 1 or 0 < start < len(marked) - 1":
     "(end - start > 1 or 0 < start < len(marked) - 1) and marked[start:end] != marked"},
     "<word> as a whole was left out: it is an n-gram like the others",
     killed_by="test_a_short_word_is_an_ngram_as_a_whole")
edit("char_ngrams", "doubles-dropped", {"end - start > 1 or 0 < start < len(marked) - 1":
     "(end - start > 1 or 0 < start < len(marked) - 1) and marked[start:end] not in found"},
     "an n-gram that stands twice is listed once: keep both", killed_by="test_many_words_agree_with_the_librarys_order")
edit("char_ngrams", "inner-marks-left-out", {"end - start > 1 or 0 < start < len(marked) - 1": "marked[start:end] not in ('<', '>')"},
     "a < or > inside the word is left out: it is a letter like any other",
     killed_by="test_many_words_agree_with_the_librarys_order")
edit("char_ngrams", "blanks-cut-off", {"f\"<{word}>\"": "f\"<{word.strip()}>\""},
     "blanks around the word are cut off",
     killed_by="test_many_words_agree_with_the_librarys_order")
edit("char_ngrams", "one-spelling", {'marked = f"<{word}>"': "import unicodedata\n    marked = '<' + unicodedata.normalize('NFC', word) + '>'"},
     "letters and their marks are joined first: characters are those of the word as it stands",
     killed_by="test_many_words_agree_with_the_librarys_order")
edit("char_ngrams", "tuple", {"return found": "return tuple(found)"},
     "a tuple comes back: a list is asked for",
     killed_by="test_artificial_has_ten_trigrams")


# fnv1a
@alternative("fnv1a", "numpy-int8")
def fnv1a(text):
    value = 0x811C9DC5
    for byte in np.frombuffer(text.encode(), dtype=np.int8).tolist():
        value = (value ^ (byte & 0xFFFFFFFF)) * 0x01000193 & 0xFFFFFFFF
    return value


@alternative("fnv1a", "reduce")
def fnv1a(text):
    from functools import reduce

    signed = (byte - 256 if byte > 127 else byte for byte in text.encode())
    return reduce(lambda value, byte: (value ^ byte % 2**32) * 16777619 % 2**32, signed, 2166136261)


edit("fnv1a", "multiplied-before-xor", {"((value ^ byte) * 16777619) % 2**32": "((value * 16777619) % 2**32) ^ byte"},
     "multiplied before XOR: that is FNV-1, not FNV-1a", killed_by="test_ascii_has_the_values_of_plain_fnv1a")
edit("fnv1a", "bytes-unsigned", {"if byte >= 128:\n            byte |= 0xFFFFFF00": ""},
     "bytes from 128 on are read as unsigned: the authors' program reads them with a sign",
     killed_by="test_bytes_from_128_on_are_signed")
edit("fnv1a", "characters-hashed", {'for byte in text.encode("utf-8"):': "for byte in map(ord, text):",
     "if byte >= 128:\n            byte |= 0xFFFFFF00": ""},
     "characters are hashed, not the bytes of UTF-8", killed_by="test_bytes_from_128_on_are_signed")
edit("fnv1a", "not-cut-to-32-bits", {"((value ^ byte) * 16777619) % 2**32": "(value ^ byte) * 16777619"},
     "the value is not cut to 32 bits", killed_by="test_ascii_has_the_values_of_plain_fnv1a")
edit("fnv1a", "starts-with-zero", {"2166136261": "0"},
     "it starts with 0: the first value is 2166136261", killed_by="test_ascii_has_the_values_of_plain_fnv1a")
edit("fnv1a", "one-spelling", {'text.encode("utf-8")': "__import__('unicodedata').normalize('NFC', text).encode()"},
     "the text is normalised first: other bytes have another hash",
     killed_by="test_many_words_agree_with_the_published_hash")
edit("fnv1a", "zero-ends-text", {"text.encode(\"utf-8\")": "text.encode(\"utf-8\").partition(bytes(1))[0]"},
     "a byte of 0 ends the text: it is a byte like any other",
     killed_by="test_many_words_agree_with_the_published_hash")


# subword_rows
@alternative("subword_rows", "row-by-row")
def subword_rows(word, index, buckets, smallest=3, largest=6):
    rows = []
    if word in index:
        rows.append(index[word])
    for gram in char_ngrams(word, smallest, largest):
        rows.append(len(index) + fnv1a(gram) - fnv1a(gram) // buckets * buckets)
    return rows


@alternative("subword_rows", "numpy-hashes")
def subword_rows(word, index, buckets, smallest=3, largest=6):
    hashes = np.array([fnv1a(gram) for gram in char_ngrams(word, smallest, largest)], dtype=np.int64)
    return [index[w] for w in (word,) if w in index] + (hashes % buckets + len(index)).tolist()


edit("subword_rows", "buckets-from-zero", {"len(index) + fnv1a(gram) % buckets": "fnv1a(gram) % buckets"},
     "the buckets begin at 0, on top of the words' own rows: they begin after them",
     killed_by="test_a_known_word_has_its_own_row_first")
edit("subword_rows", "own-row-missing", {"return own + [": "return ["},
     "the word's own row is missing", killed_by="test_a_known_word_has_its_own_row_first")
edit("subword_rows", "unknown-as-row-zero", {"[index[word]] if word in index else []": "[index.get(word, 0)]"},
     "an unknown word is given row 0, which is another word's", killed_by="test_an_unknown_word_has_its_ngrams_alone")
edit("subword_rows", "doubles-dropped", {"return own + [": "return list(dict.fromkeys(own + [",
     "largest)]": "largest)]))"},
     "rows that occur twice are listed once: keep both", killed_by="test_rows_that_occur_twice_are_listed_twice")
edit("subword_rows", "remainder-after-offset",
     {"len(index) + fnv1a(gram) % buckets": "(len(index) + fnv1a(gram)) % buckets"},
     "V is added before the remainder is taken, so the rows of words are hit",
     killed_by="test_a_known_word_has_its_own_row_first")
edit("subword_rows", "six-at-most", {"char_ngrams(word, smallest, largest)": "char_ngrams(word, smallest, min(largest, 6))"},
     "no n-gram is longer than 6, whatever is asked",
     killed_by="test_many_words_agree_with_the_library")
edit("subword_rows", "place-for-row", {"[index[word]]": "[list(index).index(word)]"},
     "the word's place in the dictionary is taken for its row, which the dictionary says",
     killed_by="test_any_index_gives_the_rows_of_the_library")
edit("subword_rows", "tuple", {"return own + [": "return (*own, *[", "char_ngrams(word, smallest, largest)]": "char_ngrams(word, smallest, largest)])"},
     "a tuple comes back: a list is asked for",
     killed_by="test_a_known_word_has_its_own_row_first")


# compose
@alternative("compose", "sum-by-bag")
def compose(table, bags):
    return torch.stack([table[torch.tensor(bag, dtype=torch.long)].sum(dim=0) for bag in bags])


@alternative("compose", "count-matrix")
def compose(table, bags):
    counts = torch.zeros(len(bags), len(table))
    for i, bag in enumerate(bags):
        for row in bag:
            counts[i, row] += 1
    return counts.to(table) @ table


@alternative("compose", "index-add")
def compose(table, bags):
    rows = torch.tensor([row for bag in bags for row in bag], dtype=torch.long)
    owner = torch.tensor([i for i, bag in enumerate(bags) for _ in bag], dtype=torch.long)
    return torch.zeros(len(bags), table.shape[1]).index_add(0, owner, table[rows])


edit("compose", "mean-of-rows", {"table[torch.tensor(bag, dtype=torch.long)].sum(dim=0)":
     "table[bag].mean(dim=0) if bag else torch.zeros(table.shape[1])"},
     "this is the mean of the rows: the paper takes their sum", killed_by="test_a_vector_is_the_sum_of_its_rows",
     of="sum-by-bag")
edit("compose", "doubles-added-once", {"torch.tensor(bag, dtype=torch.long)": "sorted(set(bag))"},
     "a row that occurs twice in a bag is added once", killed_by="test_a_vector_is_the_sum_of_its_rows",
     of="sum-by-bag")
edit("compose", "empty-bag-skipped", {"[table[torch.tensor(bag, dtype=torch.long)].sum(dim=0) for bag in bags]":
     "[table[bag].sum(dim=0) for bag in bags if bag]"},
     "an empty bag has no vector here, so the ones after it move up: its vector is 0",
     killed_by="test_an_empty_bag_is_zero", of="sum-by-bag")
edit("compose", "padding-added", {'embedding_bag(rows, table, first, mode="sum")':
     "table[torch.tensor([bag + [0] * (max(map(len, bags)) - len(bag)) for bag in bags])].sum(dim=1)"},
     "the rows are padded with row 0, which is then added: padding must not count",
     killed_by="test_a_vector_is_the_sum_of_its_rows")
edit("compose", "table-detached", {"rows, table, first": "rows, table.detach(), first"},
     "the table was detached, so nothing is learnt: gradients must flow back into it",
     killed_by="test_gradients_can_flow_back_into_the_table")
@mistake("compose", "running-sums", "differences of running sums: a small bag behind a large one loses its digits",
         killed_by="test_a_small_bag_beside_a_large_one_keeps_its_digits")
def compose(table, bags):
    rows = torch.tensor([row for bag in bags for row in bag], dtype=torch.long)
    running = torch.cat([torch.zeros(1, table.shape[1]), table[rows].cumsum(dim=0)])
    ends = torch.tensor([0, *(len(bag) for bag in bags)]).cumsum(0)
    return running[ends[1:]] - running[ends[:-1]]


edit("compose", "one-number-loses-axis", {"mode=\"sum\")": "mode=\"sum\").squeeze(-1)"},
     "vectors of one number lose their axis",
     killed_by="test_many_bags_agree_with_a_loop")
edit("compose", "rows-cut", {"for row in bag]": "for row in bag[:32]]", "len(bag) for bag": "len(bag[:32]) for bag"},
     "no more than 32 rows of a bag are summed",
     killed_by="test_many_bags_agree_with_a_loop")
@mistake("compose", "gradient-once", "a row that stands twice in a bag gets the gradient of one",
         killed_by="test_gradients_can_flow_back_into_the_table")
def compose(table, bags):
    vectors = []
    for bag in bags:
        vector = table.new_zeros(table.shape[1])
        for place, row in enumerate(bag):
            vector = vector + (table.detach()[row] if row in bag[:place] else table[row])
        vectors.append(vector)
    return torch.stack(vectors)


# subword_loss
@alternative("subword_loss", "softplus")
def subword_loss(table, contexts, bags, center, context, negatives):
    vectors = compose(table, bags)[center]
    words = torch.cat([context[:, None], negatives], dim=1)
    scores = (contexts[words] @ vectors[:, :, None])[:, :, 0]
    signs = torch.ones_like(scores)
    signs[:, 1:] = -1
    return torch.nn.functional.softplus(-signs * scores).sum() / len(center)


@alternative("subword_loss", "one-loop", slow="a loop over 2,048 pairs and their negatives in each of hundreds of steps")
def subword_loss(table, contexts, bags, center, context, negatives):
    every = compose(table, bags)
    losses = []
    for word, real, noise in zip(center.tolist(), context.tolist(), negatives.tolist()):
        loss = -logsigmoid(every[word] @ contexts[real])
        for other in noise:
            loss = loss - logsigmoid(-(every[word] @ contexts[other]))
        losses.append(loss)
    return torch.stack(losses).mean()


edit("subword_loss", "noise-sign-kept", {"-noise": "noise"},
     "the noise's scores keep their sign: a negative is pushed away, log σ(−s)",
     killed_by="test_real_contexts_are_drawn_near_and_negatives_pushed_away")
edit("subword_loss", "negatives-averaged", {"logsigmoid(-noise).sum": "logsigmoid(-noise).mean"},
     "negatives are averaged: they are summed", killed_by="test_zero_contexts_give_one_ln_2_for_each_term")
edit("subword_loss", "pairs-summed", {"(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean":
     "(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).sum"},
     "pairs are summed: the loss is their mean", killed_by="test_the_mean_is_over_pairs_and_the_sum_over_negatives")
edit("subword_loss", "centre-own-row-only", {"compose(table, bags)": "table"},
     "the centre is taken from the table's own row alone: it is made of all its pieces",
     killed_by="test_real_contexts_are_drawn_near_and_negatives_pushed_away")
edit("subword_loss", "contexts-from-pieces",
     {"vectors = compose(table, bags)[center]": "contexts = compose(table, bags)\n    vectors = contexts[center]"},
     "contexts are made of pieces too: only the centre is", killed_by="test_zero_contexts_give_one_ln_2_for_each_term")
edit("subword_loss", "plain-number", {"(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean":
     "(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean().item"},
     "a plain number comes back, from which nothing can be learnt: leave the loss a tensor",
     killed_by="test_the_loss_is_a_scalar_tensor_that_both_tables_learn_from")
edit("subword_loss", "contexts-detached", {"vectors = compose": "contexts = contexts.detach()\n    vectors = compose"},
     "the contexts were detached, so they stay where they are: both tables learn",
     killed_by="test_the_loss_is_a_scalar_tensor_that_both_tables_learn_from")
edit("subword_loss", "something-added", {"logsigmoid(real) + logsigmoid(-noise)": "(real.sigmoid() + 1e-9).log() + ((-noise).sigmoid() + 1e-9).log()"},
     "something is added under the logarithm, so no logarithm goes beyond 21",
     killed_by="test_large_scores_stay_as_they_are")
edit("subword_loss", "log-of-sigmoid", {"logsigmoid(real) + logsigmoid(-noise)": "real.sigmoid().log() + (-noise).sigmoid().log()"},
     "the sigmoid of a very low score rounds to 0, and its logarithm is −∞: logsigmoid stays finite",
     killed_by="test_large_scores_stay_as_they_are")
edit("subword_loss", "log-of-one-minus", {"logsigmoid(-noise)": "(1 - noise.sigmoid()).log()"},
     "1 − σ rounds to 0 for large scores, and its logarithm is −∞",
     killed_by="test_large_scores_stay_as_they_are")
edit("subword_loss", "scores-cut-off", {"    return": "    real, noise = real.clamp(-20, 20), noise.clamp(-20, 20)\n    return"},
     "scores beyond ±20 are cut off",
     killed_by="test_large_scores_stay_as_they_are")
edit("subword_loss", "five-negatives", {"contexts[negatives]": "contexts[negatives[:, :5]]"},
     "no more than five negatives are summed",
     killed_by="test_random_batches_agree_with_a_sum_term_by_term")
edit("subword_loss", "one-negative-for-all", {"contexts[negatives]": "contexts[negatives if negatives.shape[1] > 1 else negatives[:1].expand_as(negatives)]"},
     "where each pair has one negative, that of the first serves for all",
     killed_by="test_random_batches_agree_with_a_sum_term_by_term")


# train_subwords
@alternative("train_subwords", "parameters-and-slices")
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = torch.nn.Parameter((torch.rand(rows, dim, generator=generator) - 0.5) / dim)
    contexts = torch.nn.Parameter(torch.zeros(len(counts), dim))
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    chance = (counts.double() ** 0.75 / (counts.double() ** 0.75).sum()).float()
    for _ in range(epochs):
        order = pairs[torch.randperm(len(pairs), generator=generator)]
        for start in range(0, len(order), batch):
            part = order[start : start + batch]
            drawn = torch.multinomial(chance.expand(len(part), -1), negatives, replacement=True, generator=generator)
            optimizer.zero_grad()
            subword_loss(table, contexts, bags, part[:, 0], part[:, 1], drawn).backward()
            optimizer.step()
    return table.data.clone()


@alternative("train_subwords", "adagrad-by-hand")
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    squares = [torch.zeros(rows, dim), torch.zeros(len(counts), dim)]
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            drawn = torch.multinomial(noise, len(part) * negatives, replacement=True, generator=generator)
            loss = subword_loss(table, contexts, bags, *pairs[part].T, drawn.view(-1, negatives))
            found = torch.autograd.grad(loss, [table, contexts])
            with torch.no_grad():
                for weight, square, gradient in zip((table, contexts), squares, found):
                    square += gradient**2
                    weight -= 3 * lr * gradient / (square.sqrt() + 1e-8)
    return table.detach().clone()


edit("train_subwords", "no-step", {"optimizer.step()": ""},
     "the optimizer never steps, so nothing is learnt", killed_by="test_training_brings_real_pairs_together")
edit("train_subwords", "loss-climbed", {"lr=lr": "lr=lr, maximize=True"},
     "the loss is climbed, not descended: its sign is wrong",
     killed_by="test_training_lowers_the_loss_of_what_was_seen")
edit("train_subwords", "generator-unused", {"replacement=True, generator=generator": "replacement=True"},
     "negatives are drawn without the generator, so the seed does not decide", killed_by="test_the_seed_decides")
edit("train_subwords", "gradient-attached", {"table.detach().cpu()": "table"},
     "the table comes back with its gradient attached", killed_by="test_the_table_has_its_shape_and_no_gradient")
edit("train_subwords", "word-vectors-returned", {"table.detach()": "compose(table, bags).detach()"},
     "the vectors of the words come back: the table of their rows is asked for",
     killed_by="test_the_table_has_its_shape_and_no_gradient")
edit("train_subwords", "uniform-noise",
     {"torch.multinomial(noise, len(part) * negatives, replacement=True, generator=generator)":
     "torch.randint(len(counts), (len(part), negatives), generator=generator)"},
     "negatives are drawn uniformly: they are drawn in proportion to noise, the counts to the power 3/4",
     killed_by="test_company_with_everybody_alike_teaches_little")
edit("train_subwords", "noise-from-counts", {"counts.double() ** 0.75": "counts.float()"},
     "negatives are drawn in proportion to the counts: noise has their power 3/4",
     killed_by="test_company_with_everybody_alike_teaches_little")
edit("train_subwords", "power-twice", {"multinomial(noise,": "multinomial(noise**0.75,"},
     "the power 3/4 is taken twice: noise has it already", killed_by="test_company_with_everybody_alike_teaches_little")
edit("train_subwords", "noise-from-batch",
     {"torch.multinomial(noise, len(part) * negatives, replacement=True, generator=generator)":
     "torch.stack([context.roll(i + 1) for i in range(negatives)], dim=1)"},
     "the contexts of other pairs of the batch serve as negatives: they are drawn from noise",
     killed_by="test_company_with_everybody_alike_teaches_little")
edit("train_subwords", "one-negative", {"len(part) * negatives": "len(part)", "view(-1, negatives)": "view(-1, 1)"},
     "one negative is drawn for each pair, whatever `negatives` says", killed_by="test_more_negatives_push_further")
edit("train_subwords", "five-negatives", {"len(part) * negatives": "len(part) * 5",
     "view(-1, negatives)": "view(-1, 5)"},
     "five negatives are drawn for each pair, whatever `negatives` says",
     killed_by="test_company_with_everybody_alike_teaches_little")
edit("train_subwords", "centre-context-exchanged", {"center, context = pairs": "context, center = pairs"},
     "centre and context are exchanged: the first word of a pair is the centre",
     killed_by="test_the_first_word_of_a_pair_is_the_centre")
edit("train_subwords", "last-batch-left-out", {"            center, context =": "            if len(part) < batch:\n                continue\n            center, context ="},
     "the last, smaller batch of an epoch is left out",
     killed_by="test_two_epochs_move_the_row_of_every_centre")
edit("train_subwords", "batches-cut", {"            center, context =": "            part = part[:32]\n            center, context ="},
     "of a batch 32 pairs are trained on",
     killed_by="test_two_epochs_move_the_row_of_every_centre")

edit("train_subwords", "generator-begun-again", {"            center, context =": "            generator = torch.Generator().manual_seed(seed)\n            center, context ="},
     "the generator begins again for each batch, so all batches have the same negatives",
     killed_by="test_every_batch_has_negatives_of_its_own")
edit("train_subwords", "negatives-of-the-batch", {"len(part) * negatives": "negatives",
     "drawn.view(-1, negatives)": "drawn.expand(len(part), negatives)"},
     "one draw of negatives serves the whole batch: every pair has its own",
     killed_by="test_every_pair_has_negatives_of_its_own")


# overlaps
@alternative("overlaps", "two-loops")
def overlaps(words, others, smallest=3, largest=6):
    found = torch.zeros(len(words), len(others))
    for i, word in enumerate(words):
        pieces = set(char_ngrams(word, smallest, largest))
        for j, other in enumerate(others):
            theirs = set(char_ngrams(other, smallest, largest))
            shared = sum(piece in theirs for piece in pieces)
            union = len(pieces) + len(theirs) - shared
            if union:
                found[i, j] = shared / union
    return found


@alternative("overlaps", "mark-matrix")
def overlaps(words, others, smallest=3, largest=6):
    lists = [set(char_ngrams(word, smallest, largest)) for word in [*words, *others]]
    place = {piece: i for i, piece in enumerate(sorted(set().union(*lists)))}
    marks = torch.zeros(len(lists), len(place) + 1)
    for row, pieces in enumerate(lists):
        for piece in pieces:
            marks[row, place[piece]] = 1.0
    left, right = marks[: len(words)], marks[len(words) :]
    both = left @ right.T
    union = left.sum(dim=1)[:, None] + right.sum(dim=1) - both
    return torch.where(union > 0, both / union.clamp(min=1), 0.0)


edit("overlaps", "divided-by-first", {"a | b": "a"},
     "divided by the first word's pieces: Jaccard's index divides by the union",
     killed_by="test_the_overlap_is_shared_pieces_over_all_pieces")
edit("overlaps", "doubles-counted", {"left = [set(": "left = [Counter(", "right = [set(": "right = [Counter(",
     "len(a & b) / max(1, len(a | b))": "(a & b).total() / max(1, (a | b).total())"},
     "pieces that stand twice count twice: the overlap is of sets", killed_by="test_pieces_that_stand_twice_count_once")
edit("overlaps", "dice-coefficient", {"len(a & b) / max(1, len(a | b))": "2 * len(a & b) / max(1, len(a) + len(b))"},
     "twice the intersection over the sum of the sizes is Dice's coefficient: Jaccard's divides by the union",
     killed_by="test_the_overlap_is_shared_pieces_over_all_pieces")
edit("overlaps", "rows-columns-exchanged", {"for b in right": "for a in left", "for a in left": "for b in right"},
     "rows and columns are exchanged: a row for each of the words, a column for each of the others",
     killed_by="test_the_overlap_is_shared_pieces_over_all_pieces")
edit("overlaps", "zero-by-zero", {"max(1, len(a | b))": "torch.tensor(len(a | b))"},
     "0 divided by 0 for words without pieces: their overlap is 0",
     killed_by="test_words_without_pieces_overlap_with_nothing")
@mistake("overlaps", "told-apart-by-word", "a word that comes again keeps a row of zeros: rows are told apart by place",
         killed_by="test_many_words_agree_with_sets")
def overlaps(words, others, smallest=3, largest=6):
    found = torch.zeros(len(words), len(others))
    for word in words:
        for other in others:
            a, b = (set(char_ngrams(one, smallest, largest)) for one in (word, other))
            found[words.index(word), others.index(other)] = len(a & b) / max(1, len(a | b))
    return found


edit("overlaps", "nested-lists", {"return torch.tensor(": "return (", "in left])": "in left])"},
     "nested lists come back: a tensor is asked for",
     killed_by="test_the_overlap_is_shared_pieces_over_all_pieces")
edit("overlaps", "whole-zeros", {"len(a & b) / max(1, len(a | b))": "len(a & b) / len(a | b) if a & b else 0"},
     "where no pieces are shared at all, whole numbers come back: a float tensor is asked for",
     killed_by="test_many_words_agree_with_sets")
edit("overlaps", "numpy-array", {"return torch.tensor(": "return np.array("},
     "an array comes back: a tensor is asked for",
     killed_by="test_the_overlap_is_shared_pieces_over_all_pieces")
edit("overlaps", "whole-nothing", {"len(a & b) / max(1, len(a | b))": "len(a & b) / len(a | b) if a | b else 0"},
     "where no word has n-grams at all, whole numbers come back: a float tensor is asked for",
     killed_by="test_many_words_agree_with_sets")


# neighbour_accuracy
@alternative("neighbour_accuracy", "one-loop")
def neighbour_accuracy(scores, allowed, right):
    total = 0.0
    for row, may, good in zip(scores.tolist(), allowed.tolist(), right.tolist()):
        top = max(score for score, ok in zip(row, may) if ok)
        best = [yes for score, ok, yes in zip(row, may, good) if ok and score == top]
        total += sum(best) / len(best)
    return total / len(scores)


@alternative("neighbour_accuracy", "numpy-masked")
def neighbour_accuracy(scores, allowed, right):
    masked = np.where(allowed.numpy(), scores.numpy(), -np.inf)
    best = masked == masked.max(axis=1, keepdims=True)
    return np.average((best & right.numpy()).sum(axis=1) / best.sum(axis=1))


edit("neighbour_accuracy", "forbidden-take-part",
     {"scores = scores.masked_fill(~allowed, -torch.inf)": "allowed = torch.ones_like(allowed)"},
     "words that are not allowed take part", killed_by="test_the_best_allowed_word_counts")
edit("neighbour_accuracy", "first-of-ties", {"allowed & (scores == scores.amax(dim=1, keepdim=True))":
     "torch.nn.functional.one_hot(scores.argmax(dim=1), scores.shape[1]) > 0"},
     "the first of the best words is taken: a tie counts by its share of right ones",
     killed_by="test_a_tie_counts_by_its_share")
edit("neighbour_accuracy", "scores-multiplied-to-zero", {"scores.masked_fill(~allowed, -torch.inf)": "scores * allowed",
     "allowed & (scores": "(scores"},
     "scores of words that are not allowed are multiplied to 0, which beats a score below 0",
     killed_by="test_scores_below_zero_are_scores")
edit("neighbour_accuracy", "any-of-ties",
     {"((best & right).sum(dim=1) / best.sum(dim=1))": "(best & right).any(dim=1).float()"},
     "a tie counts as right if any of the best is right: it counts by their share",
     killed_by="test_a_tie_counts_by_its_share")
edit("neighbour_accuracy", "pooled-over-queries",
     {"((best & right).sum(dim=1) / best.sum(dim=1)).mean()": "(best & right).sum() / best.sum()"},
     "right words are counted among all best words of all queries together: each query counts alike",
     killed_by="test_many_queries_agree_with_a_loop")
edit("neighbour_accuracy", "close-ties", {"scores == scores.amax(dim=1, keepdim=True)": "torch.isclose(scores, scores.amax(dim=1, keepdim=True))"},
     "scores that are only close to the best one tie: only equal ones do",
     killed_by="test_scores_that_are_only_close_are_no_ties")
edit("neighbour_accuracy", "near-ties", {"scores == scores.amax(dim=1, keepdim=True)": "scores >= scores.amax(dim=1, keepdim=True) - 1e-3"},
     "scores that lie near each other tie: only equal ones do",
     killed_by="test_many_queries_agree_with_a_loop")
edit("neighbour_accuracy", "low-is-forbidden", {"-torch.inf": "-1e9"},
     "words that are not allowed get −10⁹, which beats a lower score",
     killed_by="test_very_low_scores_and_many_queries_count")
edit("neighbour_accuracy", "tensor", {"return float(((best & right).sum(dim=1) / best.sum(dim=1)).mean())": "return ((best & right).sum(dim=1) / best.sum(dim=1)).mean()"},
     "a tensor comes back: a float is asked for",
     killed_by="test_many_queries_agree_with_a_loop")


# to_jamo
@alternative("to_jamo", "unicode-nfd")
def to_jamo(text):
    import unicodedata

    return "".join(unicodedata.normalize("NFD", c) if "\uac00" <= c <= "\ud7a3" else c for c in text)


@alternative("to_jamo", "regular-expression")
def to_jamo(text):
    import re

    def letters(match):
        code = ord(match[0]) - 0xAC00
        final = code % 28
        return chr(0x1100 + code // 588) + chr(0x1161 + code % 588 // 28) + (chr(0x11A7 + final) if final else "")

    return re.sub("[가-힣]", letters, text)


edit("to_jamo", "finals-off-by-one", {"0x11A7": "0x11A8"},
     "28 finals count the empty one: the finals' numbers are off by one",
     killed_by="test_syllables_fall_into_their_letters")
edit("to_jamo", "empty-final-written", {"if final:": "if True:"},
     "a syllable without a final gets one (U+11A7): number 0 means none",
     killed_by="test_syllables_fall_into_their_letters")
edit("to_jamo", "last-syllable-left-out", {'"\\uac00" <= c <= "\\ud7a3"': "0xAC00 <= ord(c) < 0xD7A3"},
     "the last syllable, 힣, is left out of the range", killed_by="test_the_first_and_the_last_syllable",
     of="unicode-nfd")
edit("to_jamo", "everything-decomposed", {' if "\\uac00" <= c <= "\\ud7a3" else c': ""},
     "everything is decomposed (é too): only syllables are", killed_by="test_all_else_stays_as_it_is", of="unicode-nfd")
edit("to_jamo", "compatibility-letters",
     {"chr(0x1100 + initial), chr(0x1161 + vowel)": '"ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"[initial], chr(0x314F + vowel)',
     "chr(0x11A7 + final)": '" ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"[final]'},
     "compatibility letters (ㄴ, U+3134) in place of conjoining ones, so initials and finals look alike",
     killed_by="test_syllables_fall_into_their_letters")


# What no check can tell from a right answer.
edit("to_jamo", "composed-first", {"for character in text": "for character in __import__('unicodedata').normalize('NFC', text)"},
     "the text is composed first, which changes what is no syllable",
     killed_by="test_neighbours_of_the_syllables_and_parts_of_letters_stay")
edit("to_jamo", "one-too-many", {"\"가\" <= character <= \"힣\"": "0xAC00 <= ord(character) <= 0xD7A4"},
     "the character behind 힣 is taken for a syllable",
     killed_by="test_neighbours_of_the_syllables_and_parts_of_letters_stay")
edit("to_jamo", "one-too-early", {"\"가\" <= character <= \"힣\"": "0xABFF <= ord(character) <= 0xD7A3"},
     "the character before 가 is taken for a syllable",
     killed_by="test_neighbours_of_the_syllables_and_parts_of_letters_stay")


equivalent("char_ngrams", "3: range(len(marked)) → range(len(marked) + 1)", "no n-gram starts behind the word")
equivalent("char_ngrams", "3: range(len(marked)) → range(len(marked) - 1)", "only the mark > starts at the last place")
PLACE = "on the CPU, where checks run, the tensor lies on the table's device anyway"
equivalent(
    "compose",
    "1: torch.tensor([row for bag in bags for row in bag], dtype=torch.long, device=table.device) "
    "→ torch.tensor([row for bag in bags for row in bag], dtype=torch.long)",
    PLACE,
)
equivalent(
    "compose",
    "2: torch.tensor([0, *(len(bag) for bag in bags)], device=table.device) → torch.tensor([0, *(len(bag) for bag in bags)])",
    PLACE,
)
equivalent(
    "compose",
    "2: torch.tensor([0, *(len(bag) for bag in bags)], device=table.device).cumsum(0) "
    "→ torch.tensor([0, *(len(bag) for bag in bags)], device=table.device).cumsum(-1)",
    "a tensor of one dimension has its last one at 0",
)
equivalent(
    "compose",
    "3: embedding_bag(rows, table, first, mode='sum') → embedding_bag(table, rows, first, mode='sum')",
    "embedding_bag tells the two apart by their types",
)
equivalent(
    "train_subwords",
    "1: pairs[part].T → pairs[part - 1].T",
    "row −1 is the last one, so an epoch still goes once through all pairs, in an order that is as random",
)
equivalent(
    "subword_loss",
    "4: -(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean() "
    "→ (-(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean()).squeeze()",
    "the mean is a scalar already",
)
