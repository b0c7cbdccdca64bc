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
edit("position_ids", "narrow-numbers", {"return words.cumsum(dim=1) * words + padding": "return (words.cumsum(dim=1) * words + padding).int()"},
     "positions are int32: int64 was asked for", killed_by="test_positions_are_an_int64_tensor")
edit("position_ids", "array-not-tensor", {"return words.cumsum(dim=1) * words + padding": "return (words.cumsum(dim=1) * words + padding).numpy()"},
     "a numpy array is returned: a tensor was asked for", killed_by="test_positions_are_an_int64_tensor")
edit("position_ids", "lists-not-tensor", {"return words.cumsum(dim=1) * words + padding": "return (words.cumsum(dim=1) * words + padding).tolist()"},
     "lists are returned: a tensor was asked for", killed_by="test_positions_are_an_int64_tensor")
edit("position_ids", "sums-in-int8", {"words.cumsum(dim=1)": "words.cumsum(dim=1, dtype=torch.int8)"},
     "eight bits count to 127, and then go on at −128", killed_by="test_long_texts_are_counted_to_their_end")
edit("position_ids", "sums-in-bfloat16", {"words.cumsum(dim=1)": "words.bfloat16().cumsum(dim=1).long()"},
     "bfloat16 knows no odd number above 256, so longer texts are counted wrongly", killed_by="test_long_texts_are_counted_to_their_end")
edit("position_ids", "no-more-than-513", {"return words.cumsum(dim=1) * words + padding": "return (words.cumsum(dim=1) * words + padding).clamp(max=513)"},
     "positions end at 513, which holds for RoBERTa base alone", killed_by="test_long_texts_are_counted_to_their_end")


edit("position_ids", "squeezed", {"return words.cumsum(dim=1) * words + padding": "return (words.cumsum(dim=1) * words + padding).squeeze(1)"},
     "texts of one token lose their axis", killed_by="test_one_row_one_token_and_a_large_padding_are_counted")


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
edit("whole_characters", "ones-and-zeros", {"return ends": "return [int(one) for one in ends]"},
     "1 and 0 are returned: bools were asked for", killed_by="test_the_answer_is_a_list_of_bools")
edit("whole_characters", "array-not-list", {"return ends": "return np.array(ends)"},
     "a numpy array is returned: a list was asked for", killed_by="test_the_answer_is_a_list_of_bools")
edit("whole_characters", "tensor-not-list", {"return ends": "return torch.tensor(ends)"},
     "a tensor is returned: a list was asked for", killed_by="test_the_answer_is_a_list_of_bools")
edit("whole_characters", "tuple-not-list", {"return ends": "return tuple(ends)"},
     "a tuple is returned: a list was asked for", killed_by="test_the_answer_is_a_list_of_bools")
edit("whole_characters", "normalised",
     {'b"".join(tokens), 0, []': '__import__("unicodedata").normalize("NFC", b"".join(tokens).decode()).encode(), 0, []',
      "place == len(text)": "place >= len(text)"},
     "the text is normalised, so a letter and its mark become other bytes than those counted", killed_by="test_marks_joiners_and_signs_unseen_are_characters_too")
edit("whole_characters", "byte-order-mark-lost",
     {'b"".join(tokens), 0, []': 'b"".join(tokens).decode("utf-8-sig").encode(), 0, []',
      "place == len(text)": "place >= len(text)"},
     "utf-8-sig leaves out the mark of the byte order, and all places move", killed_by="test_marks_joiners_and_signs_unseen_are_characters_too")
edit("whole_characters", "text-ends-at-nul", {'b"".join(tokens), 0, []': 'b"".join(tokens).split(b"\\0")[0], 0, []', "place == len(text)": "place >= len(text)"},
     "the text is thought to end at its first byte 0", killed_by="test_marks_joiners_and_signs_unseen_are_characters_too")
edit("whole_characters", "spaces-stripped", {'b"".join(tokens), 0, []': 'b"".join(tokens).strip(), 0, []', "place == len(text)": "place >= len(text)"},
     "spaces at both ends are taken off, and all places move", killed_by="test_marks_joiners_and_signs_unseen_are_characters_too")


@mistake("whole_characters", "replacement-sign-at-the-end", "the text so far is decoded with errors=\"replace\", and may hold that sign itself",
         killed_by="test_a_replacement_sign_is_a_character_like_others")
def whole_characters(tokens):
    found, text = [], b""
    for token in tokens:
        text += token
        found.append(not text.decode("utf-8", errors="replace").endswith("\ufffd"))
    return found


