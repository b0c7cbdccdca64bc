"""fastText: classic mistakes and other right ways, for each exercise. Never released."""

import unicodedata
from collections import Counter

import numpy as np
import torch
from torch.nn.functional import logsigmoid

from grader.lessons.bank import alternative, equivalent, mistake

# char_ngrams


@mistake("char_ngrams", "the word has no marks: write < before it and > behind it", "test_artificial_has_ten_trigrams")
def char_ngrams(word, smallest=3, largest=6):
    return [
        word[start:end]
        for start in range(len(word))
        for end in range(start + smallest, min(start + largest, len(word)) + 1)
    ]


@mistake(
    "char_ngrams", "the last n-gram of each length is missing: range ends too early", "test_artificial_has_ten_trigrams"
)
def char_ngrams(word, smallest=3, largest=6):
    marked = f"<{word}>"
    found = []
    for start in range(len(marked)):
        for end in range(start + smallest, min(start + largest + 1, len(marked))):
            if end - start > 1 or 0 < start < len(marked) - 1:
                found.append(marked[start:end])
    return found


@mistake(
    "char_ngrams",
    "the order is by length first: it should be by start, and at each start from short to long",
    "test_lengths_come_from_short_to_long_at_each_start",
)
def char_ngrams(word, smallest=3, largest=6):
    marked = f"<{word}>"
    return [
        marked[start : start + n]
        for n in range(smallest, largest + 1)
        for start in range(len(marked) - n + 1)
        if n > 1 or 0 < start < len(marked) - 1
    ]


@mistake("char_ngrams", "the marks alone are taken for n-grams", "test_the_marks_alone_are_no_ngrams")
def char_ngrams(word, smallest=3, largest=6):
    marked = f"<{word}>"
    return [
        marked[start:end]
        for start in range(len(marked))
        for end in range(start + smallest, min(start + largest, len(marked)) + 1)
    ]


@mistake(
    "char_ngrams",
    "<word> as a whole was left out: it is an n-gram like the others",
    "test_a_short_word_is_an_ngram_as_a_whole",
)
def char_ngrams(word, smallest=3, largest=6):
    marked = f"<{word}>"
    found = []
    for start in range(len(marked)):
        for end in range(start + smallest, min(start + largest, len(marked)) + 1):
            if (end - start > 1 or 0 < start < len(marked) - 1) and marked[start:end] != marked:
                found.append(marked[start:end])
    return found


@mistake(
    "char_ngrams",
    "an n-gram that stands twice is listed once: keep both",
    "test_many_words_agree_with_the_librarys_order",
)
def char_ngrams(word, smallest=3, largest=6):
    marked = f"<{word}>"
    found = []
    for start in range(len(marked)):
        for end in range(start + smallest, min(start + largest, len(marked)) + 1):
            if (end - start > 1 or 0 < start < len(marked) - 1) and marked[start:end] not in found:
                found.append(marked[start:end])
    return found


@alternative("char_ngrams")
def char_ngrams(word, smallest=3, largest=6):
    marked = "<" + word + ">"
    sizes = range(smallest, largest + 1)
    every = [marked[start : start + n] for start in range(len(marked)) for n in sizes if start + n <= len(marked)]
    return [gram for gram in every if gram not in ("<", ">") or gram in word]


@alternative("char_ngrams")
def char_ngrams(word, smallest=3, largest=6):
    marked = f"<{word}>"

    def from_here(start):
        if start == len(marked):
            return []
        ends = range(start + smallest, 1 + min(start + largest, len(marked)))
        alone = start in (0, len(marked) - 1)
        return [marked[start:end] for end in ends if not (alone and end == start + 1)] + from_here(start + 1)

    return from_here(0)


# fnv1a


@mistake("fnv1a", "multiplied before XOR: that is FNV-1, not FNV-1a", "test_ascii_has_the_values_of_plain_fnv1a")
def fnv1a(text):
    value = 2166136261
    for byte in text.encode("utf-8"):
        if byte >= 128:
            byte |= 0xFFFFFF00
        value = ((value * 16777619) % 2**32) ^ byte
    return value


