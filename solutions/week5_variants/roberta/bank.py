"""roberta: classic mistakes and other right ways, for each exercise. Never released."""

import random

import numpy as np
import torch
from torch.nn import functional

from etude.models.bert import IGNORED
from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# position_ids
@alternative("position_ids", "where")
def position_ids(tokens, padding):
    words = tokens.ne(padding)
    return torch.where(words, torch.cumsum(words, 1) + padding, torch.full_like(tokens, padding))


@alternative("position_ids", "loops")
def position_ids(tokens, padding):
    found = torch.full(tokens.shape, padding)
    for row in range(tokens.shape[0]):
        place = padding
        for column in range(tokens.shape[1]):
            if tokens[row, column] != padding:
                place += 1
                found[row, column] = place
    return found


@alternative("position_ids", "numpy")
def position_ids(tokens, padding):
    words = (tokens.numpy() != padding).astype(np.int64)
    return torch.from_numpy(np.where(words == 1, words.cumsum(axis=-1) + padding, padding))


edit("position_ids", "padding-counts-on", {" * words + padding": " + padding"},
     "padding has the position of the last word before it: it has its own number",
     killed_by="test_words_count_from_padding_plus_one")
edit("position_ids", "from-zero", {"words.cumsum(dim=1) * words + padding": "(words.cumsum(dim=1) - 1).clamp(min=0) * words"},
     "positions begin at 0, as BERT's do: here at padding + 1", killed_by="test_words_count_from_padding_plus_one")
edit("position_ids", "padding-at-zero", {"words.cumsum(dim=1) * words + padding": "(words.cumsum(dim=1) + padding) * words"},
     "padding has position 0: it has its own number", killed_by="test_words_count_from_padding_plus_one")
edit("position_ids", "one-too-late", {"* words + padding": "* words + padding + 1"},
     "the first word has position padding + 2, and padding is moved too", killed_by="test_words_count_from_padding_plus_one")
edit("position_ids", "begins-at-padding", {"words.cumsum(dim=1) * words + padding": "(words.cumsum(dim=1) - 1) * words + padding"},
     "the first word shares its position with padding", killed_by="test_words_count_from_padding_plus_one")
edit("position_ids", "places-in-the-row", {"words.cumsum(dim=1) * words + padding": "(torch.arange(tokens.shape[1]) + 1) * words + padding"},
     "places in the row are counted, padding included: count words", killed_by="test_padding_may_stand_in_front")
edit("position_ids", "down-the-batch", {"cumsum(dim=1)": "cumsum(dim=0)"},
     "the sum runs over the texts of the batch, not along a text", killed_by="test_words_count_from_padding_plus_one")
edit("position_ids", "always-two", {"* words + padding": "* words + 1"},
     "the positions begin at 2 whatever padding is: they begin at padding + 1", killed_by="test_another_padding_moves_all_positions")
edit("position_ids", "padding-is-one", {"tokens != padding": "tokens != 1"},
     "1 is taken for padding whatever the argument says", killed_by="test_another_padding_moves_all_positions")
edit("position_ids", "floats", {"(tokens != padding).long()": "(tokens != padding).float()"},
     "positions are row numbers of a table: whole numbers, not floats", killed_by="test_words_count_from_padding_plus_one")


# whole_characters
@alternative("whole_characters", "decode-each-beginning")
def whole_characters(tokens):
    found, text = [], b""
    for token in tokens:
        text += token
        try:
            text.decode("utf-8")
            found.append(True)
        except UnicodeDecodeError:
            found.append(False)
    return found


@alternative("whole_characters", "set-of-ends")
def whole_characters(tokens):
    ends, place = {0}, 0
    for character in b"".join(tokens).decode():
        place += len(character.encode())
        ends.add(place)
    return [int(one) in ends for one in np.cumsum([len(token) for token in tokens])]


@alternative("whole_characters", "bytes-still-missing")
def whole_characters(tokens):
    missing, found = 0, []
    for token in tokens:
        for byte in token:
            if missing:
                missing -= 1
            elif byte >= 0xF0:
                missing = 3
            elif byte >= 0xE0:
                missing = 2
            elif byte >= 0xC0:
                missing = 1
        found.append(missing == 0)
    return found


@mistake("whole_characters", "each-alone", "a token is judged alone: the last part of a character ends it, too",
         killed_by="test_a_syllable_ends_with_its_third_byte")