@mistake("whole_characters", "replacement-sign-anywhere", "one real replacement sign, and every later token seems to end inside a character",
         killed_by="test_a_replacement_sign_is_a_character_like_others")
def whole_characters(tokens):
    found, text = [], b""
    for token in tokens:
        text += token
        found.append("\ufffd" not in text.decode("utf-8", errors="replace"))
    return found


@mistake("whole_characters", "marks-join-letters", "a letter and the mark on it are two characters here: each ends by itself",
         killed_by="test_marks_joiners_and_signs_unseen_are_characters_too")
def whole_characters(tokens):
    import unicodedata

    text, ends, place, found = b"".join(tokens).decode(), set(), 0, []
    for character in text:
        if not unicodedata.combining(character):
            ends.add(place)
        place += len(character.encode())
    ends.add(place)
    place = 0
    for token in tokens:
        place += len(token)
        found.append(place in ends)
    return found


@mistake("whole_characters", "joiners-join-signs", "what a joiner makes one picture are several characters: each ends by itself",
         killed_by="test_marks_joiners_and_signs_unseen_are_characters_too")
def whole_characters(tokens):
    text, ends, place, found = b"".join(tokens).decode(), set(), 0, []
    for i, character in enumerate(text):
        if "\u200d" not in (character, text[i - 1] if i else ""):
            ends.add(place)
        place += len(character.encode())
    ends.add(place)
    place = 0
    for token in tokens:
        place += len(token)
        found.append(place in ends)
    return found


@mistake("whole_characters", "two-tokens-ahead", "the next byte is looked for in the next two tokens alone: more of them may be empty",
         killed_by="test_several_empty_tokens_may_follow_each_other")
def whole_characters(tokens):
    found = []
    for place in range(len(tokens)):
        after = b"".join(tokens[place + 1:place + 3])
        found.append(not after or after[0] & 0xC0 != 0x80)
    return found


edit("whole_characters", "three-bytes-at-most", {"text[place] & 0xC0 != 0x80": "text[place] & 0xC0 != 0x80 or text[place - 3] >= 0xF0"},
     "a character has three bytes at most here: some have four", killed_by="test_the_first_and_the_last_character_of_each_length_are_known")
edit("whole_characters", "first-thousand", {"for token in tokens:": "for token in tokens[:1000]:"},
     "only the first thousand tokens are judged", killed_by="test_of_many_tokens_the_last_are_judged_too")


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
    places = np.random.default_rng([abs(seed), int(seed < 0), text, epoch]).permutation(length)
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
edit("chosen_places", "python-seeded",
     {'places = random.Random(f"{seed} {text} {number}").sample(range(length), count)': 'random.seed(f"{seed} {text} {number}")\n    places = random.sample(range(length), count)'},
     "Python's own generator is seeded: others draw from it", killed_by="test_the_generators_of_others_are_left_as_they_are")
edit("chosen_places", "torch-seeded",
     {'places = random.Random(f"{seed} {text} {number}").sample(range(length), count)': 'torch.manual_seed(random.Random(f"{seed} {text} {number}").getrandbits(32))\n    places = torch.randperm(length)[:count]'},
     "torch's own generator is seeded: others draw from it", killed_by="test_the_generators_of_others_are_left_as_they_are")
edit("chosen_places", "numpy-seeded",
     {'places = random.Random(f"{seed} {text} {number}").sample(range(length), count)': 'np.random.seed(random.Random(f"{seed} {text} {number}").getrandbits(32))\n    places = np.random.permutation(length)[:count].tolist()'},
     "numpy's own generator is seeded: others draw from it", killed_by="test_the_generators_of_others_are_left_as_they_are")
edit("chosen_places", "torch-drawn-from", {"return chosen": "torch.rand(1)\n    return chosen"},
     "a number is drawn from torch's own generator, so all later draws differ", killed_by="test_the_generators_of_others_are_left_as_they_are")
edit("chosen_places", "python-alone-put-back",
     {'places = random.Random(f"{seed} {text} {number}").sample(range(length), count)': 'state = random.getstate()\n    random.seed(f"{seed} {text} {number}")\n    torch.manual_seed(random.getrandbits(32))\n    random.setstate(state)\n    places = torch.randperm(length)[:count]'},
     "Python's generator is put back, torch's is not", killed_by="test_the_generators_of_others_are_left_as_they_are")