@mistake(
    "fnv1a",
    "bytes from 128 on are read as unsigned: the authors' program reads them with a sign",
    "test_bytes_from_128_on_are_signed",
)
def fnv1a(text):
    value = 2166136261
    for byte in text.encode("utf-8"):
        value = ((value ^ byte) * 16777619) % 2**32
    return value


@mistake("fnv1a", "characters are hashed, not the bytes of UTF-8", "test_bytes_from_128_on_are_signed")
def fnv1a(text):
    value = 2166136261
    for character in text:
        value = ((value ^ ord(character)) * 16777619) % 2**32
    return value


@mistake("fnv1a", "the value is not cut to 32 bits", "test_ascii_has_the_values_of_plain_fnv1a")
def fnv1a(text):
    value = 2166136261
    for byte in text.encode("utf-8"):
        if byte >= 128:
            byte |= 0xFFFFFF00
        value = (value ^ byte) * 16777619
    return value


@mistake("fnv1a", "it starts with 0: the first value is 2166136261", "test_ascii_has_the_values_of_plain_fnv1a")
def fnv1a(text):
    value = 0
    for byte in text.encode("utf-8"):
        if byte >= 128:
            byte |= 0xFFFFFF00
        value = ((value ^ byte) * 16777619) % 2**32
    return value


@alternative("fnv1a")
def fnv1a(text):
    value = 0x811C9DC5
    for byte in np.frombuffer(text.encode(), dtype=np.int8).tolist():
        value = (value ^ (byte & 0xFFFFFFFF)) * 0x01000193 & 0xFFFFFFFF
    return value


@alternative("fnv1a")
def fnv1a(text):
    from functools import reduce

    signed = (byte - 256 if byte > 127 else byte for byte in text.encode())
    return reduce(lambda value, byte: (value ^ byte % 2**32) * 16777619 % 2**32, signed, 2166136261)


# subword_rows


@mistake(
    "subword_rows",
    "the buckets begin at 0, on top of the words' own rows: they begin after them",
    "test_a_known_word_has_its_own_row_first",
)
def subword_rows(word, index, buckets, smallest=3, largest=6):
    own = [index[word]] if word in index else []
    return own + [fnv1a(gram) % buckets for gram in char_ngrams(word, smallest, largest)]


@mistake("subword_rows", "the word's own row is missing", "test_a_known_word_has_its_own_row_first")
def subword_rows(word, index, buckets, smallest=3, largest=6):
    return [len(index) + fnv1a(gram) % buckets for gram in char_ngrams(word, smallest, largest)]


@mistake(
    "subword_rows",
    "an unknown word is given row 0, which is another word's",
    "test_an_unknown_word_has_its_ngrams_alone",
)
def subword_rows(word, index, buckets, smallest=3, largest=6):
    return [index.get(word, 0)] + [len(index) + fnv1a(gram) % buckets for gram in char_ngrams(word, smallest, largest)]


@mistake(
    "subword_rows", "rows that occur twice are listed once: keep both", "test_rows_that_occur_twice_are_listed_twice"
)
def subword_rows(word, index, buckets, smallest=3, largest=6):
    own = [index[word]] if word in index else []
    rows = [len(index) + fnv1a(gram) % buckets for gram in char_ngrams(word, smallest, largest)]
    return list(dict.fromkeys(own + rows))


@mistake(
    "subword_rows",
    "V is added before the remainder is taken, so the rows of words are hit",
    "test_a_known_word_has_its_own_row_first",
)
def subword_rows(word, index, buckets, smallest=3, largest=6):
    own = [index[word]] if word in index else []
    return own + [(len(index) + fnv1a(gram)) % buckets for gram in char_ngrams(word, smallest, largest)]