def whole_characters(tokens):
    found = []
    for token in tokens:
        try:
            token.decode("utf-8")
            found.append(True)
        except UnicodeDecodeError:
            found.append(False)
    return found


@mistake("whole_characters", "last-byte-is-ascii", "only characters below 128 are seen to end",
         killed_by="test_a_syllable_ends_with_its_third_byte")
def whole_characters(tokens):
    return [not token or token[-1] < 128 for token in tokens]


@mistake("whole_characters", "last-byte-goes-on", "a byte 10…… is not always the last of its character",
         killed_by="test_a_syllable_ends_with_its_third_byte")
def whole_characters(tokens):
    return [not token or token[-1] < 0xC0 for token in tokens]


@mistake("whole_characters", "begins-whole", "this says whether a character begins where the token begins",
         killed_by="test_a_syllable_ends_with_its_third_byte")
def whole_characters(tokens):
    return [not token or token[0] & 0xC0 != 0x80 for token in tokens]


@mistake("whole_characters", "next-token-empty", "an empty token after this one has no first byte: look at the next byte of the text",
         killed_by="test_empty_tokens_end_where_the_one_before_ended")
def whole_characters(tokens):
    found = []
    for place in range(len(tokens)):
        after = tokens[place + 1] if place + 1 < len(tokens) else b""
        found.append(not after or after[0] & 0xC0 != 0x80)
    return found


@mistake("whole_characters", "replacement-sign", "the text so far is decoded with errors=\"ignore\": that hides the part of a character",
         killed_by="test_a_syllable_ends_with_its_third_byte")
def whole_characters(tokens):
    found, text = [], b""
    for token in tokens:
        text += token
        found.append("\ufffd" not in text.decode("utf-8", errors="ignore"))
    return found


@mistake("whole_characters", "three-bytes", "not every character has three bytes", killed_by="test_a_token_may_hold_whole_characters_and_a_part_of_one")
def whole_characters(tokens):
    found, high = [], 0
    for token in tokens:
        high += sum(byte >= 128 for byte in token)
        found.append(high % 3 == 0)
    return found


edit("whole_characters", "wrong-mask", {"& 0xC0 != 0x80": "& 0x80 != 0x80"},
     "the first byte of a character of several bytes begins with a 1, too", killed_by="test_whole_words_end_whole_characters")
edit("whole_characters", "end-of-text", {"place == len(text) or text[place] & 0xC0 != 0x80": "place < len(text) and text[place] & 0xC0 != 0x80"},
     "the last character ends with the text", killed_by="test_a_syllable_ends_with_its_third_byte")


# chosen_places
@alternative("chosen_places", "own-torch-generator")
def chosen_places(text, length, epoch, copies, seed, rate=0.15):
    import hashlib

    number = epoch % copies if copies else epoch
    key = hashlib.sha256(f"{seed}/{text}/{number}".encode()).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(key[:6], "big"))
    order = torch.rand(length, generator=generator).argsort()
    found = torch.zeros(length).bool()
    found[order[: max(1, round(length * rate))]] = True
    return found


@alternative("chosen_places", "numpy-seed-sequence")
def chosen_places(text, length, epoch, copies, seed, rate=0.15):
    if copies is not None:
        epoch %= copies
    places = np.random.default_rng([seed, text, epoch]).permutation(length)
    return torch.from_numpy(places < max(1, round(rate * length)))