edit("chosen_places", "seed-and-text-joined", {'f"{seed} {text} {number}"': 'f"{seed}{text} {number}"'},
     "seed and text are joined without a gap: seed 1, text 11 reads as seed 11, text 1", killed_by="test_large_numbers_have_masks_of_their_own")
edit("chosen_places", "decimal-places", {'f"{seed} {text} {number}"': "seed * 10_000 + text * 100 + number"},
     "epoch 100 of a text has the mask of the next text in epoch 0", killed_by="test_large_numbers_have_masks_of_their_own")
edit("chosen_places", "thousands", {'f"{seed} {text} {number}"': "seed * 1_000_000 + text * 1_000 + number"},
     "text 1,000 has the mask of the next seed's text 0", killed_by="test_large_numbers_have_masks_of_their_own")
edit("chosen_places", "multiples", {'f"{seed} {text} {number}"': "seed * 1009 + text * 101 + number"},
     "epoch 101 of a text has the mask of the next text in epoch 0", killed_by="test_large_numbers_have_masks_of_their_own")
edit("chosen_places", "forty-copies", {"epoch if copies is None else epoch % copies": "epoch % (copies or 40)"},
     "new masks come again after 40 epochs", killed_by="test_large_numbers_have_masks_of_their_own")
edit("chosen_places", "seed-zero-is-none", {'f"{seed} {text} {number}"': 'f"{seed or 42} {text} {number}"'},
     "seed 0 is taken for no seed, and has the masks of another", killed_by="test_large_numbers_have_masks_of_their_own")
edit("chosen_places", "half-at-most", {"max(1, round(rate * length))": "max(1, min(length // 2, round(rate * length)))"},
     "never more than half of the tokens are chosen, whatever the rate says", killed_by="test_every_rate_has_its_share")
edit("chosen_places", "kept-without-rate",
     {"rate=0.15):": "rate=0.15, kept={}):",
      "return chosen": "return kept.setdefault((text, length, number, seed), chosen).clone()"},
     "masks are kept, and handed out again for another rate", killed_by="test_every_rate_has_its_share")
edit("chosen_places", "keys-of-ten-values",
     {'places = random.Random(f"{seed} {text} {number}").sample(range(length), count)': 'chance = random.Random(f"{seed} {text} {number}")\n    keys = [chance.randrange(10) for _ in range(length)]\n    places = sorted(range(length), key=keys.__getitem__)[:count]'},
     "of equal keys the earlier place is taken, so the beginning of a text is preferred", killed_by="test_no_part_of_a_text_is_preferred")
edit("chosen_places", "sign-of-the-seed-lost", {'f"{seed} {text} {number}"': 'f"{abs(seed)} {text} {number}"'},
     "seeds −1 and 1 give the same mask", killed_by="test_seeds_below_zero_have_masks_of_their_own")
edit("chosen_places", "seeds-below-zero-refused",
     {'places = random.Random(f"{seed} {text} {number}").sample(range(length), count)': "places = np.random.default_rng([seed, text, number]).permutation(length)[:count].tolist()"},
     "numpy takes no seed below 0, and the experiment has one", killed_by="test_seeds_below_zero_have_masks_of_their_own")
edit("chosen_places", "halves-up", {"round(rate * length)": "int(rate * length + 0.5)"},
     "halves are rounded up: round takes them to the even number", killed_by="test_halves_go_to_the_even_number")
edit("chosen_places", "hash-of-a-tuple", {'f"{seed} {text} {number}"': "hash((seed, text, number))"},
     "Python's hash of a tuple is the seed: −1 and −2 have the same hash", killed_by="test_each_of_many_seeds_has_masks_of_its_own")
edit("chosen_places", "hash-of-a-string", {'f"{seed} {text} {number}"': 'hash(f"{seed} {text} {number}")'},
     "Python's hash of a string is the seed: it is another number in each run of Python",
     killed_by="test_another_run_of_python_has_the_same_masks")
edit("chosen_places", "seeds-in-16-bits", {'f"{seed} {text} {number}"': 'f"{seed % 65536} {text} {number}"'},
     "of the seed 16 bits are left, so that −1 has the masks of 65,535", killed_by="test_each_of_many_seeds_has_masks_of_its_own")
edit("chosen_places", "one-mask-moved", {"{seed} {text} {number}": "{seed} {text}", "return chosen": "return chosen.roll(number)"},
     "the masks of all epochs are one mask, moved along the text", killed_by="test_masks_know_nothing_of_each_other")
edit("chosen_places", "texts-moved", {"{seed} {text} {number}": "{seed} {number}", "return chosen": "return chosen.roll(text)"},
     "the masks of all texts are one mask, moved along", killed_by="test_masks_know_nothing_of_each_other")