@alternative("subword_rows")
def subword_rows(word, index, buckets, smallest=3, largest=6):
    rows = []
    if word in index:
        rows.append(index[word])
    for gram in char_ngrams(word, smallest, largest):
        rows.append(len(index) + fnv1a(gram) - fnv1a(gram) // buckets * buckets)
    return rows


@alternative("subword_rows")
def subword_rows(word, index, buckets, smallest=3, largest=6):
    hashes = np.array([fnv1a(gram) for gram in char_ngrams(word, smallest, largest)], dtype=np.int64)
    return [index[w] for w in (word,) if w in index] + (hashes % buckets + len(index)).tolist()


# compose


@mistake("compose", "this is the mean of the rows: the paper takes their sum", "test_a_vector_is_the_sum_of_its_rows")
def compose(table, bags):
    return torch.stack([table[bag].mean(dim=0) if bag else torch.zeros(table.shape[1]) for bag in bags])


@mistake("compose", "a row that occurs twice in a bag is added once", "test_a_vector_is_the_sum_of_its_rows")
def compose(table, bags):
    return torch.stack([table[sorted(set(bag))].sum(dim=0) for bag in bags])


@mistake(
    "compose",
    "an empty bag has no vector here, so the ones after it move up: its vector is 0",
    "test_an_empty_bag_is_zero",
)
def compose(table, bags):
    return torch.stack([table[bag].sum(dim=0) for bag in bags if bag])


@mistake(
    "compose",
    "the rows are padded with row 0, which is then added: padding must not count",
    "test_a_vector_is_the_sum_of_its_rows",
)
def compose(table, bags):
    longest = max(len(bag) for bag in bags)
    padded = torch.tensor([bag + [0] * (longest - len(bag)) for bag in bags])
    return table[padded].sum(dim=1)


@mistake(
    "compose",
    "the table was detached, so nothing is learnt: gradients must flow back into it",
    "test_gradients_can_flow_back_into_the_table",
)
def compose(table, bags):
    fixed = table.detach()
    return torch.stack([fixed[torch.tensor(bag, dtype=torch.long)].sum(dim=0) for bag in bags])


@alternative("compose")
def compose(table, bags):
    return torch.stack([table[torch.tensor(bag, dtype=torch.long)].sum(dim=0) for bag in bags])


@alternative("compose")
def compose(table, bags):
    counts = torch.zeros(len(bags), len(table))
    for i, bag in enumerate(bags):
        for row in bag:
            counts[i, row] += 1
    return counts.to(table) @ table


@alternative("compose")
def compose(table, bags):
    rows = torch.tensor([row for bag in bags for row in bag], dtype=torch.long)
    owner = torch.tensor([i for i, bag in enumerate(bags) for _ in bag], dtype=torch.long)
    return torch.zeros(len(bags), table.shape[1]).index_add(0, owner, table[rows])


# subword_loss


@mistake(
    "subword_loss",
    "the noise's scores keep their sign: a negative is pushed away, log σ(−s)",
    "test_real_contexts_are_drawn_near_and_negatives_pushed_away",
)
def subword_loss(table, contexts, bags, center, context, negatives):
    vectors = compose(table, bags)[center]
    real = (vectors * contexts[context]).sum(dim=1)
    noise = torch.einsum("bd,bkd->bk", vectors, contexts[negatives])
    return -(logsigmoid(real) + logsigmoid(noise).sum(dim=1)).mean()


@mistake("subword_loss", "negatives are averaged: they are summed", "test_zero_contexts_give_one_ln_2_for_each_term")
def subword_loss(table, contexts, bags, center, context, negatives):
    vectors = compose(table, bags)[center]
    real = (vectors * contexts[context]).sum(dim=1)
    noise = torch.einsum("bd,bkd->bk", vectors, contexts[negatives])
    return -(logsigmoid(real) + logsigmoid(-noise).mean(dim=1)).mean()


@mistake(
    "subword_loss", "pairs are summed: the loss is their mean", "test_the_mean_is_over_pairs_and_the_sum_over_negatives"
)
def subword_loss(table, contexts, bags, center, context, negatives):
    vectors = compose(table, bags)[center]
    real = (vectors * contexts[context]).sum(dim=1)
    noise = torch.einsum("bd,bkd->bk", vectors, contexts[negatives])
    return -(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).sum()


@mistake(
    "subword_loss",
    "the centre is taken from the table's own row alone: it is made of all its pieces",
    "test_real_contexts_are_drawn_near_and_negatives_pushed_away",
)
def subword_loss(table, contexts, bags, center, context, negatives):
    vectors = table[center]
    real = (vectors * contexts[context]).sum(dim=1)
    noise = torch.einsum("bd,bkd->bk", vectors, contexts[negatives])
    return -(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean()


@mistake(
    "subword_loss",
    "contexts are made of pieces too: only the centre is",
    "test_zero_contexts_give_one_ln_2_for_each_term",
)
def subword_loss(table, contexts, bags, center, context, negatives):
    every = compose(table, bags)
    vectors = every[center]
    real = (vectors * every[context]).sum(dim=1)
    noise = torch.einsum("bd,bkd->bk", vectors, every[negatives])
    return -(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean()


@mistake(
    "subword_loss",
    "a plain number comes back, from which nothing can be learnt: leave the loss a tensor",
    "test_the_loss_is_a_scalar_tensor_that_both_tables_learn_from",
)
def subword_loss(table, contexts, bags, center, context, negatives):
    vectors = compose(table, bags)[center]
    real = (vectors * contexts[context]).sum(dim=1)
    noise = torch.einsum("bd,bkd->bk", vectors, contexts[negatives])
    return -(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean().item()


@mistake(
    "subword_loss",
    "the contexts were detached, so they stay where they are: both tables learn",
    "test_the_loss_is_a_scalar_tensor_that_both_tables_learn_from",
)
def subword_loss(table, contexts, bags, center, context, negatives):
    vectors, fixed = compose(table, bags)[center], contexts.detach()
    real = (vectors * fixed[context]).sum(dim=1)
    noise = torch.einsum("bd,bkd->bk", vectors, fixed[negatives])
    return -(logsigmoid(real) + logsigmoid(-noise).sum(dim=1)).mean()


@alternative("subword_loss")
def subword_loss(table, contexts, bags, center, context, negatives):
    vectors = compose(table, bags)[center]
    words = torch.cat([context[:, None], negatives], dim=1)
    scores = (contexts[words] @ vectors[:, :, None])[:, :, 0]
    signs = torch.ones_like(scores)
    signs[:, 1:] = -1
    return torch.nn.functional.softplus(-signs * scores).sum() / len(center)


@alternative("subword_loss")
def subword_loss(table, contexts, bags, center, context, negatives):
    every = compose(table, bags)
    losses = []
    for word, real, noise in zip(center.tolist(), context.tolist(), negatives.tolist()):
        loss = -logsigmoid(every[word] @ contexts[real])
        for other in noise:
            loss = loss - logsigmoid(-(every[word] @ contexts[other]))
        losses.append(loss)
    return torch.stack(losses).mean()


# train_subwords


@mistake(
    "train_subwords", "the optimizer never steps, so nothing is learnt", "test_training_brings_real_pairs_together"
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.multinomial(noise, len(part) * negatives, replacement=True, generator=generator)
            subword_loss(table, contexts, bags, center, context, drawn.view(-1, negatives)).backward()
    return table.detach()


@mistake(
    "train_subwords",
    "the loss is climbed, not descended: its sign is wrong",
    "test_training_lowers_the_loss_of_what_was_seen",
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr, maximize=True)
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.multinomial(noise, len(part) * negatives, replacement=True, generator=generator)
            loss = subword_loss(table, contexts, bags, center, context, drawn.view(-1, negatives))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table.detach()


@mistake(
    "train_subwords", "negatives are drawn without the generator, so the seed does not decide", "test_the_seed_decides"
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.multinomial(noise, len(part) * negatives, replacement=True)
            loss = subword_loss(table, contexts, bags, center, context, drawn.view(-1, negatives))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table.detach()


@mistake(
    "train_subwords", "the table comes back with its gradient attached", "test_the_table_has_its_shape_and_no_gradient"
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.multinomial(noise, len(part) * negatives, replacement=True, generator=generator)
            loss = subword_loss(table, contexts, bags, center, context, drawn.view(-1, negatives))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table


@mistake(
    "train_subwords",
    "the vectors of the words come back: the table of their rows is asked for",
    "test_the_table_has_its_shape_and_no_gradient",
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.multinomial(noise, len(part) * negatives, replacement=True, generator=generator)
            loss = subword_loss(table, contexts, bags, center, context, drawn.view(-1, negatives))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return compose(table, bags).detach()


@mistake(
    "train_subwords",
    "negatives are drawn uniformly: they are drawn in proportion to noise, the counts to the power 3/4",
    "test_company_with_everybody_alike_teaches_little",
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.randint(len(counts), (len(part), negatives), generator=generator)
            loss = subword_loss(table, contexts, bags, center, context, drawn)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table.detach()


@mistake(
    "train_subwords",
    "negatives are drawn in proportion to the counts: noise has their power 3/4",
    "test_company_with_everybody_alike_teaches_little",
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.multinomial(counts.float(), len(part) * negatives, replacement=True, generator=generator)
            loss = subword_loss(table, contexts, bags, center, context, drawn.view(-1, negatives))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table.detach()


@mistake(
    "train_subwords",
    "the power 3/4 is taken twice: noise has it already",
    "test_company_with_everybody_alike_teaches_little",
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.multinomial(noise**0.75, len(part) * negatives, replacement=True, generator=generator)
            loss = subword_loss(table, contexts, bags, center, context, drawn.view(-1, negatives))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table.detach()


@mistake(
    "train_subwords",
    "the contexts of other pairs of the batch serve as negatives: they are drawn from noise",
    "test_company_with_everybody_alike_teaches_little",
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.stack([context.roll(i + 1) for i in range(negatives)], dim=1)
            loss = subword_loss(table, contexts, bags, center, context, drawn)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table.detach()


@mistake(
    "train_subwords",
    "one negative is drawn for each pair, whatever `negatives` says",
    "test_more_negatives_push_further",
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.multinomial(noise, len(part), replacement=True, generator=generator)
            loss = subword_loss(table, contexts, bags, center, context, drawn[:, None])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table.detach()


@mistake(
    "train_subwords",
    "five negatives are drawn for each pair, whatever `negatives` says",
    "test_company_with_everybody_alike_teaches_little",
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            center, context = pairs[part].T
            drawn = torch.multinomial(noise, len(part) * 5, replacement=True, generator=generator)
            loss = subword_loss(table, contexts, bags, center, context, drawn.view(-1, 5))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table.detach()


@mistake(
    "train_subwords",
    "centre and context are exchanged: the first word of a pair is the centre",
    "test_the_first_word_of_a_pair_is_the_centre",
)
def train_subwords(pairs, counts, bags, rows, dim=32, negatives=5, epochs=5, lr=0.01, batch=2048, seed=0):
    generator = torch.Generator().manual_seed(seed)
    table = ((torch.rand(rows, dim, generator=generator) - 0.5) / dim).requires_grad_()
    contexts = torch.zeros(len(counts), dim, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=lr)
    noise = counts.double() ** 0.75
    for _ in range(epochs):
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            context, center = pairs[part].T
            drawn = torch.multinomial(noise, len(part) * negatives, replacement=True, generator=generator)
            loss = subword_loss(table, contexts, bags, center, context, drawn.view(-1, negatives))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return table.detach()


@alternative("train_subwords")
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


@alternative("train_subwords")
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


# overlaps


@mistake(
    "overlaps",
    "divided by the first word's pieces: Jaccard's index divides by the union",
    "test_the_overlap_is_shared_pieces_over_all_pieces",
)
def overlaps(words, others, smallest=3, largest=6):
    left = [set(char_ngrams(word, smallest, largest)) for word in words]
    right = [set(char_ngrams(word, smallest, largest)) for word in others]
    return torch.tensor([[len(a & b) / max(1, len(a)) for b in right] for a in left])


@mistake(
    "overlaps", "pieces that stand twice count twice: the overlap is of sets", "test_pieces_that_stand_twice_count_once"
)
def overlaps(words, others, smallest=3, largest=6):
    left = [Counter(char_ngrams(word, smallest, largest)) for word in words]
    right = [Counter(char_ngrams(word, smallest, largest)) for word in others]
    return torch.tensor([[(a & b).total() / max(1, (a | b).total()) for b in right] for a in left])


@mistake(
    "overlaps",
    "twice the intersection over the sum of the sizes is Dice's coefficient: Jaccard's divides by the union",
    "test_the_overlap_is_shared_pieces_over_all_pieces",
)
def overlaps(words, others, smallest=3, largest=6):
    left = [set(char_ngrams(word, smallest, largest)) for word in words]
    right = [set(char_ngrams(word, smallest, largest)) for word in others]
    return torch.tensor([[2 * len(a & b) / max(1, len(a) + len(b)) for b in right] for a in left])


@mistake(
    "overlaps",
    "rows and columns are exchanged: a row for each of the words, a column for each of the others",
    "test_the_overlap_is_shared_pieces_over_all_pieces",
)
def overlaps(words, others, smallest=3, largest=6):
    left = [set(char_ngrams(word, smallest, largest)) for word in words]
    right = [set(char_ngrams(word, smallest, largest)) for word in others]
    return torch.tensor([[len(a & b) / max(1, len(a | b)) for a in left] for b in right])


@mistake(
    "overlaps",
    "0 divided by 0 for words without pieces: their overlap is 0",
    "test_words_without_pieces_overlap_with_nothing",
)
def overlaps(words, others, smallest=3, largest=6):
    left = [set(char_ngrams(word, smallest, largest)) for word in words]
    right = [set(char_ngrams(word, smallest, largest)) for word in others]
    both = torch.tensor([[float(len(a & b)) for b in right] for a in left])
    return both / torch.tensor([[float(len(a | b)) for b in right] for a in left])


@alternative("overlaps")
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


@alternative("overlaps")
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


# neighbour_accuracy


@mistake("neighbour_accuracy", "words that are not allowed take part", "test_the_best_allowed_word_counts")
def neighbour_accuracy(scores, allowed, right):
    best = scores == scores.amax(dim=1, keepdim=True)
    return float(((best & right).sum(dim=1) / best.sum(dim=1)).mean())


@mistake(
    "neighbour_accuracy",
    "the first of the best words is taken: a tie counts by its share of right ones",
    "test_a_tie_counts_by_its_share",
)
def neighbour_accuracy(scores, allowed, right):
    best = scores.masked_fill(~allowed, -torch.inf).argmax(dim=1)
    return float(right[torch.arange(len(scores)), best].float().mean())


@mistake(
    "neighbour_accuracy",
    "scores of words that are not allowed are multiplied to 0, which beats a score below 0",
    "test_scores_below_zero_are_scores",
)
def neighbour_accuracy(scores, allowed, right):
    scores = scores * allowed
    best = scores == scores.amax(dim=1, keepdim=True)
    return float(((best & right).sum(dim=1) / best.sum(dim=1)).mean())


@mistake(
    "neighbour_accuracy",
    "a tie counts as right if any of the best is right: it counts by their share",
    "test_a_tie_counts_by_its_share",
)
def neighbour_accuracy(scores, allowed, right):
    scores = scores.masked_fill(~allowed, -torch.inf)
    best = allowed & (scores == scores.amax(dim=1, keepdim=True))
    return float((best & right).any(dim=1).float().mean())


@mistake(
    "neighbour_accuracy",
    "right words are counted among all best words of all queries together: each query counts alike",
    "test_many_queries_agree_with_a_loop",
)
def neighbour_accuracy(scores, allowed, right):
    scores = scores.masked_fill(~allowed, -torch.inf)
    best = allowed & (scores == scores.amax(dim=1, keepdim=True))
    return float((best & right).sum() / best.sum())


@alternative("neighbour_accuracy")
def neighbour_accuracy(scores, allowed, right):
    total = 0.0
    for row, may, good in zip(scores.tolist(), allowed.tolist(), right.tolist()):
        top = max(score for score, ok in zip(row, may) if ok)
        best = [yes for score, ok, yes in zip(row, may, good) if ok and score == top]
        total += sum(best) / len(best)
    return total / len(scores)


@alternative("neighbour_accuracy")
def neighbour_accuracy(scores, allowed, right):
    masked = np.where(allowed.numpy(), scores.numpy(), -np.inf)
    best = masked == masked.max(axis=1, keepdims=True)
    return np.average((best & right.numpy()).sum(axis=1) / best.sum(axis=1))


# to_jamo


@mistake(
    "to_jamo",
    "28 finals count the empty one: the finals' numbers are off by one",
    "test_syllables_fall_into_their_letters",
)
def to_jamo(text):
    found = []
    for character in text:
        if not "가" <= character <= "힣":
            found.append(character)
            continue
        rest, final = divmod(ord(character) - 0xAC00, 28)
        initial, vowel = divmod(rest, 21)
        found += [chr(0x1100 + initial), chr(0x1161 + vowel)]
        if final:
            found.append(chr(0x11A8 + final))
    return "".join(found)


@mistake(
    "to_jamo",
    "a syllable without a final gets one (U+11A7): number 0 means none",
    "test_syllables_fall_into_their_letters",
)
def to_jamo(text):
    found = []
    for character in text:
        if not "가" <= character <= "힣":
            found.append(character)
            continue
        rest, final = divmod(ord(character) - 0xAC00, 28)
        initial, vowel = divmod(rest, 21)
        found += [chr(0x1100 + initial), chr(0x1161 + vowel), chr(0x11A7 + final)]
    return "".join(found)


@mistake("to_jamo", "the last syllable, 힣, is left out of the range", "test_the_first_and_the_last_syllable")
def to_jamo(text):
    return "".join(unicodedata.normalize("NFD", c) if 0xAC00 <= ord(c) < 0xD7A3 else c for c in text)


@mistake("to_jamo", "everything is decomposed (é too): only syllables are", "test_all_else_stays_as_it_is")
def to_jamo(text):
    return unicodedata.normalize("NFD", text)


@mistake(
    "to_jamo",
    "compatibility letters (ㄴ, U+3134) in place of conjoining ones, so initials and finals look alike",
    "test_syllables_fall_into_their_letters",
)
def to_jamo(text):
    initials = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
    finals = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
    found = []
    for character in text:
        if not "가" <= character <= "힣":
            found.append(character)
            continue
        rest, final = divmod(ord(character) - 0xAC00, 28)
        initial, vowel = divmod(rest, 21)
        found.append((initials[initial] + chr(0x314F + vowel) + finals[final]).strip())
    return "".join(found)


@alternative("to_jamo")
def to_jamo(text):
    import unicodedata

    return "".join(unicodedata.normalize("NFD", c) if "\uac00" <= c <= "\ud7a3" else c for c in text)


@alternative("to_jamo")
def to_jamo(text):
    import re

    def letters(match):
        code = ord(match[0]) - 0xAC00
        final = code % 28
        return chr(0x1100 + code // 588) + chr(0x1161 + code % 588 // 28) + (chr(0x11A7 + final) if final else "")

    return re.sub("[가-힣]", letters, text)


# What no check can tell from a right answer.

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