@alternative("chosen_places", "shuffled-bools")
def chosen_places(text, length, epoch, copies, seed, rate=0.15):
    count = max(1, round(rate * length))
    bools = [True] * count + [False] * (length - count)
    random.Random(str((seed, text, epoch if copies is None else epoch - copies * (epoch // copies)))).shuffle(bools)
    return torch.tensor(bools)


@alternative("chosen_places", "all-masks-of-a-text")
def chosen_places(text, length, epoch, copies, seed, rate=0.15):
    chance = random.Random(f"text {text}, seed {seed}")
    for _ in range(1 + (epoch if copies is None else epoch % copies)):
        places = set(chance.sample(range(length), max(1, round(rate * length))))
    return torch.tensor([place in places for place in range(length)])


edit("chosen_places", "copies-forgotten", {"epoch if copies is None else epoch % copies": "epoch"},
     "every epoch has a new mask, whatever copies says", killed_by="test_one_copy_is_one_mask_for_ever")
edit("chosen_places", "always-static", {"epoch if copies is None else epoch % copies": "0"},
     "every epoch has the same mask", killed_by="test_a_dynamic_mask_is_new_in_every_epoch")
edit("chosen_places", "none-is-one", {"copies is None else epoch % copies": "copies is None and epoch < 1 else epoch % (copies or 1)"},
     "copies None is taken for one copy", killed_by="test_a_dynamic_mask_is_new_in_every_epoch")
edit("chosen_places", "blocks-of-epochs", {"epoch % copies": "epoch // copies"},
     "copies says how long one mask is used: it says how many there are", killed_by="test_one_copy_is_one_mask_for_ever")
edit("chosen_places", "copies-in-blocks", {"epoch % copies": "epoch // 4 % copies"},
     "each copy is read four times in a row: they take turns", killed_by="test_of_ten_copies_each_is_read_four_times_in_40_epochs")
edit("chosen_places", "one-mask-too-many", {"epoch % copies": "epoch % (copies + 1)"},
     "there is one mask more than copies says", killed_by="test_one_copy_is_one_mask_for_ever")
edit("chosen_places", "sum-of-numbers", {'f"{seed} {text} {number}"': "seed + text + number"},
     "the numbers are added: text 1 in epoch 0 has the mask of text 0 in epoch 1", killed_by="test_no_two_texts_epochs_or_seeds_share_a_mask")
edit("chosen_places", "product-of-numbers", {'f"{seed} {text} {number}"': "(seed + 1) * (text + 1) * (number + 1)"},
     "the numbers are multiplied, so that many texts and epochs share a mask", killed_by="test_no_two_texts_epochs_or_seeds_share_a_mask")
edit("chosen_places", "joined-numbers", {'f"{seed} {text} {number}"': 'f"{seed}{text}{number}"'},
     "the numbers are joined without a gap: text 1, epoch 11 reads as text 11, epoch 1", killed_by="test_no_two_texts_epochs_or_seeds_share_a_mask")
edit("chosen_places", "without-text", {'f"{seed} {text} {number}"': 'f"{seed} {number}"'},
     "all texts have the same mask", killed_by="test_texts_and_seeds_have_masks_of_their_own")
edit("chosen_places", "without-seed", {'f"{seed} {text} {number}"': 'f"{text} {number}"'},
     "all seeds give the same mask", killed_by="test_texts_and_seeds_have_masks_of_their_own")
edit("chosen_places", "not-repeatable", {'random.Random(f"{seed} {text} {number}")': "random"},
     "the mask cannot be drawn again: seed a generator of your own", killed_by="test_the_same_arguments_give_the_same_mask")
edit("chosen_places", "coins", {"chosen[places] = True": 'chosen |= torch.tensor([random.Random(f"{seed} {text} {number} {i}").random() < rate for i in range(length)])'},
     "each token is chosen by its own coin, so their number varies", killed_by="test_a_share_of_the_tokens_is_chosen")
edit("chosen_places", "at-least-one-forgotten", {"max(1, round(rate * length))": "round(rate * length)"},
     "a short text has no chosen token: it has at least one", killed_by="test_a_share_of_the_tokens_is_chosen")
edit("chosen_places", "rounded-down", {"round(rate * length)": "int(rate * length + 1e-9)"},
     "the number is rounded down, not to the nearest", killed_by="test_any_text_has_its_share_and_its_turn")
edit("chosen_places", "rate-ignored", {"round(rate * length)": "round(0.15 * length)"},
     "the rate is .15 whatever the argument says", killed_by="test_a_share_of_the_tokens_is_chosen")
edit("chosen_places", "with-replacement", {".sample(range(length), count)": ".choices(range(length), k=count)"},
     "a place may be drawn twice, so fewer than the share are chosen", killed_by="test_any_text_has_its_share_and_its_turn")
edit("chosen_places", "side-by-side", {'places = random.Random(f"{seed} {text} {number}").sample(range(length), count)':
     'first = random.Random(f"{seed} {text} {number}").randrange(length - count + 1)\n    places = list(range(first, first + count))'},
     "the chosen tokens stand side by side: each place is drawn by itself", killed_by="test_every_place_is_equally_likely")
edit("chosen_places", "last-never", {"sample(range(length), count)": "sample(range(max(count, length - 1)), count)"},
     "the last token is never chosen", killed_by="test_every_place_is_equally_likely")
edit("chosen_places", "places-not-bools", {"return chosen": "return torch.tensor(sorted(places))"},
     "places are returned: a bool for each token was asked for", killed_by="test_a_share_of_the_tokens_is_chosen")
edit("chosen_places", "the-others", {"return chosen": "return ~chosen"},
     "True stands where nothing is asked", killed_by="test_a_share_of_the_tokens_is_chosen")


# full_sentences
@alternative("full_sentences", "units-first")
def full_sentences(documents, length, begin=0, end=2):
    units = [(number, s[: length - 2]) for number, document in enumerate(documents) for s in document]
    inputs, current, last = [], [begin], None
    for number, sentence in units:
        extra = [end] + sentence if last is not None and last != number else list(sentence)
        if len(current) + len(extra) + 1 <= length:
            current += extra
        else:
            inputs.append(current + [end])
            current = [begin] + list(sentence)
        last = number
    if last is not None:
        inputs.append(current + [end])
    return inputs


@alternative("full_sentences", "groups-of-documents")
def full_sentences(documents, length, begin=0, end=2):
    def size(group):
        return 1 + sum(1 + sum(map(len, part)) for part in group)

    groups = []
    for document in documents:
        fresh = True  # nothing of this document is in the last group
        for sentence in document:
            short = sentence[: length - 2]
            more = len(short) + fresh
            if not groups or size(groups[-1]) + more > length:
                groups.append([[short]])
            elif fresh:
                groups[-1].append([short])
            else:
                groups[-1][-1].append(short)
            fresh = False
    return [[begin] + [i for part in group for i in [*(t for one in part for t in one), end]] for group in groups]


edit("full_sentences", "no-separator", {"separator = [end]": "separator = []"},
     "nothing stands between two documents", killed_by="test_a_separator_stands_between_two_documents")
edit("full_sentences", "separator-after-each-sentence", {"separator = []": "pass"},
     "a separator stands between all sentences: only between documents", killed_by="test_sentences_follow_each_other_up_to_the_length")
edit("full_sentences", "separator-is-free", {"len(tokens) + len(between) + len(sentence)": "len(tokens) + len(sentence)"},
     "the separator is not counted, and the input is one too long", killed_by="test_the_separator_takes_room")
edit("full_sentences", "separator-in-front", {"tokens, between = [], []": "tokens = []"},
     "a new input begins with a separator", killed_by="test_the_separator_takes_room")
edit("full_sentences", "special-tokens-are-free", {"> length - 2": "> length"},
     "<s> and </s> are not counted: N counts them", killed_by="test_sentences_follow_each_other_up_to_the_length")
edit("full_sentences", "never-quite-full", {"> length - 2": ">= length - 2"},
     "an input of just N tokens is thought too long", killed_by="test_sentences_follow_each_other_up_to_the_length")
edit("full_sentences", "last-lost", {"[*inputs, [begin, *tokens, end]] if tokens else inputs": "inputs"},
     "the last input is never returned", killed_by="test_sentences_follow_each_other_up_to_the_length")
edit("full_sentences", "not-cut", {"sentence = sentence[: length - 2]": "pass"},
     "a sentence of more than N − 2 tokens makes an input that is too long", killed_by="test_a_sentence_that_is_too_long_is_cut")
edit("full_sentences", "cut-to-n", {"sentence[: length - 2]": "sentence[:length]"},
     "a long sentence is cut to N tokens: two of these are for <s> and </s>", killed_by="test_a_sentence_that_is_too_long_is_cut")
edit("full_sentences", "empty-input", {" if tokens else inputs": ""},
     "there is an input without any sentence", killed_by="test_documents_without_sentences_leave_no_trace")
edit("full_sentences", "fixed-end", {"separator = [end]": "separator = [2]"},
     "the separator is 2 whatever `end` says", killed_by="test_the_special_tokens_are_those_given")


@mistake("full_sentences", "doc-sentences", "no input goes over the end of a document: these are DOC-SENTENCES",
         killed_by="test_a_separator_stands_between_two_documents")
def full_sentences(documents, length, begin=0, end=2):
    inputs = []
    for document in documents:
        tokens = []
        for sentence in document:
            sentence = sentence[: length - 2]
            if tokens and len(tokens) + len(sentence) > length - 2:
                inputs.append([begin, *tokens, end])
                tokens = []
            tokens = tokens + sentence
        if tokens:
            inputs.append([begin, *tokens, end])
    return inputs


@mistake("full_sentences", "one-stream", "sentences are split to fill each input: whole ones alone were asked for",
         killed_by="test_sentences_follow_each_other_up_to_the_length")
def full_sentences(documents, length, begin=0, end=2):
    stream = []
    for document in documents:
        tokens = [token for sentence in document for token in sentence]
        stream += [end, *tokens] if stream and tokens else tokens
    return [[begin, *stream[place:place + length - 2], end] for place in range(0, len(stream), length - 2)]


@mistake("full_sentences", "separator-for-each-document", "a document without sentences leaves a separator behind",
         killed_by="test_documents_without_sentences_leave_no_trace")
def full_sentences(documents, length, begin=0, end=2):
    inputs, tokens, waiting = [], [], []
    for document in documents:
        if tokens:
            waiting = waiting + [end]
        for sentence in document:
            sentence = sentence[: length - 2]
            if tokens and len(tokens) + len(waiting) + len(sentence) > length - 2:
                inputs.append([begin, *tokens, end])
                tokens, waiting = [], []
            tokens, waiting = [*tokens, *waiting, *sentence], []
    return [*inputs, [begin, *tokens, end]] if tokens else inputs


# token_batches
@alternative("token_batches", "running-sum")
def token_batches(lengths, budget):
    batches, current, total = [], [], 0
    for i, length in enumerate(lengths):
        if current and total + length > budget:
            batches.append(current)
            current, total = [], 0
        current.append(i)
        total += length
    if current:
        batches.append(current)
    return batches


@alternative("token_batches", "search-for-ends")
def token_batches(lengths, budget):
    sums, start, batches = np.cumsum([0, *lengths]), 0, []
    while start < len(lengths):
        end = max(start + 1, int(np.searchsorted(sums, sums[start] + budget, side="right")) - 1)
        batches.append(range(start, end))
        start = end
    return [list(batch) for batch in batches]


edit("token_batches", "strictly-below", {"length > room": "length >= room"},
     "a batch of just the budget is thought too large", killed_by="test_a_batch_is_full_when_the_next_has_no_room")
edit("token_batches", "closed-too-late", {"length > room": "room <= 0"},
     "the batch is closed once it is above the budget: that is one input too late", killed_by="test_a_batch_is_full_when_the_next_has_no_room")
edit("token_batches", "lengths-not-places", {"batches[-1].append(place)": "batches[-1].append(length)"},
     "lengths are returned: their places were asked for", killed_by="test_a_batch_is_full_when_the_next_has_no_room")
edit("token_batches", "room-not-reset", {"            room = budget\n": "            room += budget\n"},
     "what was left of the batch before is added to the next one's budget", killed_by="test_any_lengths_are_grouped_as_by_brute_force")


@mistake("token_batches", "fixed-size", "all batches hold equally many inputs: their tokens are to be equal",
         killed_by="test_a_batch_is_full_when_the_next_has_no_room")
def token_batches(lengths, budget):
    count = max(1, budget // max(lengths, default=1))
    return [list(range(i, min(i + count, len(lengths)))) for i in range(0, len(lengths), count)]


@mistake("token_batches", "padded", "the longest length times the number of inputs is counted: the sum was asked for",
         killed_by="test_a_batch_is_full_when_the_next_has_no_room")
def token_batches(lengths, budget):
    batches = []
    for place in range(len(lengths)):
        if batches and (len(batches[-1]) + 1) * max(lengths[one] for one in [*batches[-1], place]) <= budget:
            batches[-1].append(place)
        else:
            batches.append([place])
    return batches


@mistake("token_batches", "empty-batch", "an input beyond the budget leaves an empty batch before it",
         killed_by="test_an_input_beyond_the_budget_is_alone")
def token_batches(lengths, budget):
    batches, total = [[]], 0
    for place, length in enumerate(lengths):
        if total + length > budget:
            batches.append([])
            total = 0
        batches[-1].append(place)
        total += length
    return batches if lengths else []


@mistake("token_batches", "too-long-is-dropped", "an input beyond the budget is left out: it is a batch of its own",
         killed_by="test_an_input_beyond_the_budget_is_alone")
def token_batches(lengths, budget):
    batches, room = [], 0
    for place, length in enumerate(lengths):
        if length > budget:
            continue
        if not batches or length > room:
            batches.append([])
            room = budget
        batches[-1].append(place)
        room -= length
    return batches


@mistake("token_batches", "sorted", "the inputs are sorted by length: their order was to be kept",
         killed_by="test_a_batch_is_full_when_the_next_has_no_room")
def token_batches(lengths, budget):
    batches, room = [], 0
    for place in sorted(range(len(lengths)), key=lambda one: lengths[one]):
        if not batches or lengths[place] > room:
            batches.append([])
            room = budget
        batches[-1].append(place)
        room -= lengths[place]
    return batches


@mistake("token_batches", "last-lost", "the last batch is never returned", killed_by="test_a_batch_is_full_when_the_next_has_no_room")
def token_batches(lengths, budget):
    batches, current, total = [], [], 0
    for place, length in enumerate(lengths):
        if current and total + length > budget:
            batches.append(current)
            current, total = [], 0
        current.append(place)
        total += length
    return batches


equivalent("token_batches", "1: ([], 0) → ([], -1)", "the first input has one token or more, so it has no room in either case")


# gradient_in_parts
@alternative("gradient_in_parts", "closed-form")
def gradient_in_parts(weight, parts):
    gradient, total = torch.zeros_like(weight), 0
    for x, labels in parts:
        asked = labels != IGNORED
        errors = (x[asked] @ weight.T).softmax(dim=-1)  # (M, V)
        errors[torch.arange(len(errors)), labels[asked]] -= 1
        gradient = gradient + errors.T @ x[asked]
        total += len(errors)
    return gradient / total


@alternative("gradient_in_parts", "backward-and-grad")
def gradient_in_parts(weight, parts):
    own = weight.clone().detach().requires_grad_(True)
    count = sum((labels != -100).sum() for _, labels in parts)
    for x, labels in parts:
        logits = torch.einsum("bnh,vh->bvn", x, own)
        functional.cross_entropy(logits, labels, ignore_index=-100, reduction="sum").div(count).backward()
    return own.grad


@alternative("gradient_in_parts", "weighted-means")
def gradient_in_parts(weight, parts):
    own = torch.nn.Parameter(weight.clone())
    counts = [(labels != IGNORED).sum().item() for _, labels in parts]
    loss = 0
    for (x, labels), count in zip(parts, counts):
        if count:
            loss = loss + functional.cross_entropy((x @ own.T).flatten(0, 1), labels.flatten()) * (count / sum(counts))
    loss.backward()
    return own.grad


PART_MEAN = {', reduction="sum") / total': ")"}
edit("gradient_in_parts", "mean-of-means", {', reduction="sum") / total': ") / len(parts)"},
     "each part counts the same: each masked token should", killed_by="test_each_token_counts_the_same_whatever_part_it_is_in")
edit("gradient_in_parts", "sum-of-means", PART_MEAN,
     "the parts' means are added up without weights", killed_by="test_each_token_counts_the_same_whatever_part_it_is_in")
edit("gradient_in_parts", "sum", {" / total": ""},
     "the losses are summed: their mean was asked for", killed_by="test_one_part_is_the_whole_batch")
edit("gradient_in_parts", "all-tokens-count", {"int((labels != IGNORED).sum())": "labels.numel()"},
     "tokens that nobody asks for are counted below the line", killed_by="test_one_part_is_the_whole_batch")
edit("gradient_in_parts", "by-texts", {"int((labels != IGNORED).sum())": "len(labels)"},
     "the texts are counted below the line, not the masked tokens", killed_by="test_each_token_counts_the_same_whatever_part_it_is_in")
edit("gradient_in_parts", "weighted-by-texts", {', reduction="sum") / total': ") * len(labels) / sum(len(one) for _, one in parts)"},
     "parts are weighted by their texts, not by their masked tokens", killed_by="test_each_token_counts_the_same_whatever_part_it_is_in")
edit("gradient_in_parts", "last-part-alone", {"gradient += torch": "gradient = torch"},
     "the gradient of the last part is all that is left", killed_by="test_each_token_counts_the_same_whatever_part_it_is_in")
edit("gradient_in_parts", "other-sign", {"gradient += torch": "gradient -= torch"},
     "this is the step, not the gradient: the sign is turned", killed_by="test_one_part_is_the_whole_batch")


@mistake("gradient_in_parts", "first-count", "the first part's number of masked tokens stands below the line for all",
         killed_by="test_each_token_counts_the_same_whatever_part_it_is_in")
def gradient_in_parts(weight, parts):
    weight = weight.detach().requires_grad_()
    total = max(1, int((parts[0][1] != IGNORED).sum()))
    gradient = torch.zeros_like(weight)
    for x, labels in parts:
        logits = functional.linear(x, weight).flatten(0, 1)
        loss = functional.cross_entropy(logits, labels.flatten(), reduction="sum") / total
        gradient += torch.autograd.grad(loss, weight)[0]
    return gradient.detach()


@mistake("gradient_in_parts", "exp-by-hand", "exp of large scores is infinite: use cross_entropy or softmax",
         killed_by="test_large_scores_are_no_problem")
def gradient_in_parts(weight, parts):
    weight = weight.detach().requires_grad_()
    total, loss = 0, 0.0
    for x, labels in parts:
        asked = labels != IGNORED
        scores = (x[asked] @ weight.T).exp()
        loss = loss - (scores[torch.arange(len(scores)), labels[asked]] / scores.sum(dim=1)).log().sum()
        total += len(scores)
    return torch.autograd.grad(loss / total, weight)[0]


equivalent("gradient_in_parts", "7: torch.autograd.grad(loss, weight)[0] → torch.autograd.grad(loss, weight)[-1]",
           "the gradients of one tensor are a tuple of one")


# equal_budget
@alternative("equal_budget", "texts-in-all")
def equal_budget(steps, warmup, rate, batch, larger, power):
    texts = steps * batch
    return max(round(texts / larger), 1), round(warmup * batch / larger), rate * (larger / batch) ** power


@alternative("equal_budget", "logarithms")
def equal_budget(steps, warmup, rate, batch, larger, power):
    factor = batch / larger
    new = int(steps * factor + 0.5)
    return [new or 1, int(warmup * factor + 0.5), rate * float(np.exp(-power * np.log(factor)))]


edit("equal_budget", "as-many-steps", {"round(steps / times)": "steps"},
     "the larger batch takes as many steps, so it reads more", killed_by="test_as_many_texts_are_read_in_all")
edit("equal_budget", "warmup-kept", {"round(warmup / times)": "warmup"},
     "the warm-up keeps its steps: it is then a larger share of the training", killed_by="test_as_many_texts_are_read_in_all")
edit("equal_budget", "upside-down", {"times = larger / batch": "times = batch / larger"},
     "the larger batch takes more steps: it takes fewer", killed_by="test_as_many_texts_are_read_in_all")
edit("equal_budget", "power-ignored", {"times**power": "times"},
     "the rate grows with the batch whatever the power is", killed_by="test_the_rate_rises_with_the_power")
edit("equal_budget", "root-alone", {"times**power": "math.sqrt(times)"},
     "the rate grows with the root of the batch whatever the power is", killed_by="test_the_rate_rises_with_the_power")
edit("equal_budget", "factor-times-power", {"times**power": "times * power"},
     "the factor is multiplied by the power, not raised to it", killed_by="test_the_rate_rises_with_the_power")
edit("equal_budget", "rate-falls", {"rate * times**power": "rate / times**power"},
     "the rate falls with the batch: it rises", killed_by="test_the_rate_rises_with_the_power")
edit("equal_budget", "rate-raised", {"rate * times**power": "(rate * times) ** power"},
     "the rate itself is raised to the power", killed_by="test_the_rate_rises_with_the_power")
edit("equal_budget", "rounded-down", {"round(steps / times)": "int(steps / times)"},
     "steps are rounded down: to the nearest was asked", killed_by="test_steps_are_rounded_to_the_nearest_and_never_none")
edit("equal_budget", "no-step", {"max(1, round(steps / times))": "round(steps / times)"},
     "there may be no step at all", killed_by="test_steps_are_rounded_to_the_nearest_and_never_none")
edit("equal_budget", "whole-times", {"times = larger / batch": "times = max(1, larger // batch)"},
     "the ratio of the batches is rounded down, so a smaller batch changes nothing", killed_by="test_a_smaller_batch_takes_more_steps_at_a_lower_rate")