edit("chosen_places", "list-not-tensor", {"return chosen": "return chosen.tolist()"},
     "a list is returned: a tensor of bools was asked for", killed_by="test_a_mask_is_a_tensor_of_bools")
edit("chosen_places", "array-not-tensor", {"return chosen": "return chosen.numpy()"},
     "a numpy array is returned: a tensor of bools was asked for", killed_by="test_a_mask_is_a_tensor_of_bools")


edit("chosen_places", "weighted-sum", {'f"{seed} {text} {number}"': "seed * 1_000_003 + text * 1000 + number"},
     "a weighted sum is the seed: text 0 in epoch 1,000 has text 1's mask of epoch 0",
     killed_by="test_no_weighted_sum_of_seed_text_and_epoch_decides")
edit("chosen_places", "epochs-of-a-million-texts", {'f"{seed} {text} {number}"': "seed * 10**13 + number * 10**6 + text"},
     "text 1,000,000 has text 0's mask of the next epoch", killed_by="test_no_weighted_sum_of_seed_text_and_epoch_decides")
edit("chosen_places", "shifted-by-16-bits", {'f"{seed} {text} {number}"': "(seed << 64) + (text << 16) + number"},
     "text 0 in epoch 65,536 has text 1's mask of epoch 0", killed_by="test_no_weighted_sum_of_seed_text_and_epoch_decides")


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

edit("full_sentences", "equal-documents-are-one",
     {"(number, s[: length - 2]) for number, document in enumerate(documents)": "(document, s[: length - 2]) for document in documents"},
     "two equal documents in a row are taken for one", killed_by="test_equal_documents_are_two", of="units-first")
edit("full_sentences", "number-by-index",
     {"(number, s[: length - 2]) for number, document in enumerate(documents)": "(documents.index(document), s[: length - 2]) for document in documents"},
     "index finds the first of two equal documents", killed_by="test_equal_documents_are_two", of="units-first")
edit("full_sentences", "separator-seen-by-its-id", {"separator if tokens else []": "separator if tokens and tokens[-1] != end else []"},
     "a sentence that ends with the id of `end` is taken for a separator", killed_by="test_sentences_may_hold_the_numbers_of_special_tokens")
edit("full_sentences", "begins-are-nothing", {"separator if tokens else []": "separator if set(tokens) - {begin} else []"},
     "sentences of the id of `begin` alone are taken for an empty input", killed_by="test_sentences_may_hold_the_numbers_of_special_tokens")
edit("full_sentences", "begin-ids-dropped", {"sentence = sentence[: length - 2]": "sentence = [one for one in sentence if one != begin][: length - 2]"},
     "the id of `begin` is dropped out of sentences", killed_by="test_sentences_may_hold_the_numbers_of_special_tokens")
edit("full_sentences", "special-ids-dropped", {"sentence = sentence[: length - 2]": "sentence = [one for one in sentence if one not in (begin, end)][: length - 2]"},
     "special ids are dropped out of sentences", killed_by="test_sentences_may_hold_the_numbers_of_special_tokens")
edit("full_sentences", "id-zero-is-nothing", {"sentence = sentence[: length - 2]": "sentence = sentence[: length - 2] if sentence[0] else []"},
     "a sentence that begins with id 0 is left out", killed_by="test_sentences_may_hold_the_numbers_of_special_tokens")
edit("full_sentences", "tuples", {"inputs.append([begin, *tokens, end])": "inputs.append((begin, *tokens, end))"},
     "inputs are tuples: lists were asked for", killed_by="test_the_inputs_are_lists_in_a_list")
edit("full_sentences", "tensors", {"inputs.append([begin, *tokens, end])": "inputs.append(torch.tensor([begin, *tokens, end]))"},
     "inputs are tensors: lists were asked for", killed_by="test_the_inputs_are_lists_in_a_list")
edit("full_sentences", "first-twenty-documents", {"for document in documents:\n        separator": "for document in documents[:20]:\n        separator"},
     "only the first twenty documents are packed", killed_by="test_hundreds_of_sentences_are_packed_up_to_512")


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


# token_batches
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
edit("token_batches", "tuples", {"return batches": "return [tuple(batch) for batch in batches]"},
     "batches are tuples: lists were asked for", killed_by="test_the_batches_are_lists_in_a_list")
edit("token_batches", "tensors", {"return batches": "return [torch.tensor(batch) for batch in batches]"},
     "batches are tensors: lists were asked for", killed_by="test_the_batches_are_lists_in_a_list")
edit("token_batches", "ranges", {"return batches": "return [range(batch[0], batch[-1] + 1) for batch in batches]"},
     "batches are ranges: lists were asked for", killed_by="test_the_batches_are_lists_in_a_list")
edit("token_batches", "room-kept-back", {"if length > room": "if length + length // 8 > room"},
     "some room is kept back behind long inputs: a batch may be full to its last token", killed_by="test_batches_of_thousands_of_tokens_are_full_to_the_last_token")


edit("token_batches", "sums-in-32-bits", {"batches, room = [], 0": "batches, room, budget = [], 0, int(np.array(budget).astype(np.int32))"},
     "32 bits hold no budget beyond 2^31", killed_by="test_inputs_may_be_none_many_or_huge")


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
edit("gradient_in_parts", "array-not-tensor", {"return gradient": "return gradient.numpy()"},
     "a numpy array is returned: a tensor was asked for", killed_by="test_the_gradient_has_the_type_of_the_weight")
edit("gradient_in_parts", "single-precision", {"weight.detach()": "weight.detach().float()", "functional.linear(x, weight)": "functional.linear(x.float(), weight)"},
     "the gradient is in single precision whatever the weight is", killed_by="test_the_gradient_has_the_type_of_the_weight")
edit("gradient_in_parts", "double-precision", {"return gradient": "return gradient.double()"},
     "the gradient is in double precision whatever the weight is", killed_by="test_the_gradient_has_the_type_of_the_weight")
edit("gradient_in_parts", "flag-left-on", {"weight = weight.detach().requires_grad_()": "weight.requires_grad_()"},
     "the weight that was put in asks for gradients from now on: work on a copy", killed_by="test_the_weight_stays_as_it_was")
edit("gradient_in_parts", "flag-taken-off",
     {"weight = weight.detach().requires_grad_()": "weight.requires_grad_()",
      "return gradient": "weight.requires_grad_(False)\n    return gradient"},
     "the weight that was put in asks for no gradient any more: work on a copy", killed_by="test_the_weight_stays_as_it_was")


@mistake("gradient_in_parts", "gathers-in-grad", "gradients gather in weight.grad from call to call: work on a copy", killed_by="test_the_weight_stays_as_it_was")
def gradient_in_parts(weight, parts):
    own = weight if weight.requires_grad else weight.clone().requires_grad_()
    total = sum(int((labels != IGNORED).sum()) for _, labels in parts)
    for x, labels in parts:
        logits = functional.linear(x, own).flatten(0, 1)
        (functional.cross_entropy(logits, labels.flatten(), reduction="sum") / total).backward()
    return own.grad


@mistake("gradient_in_parts", "grad-emptied", "the weight that was put in loses its flag, and its gradient is another one: work on a copy",
         killed_by="test_the_weight_stays_as_it_was")
def gradient_in_parts(weight, parts):
    weight.requires_grad_()
    weight.grad = None
    total = sum(int((labels != IGNORED).sum()) for _, labels in parts)
    for x, labels in parts:
        logits = functional.linear(x, weight).flatten(0, 1)
        (functional.cross_entropy(logits, labels.flatten(), reduction="sum") / total).backward()
    gradient = weight.grad.clone()
    weight.requires_grad_(False)
    return gradient


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


@alternative("equal_budget", "share-of-the-new-steps")
def equal_budget(steps, warmup, rate, batch, larger, power):
    new = max(1, round(steps * batch / larger))
    return new, round(warmup / steps * new), rate * (larger / batch) ** power


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
edit("equal_budget", "rate-rounded", {"rate * times**power": "round(rate * times**power, 6)"},
     "the rate is rounded: small ones lose their digits", killed_by="test_small_rates_and_other_powers_are_taken_as_they_are")
edit("equal_budget", "power-bounded", {"times**power": "times ** min(1, max(0, power))"},
     "powers below 0 and above 1 are not taken as they are", killed_by="test_small_rates_and_other_powers_are_taken_as_they_are")
edit("equal_budget", "rate-a-tensor", {"rate * times**power": "torch.tensor(rate * times**power)"},
     "the rate is a tensor: a float was asked for", killed_by="test_the_rate_is_a_float")
equivalent("whole_characters", "4: text[place] & 192 → text.lower()[place] & 192", "these are bytes: case is in none of the two highest bits")
equivalent("chosen_places", "1: copies is None → not copies", "there are no 0 copies: a whole number is how many masks there are")
