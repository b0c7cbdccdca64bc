"""A tokenizer that scales: classic mistakes and other right ways, for each exercise. Never released."""

import heapq
from collections import Counter
from itertools import pairwise

import regex

from etude.tokenizers import bpe, byte_bpe
from etude.tokenizers.bpe import join, merged
from etude.tokenizers.byte_bpe import BYTES
from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# split_text
@alternative("split_text", "one-pattern")
def split_text(text):
    pattern = r"""'(?:[stmd]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
    return [found.group() for found in regex.finditer(pattern, text)]


@alternative("split_text", "the-librarys")
def split_text(text):
    return byte_bpe.split(text)


@alternative("split_text", "rest-by-rest")
def split_text(text):
    rules = [r"'(s|t|re|ve|m|ll|d)", r" ?\p{Letter}+", r" ?\p{Number}+", r" ?[^\s\p{L}\p{N}]+", r"\s+(?=\s|$)", r"\s"]
    pieces, place = [], 0
    while place < len(text):
        found = next(filter(None, (regex.compile(rule).match(text, place) for rule in rules)))
        pieces.append(found.group())
        place = found.end()
    return pieces


edit("split_text", "ascii-letters", {r'r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"': r'r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+"'},
     "only letters from a to z count as letters: those of every script are (\\p{L})",
     killed_by="test_letters_of_every_script_are_letters")
edit("split_text", "word-characters", {r'r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"': r'r" ?\w+| ?[^\s\w]+"'},
     "\\w takes letters, numbers and the underscore for one kind: they are three",
     killed_by="test_letters_numbers_and_signs_are_pieces_of_their_own")
edit("split_text", "letters-and-numbers-together", {r" ?\p{L}+| ?\p{N}+|": r" ?[\p{L}\p{N}]+|"},
     "letters and numbers are one kind: each has pieces of its own",
     killed_by="test_letters_numbers_and_signs_are_pieces_of_their_own")
edit("split_text", "digits-only", {r" ?\p{N}+| ?[^\s\p{L}\p{N}]+": r" ?\d+| ?[^\s\p{L}\d]+"},
     "\\d holds digits alone: ½ and ² are numbers (\\p{N}) too",
     killed_by="test_each_kind_of_character_is_where_unicode_has_it")
edit("split_text", "blank-apart", {r'r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"': r'r"\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+"'},
     "the blank is a piece of its own: it goes with the word after it",
     killed_by="test_a_blank_goes_with_the_word_after_it")
edit("split_text", "blank-before-letters-alone", {r"| ?\p{N}+| ?[^\s\p{L}\p{N}]+": r"|\p{N}+|[^\s\p{L}\p{N}]+"},
     "the blank goes with words alone: it goes with numbers and signs as well",
     killed_by="test_letters_numbers_and_signs_are_pieces_of_their_own")
edit("split_text", "no-look-ahead", {r'r"\s+(?!\S)|\s+"': r'r"\s+"'},
     "a run of blanks takes the last one too: that one goes with the word after it",
     killed_by="test_of_several_blanks_the_last_goes_with_the_word")
edit("split_text", "all-blanks-with-the-word", {r" ?\p{L}+|": r" *\p{L}+|"},
     "all blanks go with the word: only the last one does",
     killed_by="test_of_several_blanks_the_last_goes_with_the_word")
edit("split_text", "any-white-space-joins", {r" ?\p{L}+|": r"\s?\p{L}+|"},
     "a line end goes with the word after it: only a blank does", killed_by="test_other_white_space_joins_no_word")
edit("split_text", "one-white-space-each", {r"\s+(?!\S)|\s+": r"\s"},
     "each white space is a piece of its own: a run is one, but for the blank that goes with the word",
     killed_by="test_of_several_blanks_the_last_goes_with_the_word")
edit("split_text", "endings-in-any-case", {'"{endings}|': '"(?i:{endings})|'}, "endings are cut off in capitals too: the published pattern has them in lower case",
     killed_by="test_other_apostrophes_are_signs")
edit("split_text", "no-endings", {'"{endings}|': '"'}, "the endings are not cut off as one piece: the apostrophe stays apart",
     killed_by="test_seven_english_endings_are_cut_off")
edit("split_text", "some-endings", {"|'re|'ve|'m|'ll|'d": "|'re"}, "only some endings are there: there are seven",
     killed_by="test_seven_english_endings_are_cut_off")
edit("split_text", "endings-last", {'"{endings}|{words}|{white}"': '"{words}|{endings}|{white}"'},
     "the endings come after the signs, which take the apostrophe first: of the alternatives the first that fits wins",
     killed_by="test_seven_english_endings_are_cut_off")
edit("split_text", "white-space-lost", {"|{white}": ""}, "white space that goes with no word is lost: joined, the pieces are the text",
     killed_by="test_of_several_blanks_the_last_goes_with_the_word")
edit("split_text", "stripped", {"return regex.findall": "return regex.findall", ", text)": ", text.strip())"},
     "the text loses its blanks at both ends", killed_by="test_of_several_blanks_the_last_goes_with_the_word")
edit("split_text", "composed-first", {", text)": ', __import__("unicodedata").normalize("NFC", text))'},
     "the text is normalised first: the pieces are those of the text as it is",
     killed_by="test_letters_of_every_script_are_letters")
edit("split_text", "marks-are-letters", {r" ?\p{L}+|": r" ?[\p{L}\p{M}]+|"},
     "an accent of its own counts as a letter: it is a mark, \\p{M}", killed_by="test_letters_of_every_script_are_letters")
edit("split_text", "ascii-white-space", {r"[^\s\p{L}\p{N}]+": r"[^ \t\n\p{L}\p{N}]+", r"\s+(?!\S)|\s+": r"[ \t\n]+(?![^ \t\n])|[ \t\n]+"},
     "white space beyond blank, tab and line end counts as signs", killed_by="test_any_text_is_split_as_by_the_rules")
edit("split_text",
     "first-plane", {r" ?\p{L}+|": r" ?[\p{L}&&[\u0000-\uffff]]+|", r"[^\s\p{L}\p{N}]+":
     r"[^\s\p{N}[\p{L}&&[\u0000-\uffff]]]+",
     ", text)": ", text, flags=regex.V1)"},
     "letters beyond U+FFFF are taken for signs", killed_by="test_each_kind_of_character_is_where_unicode_has_it")


# byte_ids
@alternative("byte_ids", "place-in-the-sorted-list")
def byte_ids():
    return [sorted(BYTES).index(BYTES[byte]) for byte in range(256)]


@alternative("byte_ids", "seen-first")
def byte_ids():
    order = sorted(range(256), key=lambda byte: BYTES[byte])
    ids = [0] * 256
    for i, byte in enumerate(order):
        ids[byte] = i
    return ids


edit("byte_ids", "byte-as-id", {"return [place[character] for character in BYTES]": "return list(range(256))"},
     "the byte is its own id: GPT-2 numbers the characters, and 33, !, comes first",
     killed_by="test_bytes_are_numbered_in_the_order_of_their_characters")
edit("byte_ids", "turned-round",
     {"return [place[character] for character in BYTES]": "return [BYTES.index(character) for character in sorted(BYTES)]"},
     "turned round: at place b stands the byte of id b, not the id of byte b",
     killed_by="test_bytes_are_numbered_in_the_order_of_their_characters")
edit("byte_ids", "number-of-the-character", {"place[character] for": "ord(character) for"},
     "the character's number in Unicode is taken for the id: ids are 0 to 255, its place among all",
     killed_by="test_bytes_are_numbered_in_the_order_of_their_characters")
edit("byte_ids", "not-sorted", {"sorted(BYTES)": "BYTES"}, "the characters are numbered as they stand in BYTES: sort them first",
     killed_by="test_bytes_are_numbered_in_the_order_of_their_characters")
edit("byte_ids", "from-one", {"sorted(BYTES))": "sorted(BYTES), start=1)"}, "ids count from 1: the first is 0",
     killed_by="test_bytes_are_numbered_in_the_order_of_their_characters")
edit("byte_ids", "dictionary", {"return [place[character] for character in BYTES]": "return place"},
     "a dictionary from characters came back: a list was asked for, with a place for each byte",
     killed_by="test_bytes_are_numbered_in_the_order_of_their_characters")


# cut_special
@alternative("cut_special", "place-by-place")
def cut_special(text, special):
    parts, start, i = [], 0, 0
    while i < len(text):
        fits = [token for token in special if text.startswith(token, i)]
        if not fits:
            i += 1
            continue
        token = max(fits, key=len)
        if start < i:
            parts.append((text[start:i], False))
        parts.append((token, True))
        start = i = i + len(token)
    if start < len(text):
        parts.append((text[start:], False))
    return parts


@alternative("cut_special", "alphabet-from-the-end")
def cut_special(text, special):
    order = sorted(special, reverse=True)  # a token comes before its own beginning
    pattern = "|".join(regex.escape(token) for token in order)
    return [(part, part in order) for part in (regex.split(f"({pattern})", text) if order else [text]) if part]


@alternative("cut_special", "finditer")
def cut_special(text, special):
    pattern = regex.compile("|".join(regex.escape(t) for t in sorted(special, key=len, reverse=True)) or r"(?!)")
    parts, end = [], 0
    for found in pattern.finditer(text):
        parts += [(text[end:found.start()], False), (found.group(), True)]
        end = found.end()
    parts.append((text[end:], False))
    return [part for part in parts if part[0]]


edit("cut_special", "not-escaped", {"map(regex.escape, longest_first)": "longest_first"},
     "`|` in `<|endoftext|>` is read as “or”: escape the tokens (regex.escape)",
     killed_by="test_a_special_token_is_cut_out_whole")
edit("cut_special", "shortest-first", {", reverse=True": ""}, "the shortest of those that fit is taken: the longest is meant",
     killed_by="test_where_two_fit_the_longest_is_meant")
edit("cut_special", "as-given", {"sorted(special, key=len, reverse=True)": "list(special)"},
     "of those that fit the first in the list is taken: the longest is meant",
     killed_by="test_where_two_fit_the_longest_is_meant")
edit("cut_special", "token-lost", {"""f"({'|'.join(map(regex.escape, longest_first))})\"""": """"|".join(map(regex.escape, longest_first))"""},
     "the special tokens are lost: a group in round brackets keeps them", killed_by="test_a_special_token_is_cut_out_whole")
edit("cut_special", "empty-parts", {" if part]": "]"}, "parts without a character are left in", killed_by="test_no_part_is_empty")
edit("cut_special", "none-means-every-place", {"    if not special:\n        return [(text, False)] if text else []\n": ""},
     "without special tokens the pattern is empty and fits everywhere: all is text then",
     killed_by="test_without_special_tokens_all_is_text")
edit("cut_special", "turned-round", {"place % 2 == 1": "place % 2 == 0"}, "special tokens are marked as text, and text as special",
     killed_by="test_a_special_token_is_cut_out_whole")
edit("cut_special", "in-any-case", {"f\"({'|'": "f\"(?i)({'|'"}, "capitals are not told from small letters: <|EndOfText|> is text",
     killed_by="test_what_looks_like_a_special_token_is_text")
edit("cut_special", "blanks-stripped", {"[(part, place": "[(part.strip(), place", " if part]": " if part.strip()]"},
     "blanks around a special token are lost: joined, the parts are the text", killed_by="test_a_special_token_is_cut_out_whole")
edit("cut_special", "blanks-belong-to-it", {"f\"({'|'": "f\"\\\\s*({'|'", "longest_first))})\"": "longest_first))})\\\\s*\""},
     "blanks beside a special token are lost", killed_by="test_a_special_token_is_cut_out_whole")


@mistake("cut_special", "one-token-after-the-other",
         "the text is cut at each special token in turn: where two overlap, that which begins first may be cut up or missed",
         killed_by="test_from_left_to_right_none_is_looked_at_again")
def cut_special(text, special):
    parts = [(text, False)]
    for token in sorted(special, key=len, reverse=True):
        after = []
        for part, done in parts:
            if done:
                after.append((part, True))
                continue
            texts = part.split(token)
            for i, some in enumerate(texts):
                after += [(token, True)] * (i > 0) + [(some, False)] * bool(some)
        parts = after
    return [part for part in parts if part[0]]


edit("cut_special", "lists", {"[(part, place % 2 == 1)": "[[part, place % 2 == 1]"}, "the parts are lists: a pair is a tuple",
     killed_by="test_a_special_token_is_cut_out_whole")
edit("cut_special", "blanks-lost", {"sorted(special, key=len, reverse=True)": 'sorted((token.replace(" ", "") for token in special), key=len, reverse=True)'},
     "blanks in a special token are left out: it may hold some", killed_by="test_a_special_token_may_hold_a_blank_and_have_the_id_0")

MANY = "test_every_one_of_many_special_tokens_is_cut_out"
edit("cut_special", "hundred-tokens", {"reverse=True)": "reverse=True)[:100]"},
     "of many special tokens only the first ones are looked for",
     killed_by=MANY)
edit("cut_special", "thousand-cuts", {", text)\n": ", text, maxsplit=1000)\n"}, "a long text is cut only so many times",
     killed_by=MANY)


# cut_text
@alternative("cut_text", "place-by-place")
def cut_text(text, count):
    chunks, start = [], 0
    for k in range(1, count):
        place = max(k * len(text) // count, 1)
        while place < len(text) and not (regex.match(r"\s", text[place]) and regex.match(r"\S", text[place - 1])):
            place += 1
        if start < place < len(text):
            chunks.append(text[start:place])
            start = place
    return chunks + [text[start:]] * (start < len(text))


@alternative("cut_text", "all-safe-places-first")
def cut_text(text, count):
    safe = [found.start() + 1 for found in regex.finditer(r"\S(?=\s)", text)]
    cuts = [0]
    for k in range(1, count):
        later = [place for place in safe if place >= len(text) * k // count]
        if later and later[0] > cuts[-1]:
            cuts.append(later[0])
    chunks = [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)])]
    return [chunk for chunk in chunks if chunk]


edit("cut_text", "cut-anywhere", {"places.add(found.start())": "places.add(k * len(text) // count)"},
     "the cut is made where it is wanted, in a word: move it on to white space",
     killed_by="test_a_cut_moves_on_to_the_next_white_space")
edit("cut_text", "after-the-blank", {"found.start()": "found.end()"}, "the cut is made after the blank: it goes with the word after it",
     killed_by="test_a_cut_moves_on_to_the_next_white_space")
edit("cut_text", "within-a-run", {r'r"(?<=\S)\s"': r'r"\s"'}, "the cut may be made within a run of white space: only at its beginning",
     killed_by="test_a_run_of_white_space_stays_together")
edit("cut_text", "blanks-alone", {r'r"(?<=\S)\s"': r'r"(?<=\S) "'}, "cuts are made at blanks alone: line ends and other white space will do as well",
     killed_by="test_every_white_space_will_do")
edit("cut_text", "at-a-words-start", {r'r"(?<=\S)\s"': r'r"\s(?=\S)"'}, "the cut is made before the last blank of a run: pieces of the run change",
     killed_by="test_a_run_of_white_space_stays_together")
edit("cut_text", "one-too-few", {"range(1, count)": "range(1, count - 1)"}, "one cut too few is made",
     killed_by="test_a_cut_moves_on_to_the_next_white_space")
edit("cut_text", "steps-rounded-down", {"k * len(text) // count": "k * (len(text) // count)"},
     "the length of a chunk is rounded down before it is multiplied, so the last chunk is too long",
     killed_by="test_cuts_are_wanted_at_like_distances")
edit("cut_text", "without-a-place-an-error", {"if found := safe.search(text, k * len(text) // count):\n            places.add(found.start())":
     "places.add(safe.search(text, k * len(text) // count).start())"},
     "where no white space comes any more, there is nothing to ask for its place", killed_by="test_where_no_place_is_left_there_is_no_cut")
edit("cut_text", "from-the-last-cut", {"places = {0, len(text)}": "places, last = {0, len(text)}, 0",
     "k * len(text) // count": "last + len(text) // count", "places.add(found.start())": "last = found.start()\n            places.add(last)"},
     "each cut is looked for a chunk's length after the last one: it is wanted at k · n // count",
     killed_by="test_cuts_are_wanted_at_like_distances")
edit("cut_text", "back-to-the-start", {"if found := safe.search(text, k * len(text) // count):\n            places.add(found.start())":
     "found = text.rfind(' ', 0, k * len(text) // count)\n        places.add(max(found, 0))"},
     "the cut moves back to the last blank: it moves on to the next", killed_by="test_a_cut_moves_on_to_the_next_white_space")
edit("cut_text", "in-utf-8", {"k * len(text) // count": 'k * len(text.encode("utf-8")) // count'},
     "the place is counted in bytes, and used as one in characters", killed_by="test_every_white_space_will_do")
edit("cut_text", "empty-chunks", {"{0, len(text)}": "[0, len(text)]", "places.add(": "places.append("},
     "two cuts at one place leave an empty chunk", killed_by="test_two_cuts_at_one_place_are_one")
edit("cut_text", "words-only", {"text[start:end] for": "text[start:end].strip() for"}, "blanks at the ends of chunks are lost",
     killed_by="test_a_cut_moves_on_to_the_next_white_space")
edit("cut_text", "places-in-floats", {"k * len(text) // count": "int(k * (len(text) / count))"},
     "the places are computed in floats: 21 · (238 / 49) is less than 102 there", killed_by="test_places_are_whole_numbers_and_white_space_is_that_of_regex")



NONE_EMPTY = "test_short_texts_are_cut_into_no_empty_chunks"


@mistake("cut_text", "before-the-first-the-last", "at place 0 the last character is taken for the one before, and the first chunk is empty",
         killed_by=NONE_EMPTY)
def cut_text(text, count):
    n, places = len(text), [0]
    for k in range(1, count):
        place = k * n // count
        while place < n and not (regex.match(r"\s", text[place]) and regex.match(r"\S", text[place - 1])):
            place += 1
        if place < n and place not in places[1:]:
            places.append(place)
    return [text[i:j] for i, j in pairwise([*places, n])] if text else []


edit("cut_text", "no-more-than-characters", {"safe = regex": "count = min(count, len(text) // 2)\n    safe = regex"},
     "no more chunks are tried than half the characters: cuts are wanted at k · n // count", killed_by=NONE_EMPTY)
edit("cut_text", "share-first", {"k * len(text) // count": "int(k / count * len(text))"},
     "k / count is a float, and what it gives times n can lie below the whole number",
     killed_by="test_places_are_whole_numbers_and_white_space_is_that_of_regex")

@mistake("cut_text", "moved-on", "where two cuts fall on one place, the second is made at the next one",
         killed_by="test_a_long_text_is_cut_into_parts_of_like_length")
def cut_text(text, count):
    safe, cuts = regex.compile(r"(?<=\S)\s"), [0]
    for k in range(1, count):
        if found := safe.search(text, max(k * len(text) // count, cuts[-1] + 1)):
            cuts.append(found.start())
    return [text[start:end] for start, end in pairwise([*cuts, len(text)]) if start < end]


# merge_step
@alternative("merge_step", "only-the-difference")
def merge_step(pair, new, words, counts, pairs, where):
    for i in sorted(where[pair]):
        before, after = words[i], tuple(merged(words[i], pair, new))
        words[i] = after
        change = Counter(pairwise(after))
        change.subtract(pairwise(before))
        held = set(pairwise(after))
        for changed, number in change.items():
            pairs[changed] = pairs.get(changed, 0) + number * counts[i]
            if changed in held:
                where.setdefault(changed, set()).add(i)
            else:
                where[changed].discard(i)
            if not pairs[changed]:
                pairs.pop(changed)
                where.pop(changed)
    return {key for key in pairs if new in key}


@alternative("merge_step", "all-out-then-all-in")
def merge_step(pair, new, words, counts, pairs, where):
    held = tuple(where[pair])
    for i in held:
        for left, right in zip(words[i], words[i][1:]):
            pairs[left, right] -= counts[i]
            where[left, right] -= {i}
    for i in held:
        out, k = [], 0
        while k < len(words[i]):
            if words[i][k : k + 2] == pair:
                out.append(new)
                k += 2
            else:
                out.append(words[i][k])
                k += 1
        words[i] = tuple(out)
        for left, right in zip(words[i], words[i][1:]):
            pairs[left, right] = pairs.get((left, right), 0) + counts[i]
            where[left, right] = where.get((left, right), set()) | {i}
    for key in [key for key, count in pairs.items() if count == 0]:
        del pairs[key], where[key]
    return {key for key in pairs if new in key}


@mistake("merge_step", "counted-anew", "all words are looked at and counted anew: only those in where[pair] may be",
         killed_by="test_words_without_the_pair_are_not_looked_at")
def merge_step(pair, new, words, counts, pairs, where):
    pairs.clear()
    where.clear()
    for i, word in enumerate(words):
        words[i] = tuple(merged(word, pair, new))
        for now in pairwise(words[i]):
            pairs[now] = pairs.get(now, 0) + counts[i]
            where.setdefault(now, set()).add(i)
    return {key for key in pairs if new in key}


@mistake("merge_step", "counted-anew-where-shown", "counts are made anew from the words that are shown: keep those of the others",
         killed_by="test_words_without_the_pair_are_not_looked_at")
def merge_step(pair, new, words, counts, pairs, where):
    pairs.clear()
    where.clear()
    for i, word in enumerate(words):
        if word is None:
            continue
        words[i] = tuple(merged(word, pair, new))
        for now in pairwise(words[i]):
            pairs[now] = pairs.get(now, 0) + counts[i]
            where.setdefault(now, set()).add(i)
    return {key for key in pairs if new in key}


edit("merge_step", "count-of-the-word-forgotten", {"-= counts[i]": "-= 1", "+ counts[i]": "+ 1"},
     "each word counts once: a pair counts as often as its word occurs", killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "nothing-taken-out", {"            pairs[old] -= counts[i]\n            where[old].discard(i)\n": "            if old == pair:\n                pairs[old] = 0\n",
     "if pairs[old] == 0:": "if pairs.get(old) == 0:"},
     "the word's old pairs stay counted: take them out before the merge", killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "where-not-brought-up-to-date", {"            where[old].discard(i)\n": ""},
     "where still names words that lost the pair", killed_by="test_words_without_the_pair_are_not_looked_at")
edit("merge_step", "where-not-added", {"            where.setdefault(now, set()).add(i)\n": "            where.setdefault(now, set())\n"},
     "where does not name the words that hold the new pairs", killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "zeros-stay", {"            if pairs[old] == 0:\n                del pairs[old], where[old]\n": ""},
     "pairs that occur no more stay in the tables with 0", killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "each-pair-of-a-word-once", {"in pairwise(words[i]):\n            pairs[old]": "in set(pairwise(words[i])):\n            pairs[old]"},
     "a pair that stands in a word twice is taken out once: each place counts", killed_by="test_a_pair_may_stand_in_a_word_twice")
edit("merge_step", "set-changed-meanwhile", {"list(where[pair])": "where[pair]"},
     "the set is changed while the loop goes through it: go through a copy", killed_by="test_words_without_the_pair_are_not_looked_at")
edit("merge_step", "only-the-pair-removed", {"pairs[old] -= counts[i]\n            where[old].discard(i)\n            if pairs[old] == 0:\n                del pairs[old], where[old]":
     "if old == pair:\n                pairs[old] -= counts[i]\n                where[old].discard(i)\n                if pairs[old] == 0:\n                    del pairs[old], where[old]"},
     "only the merged pair is taken out: the pairs beside it change too, and the others are counted twice",
     killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "all-pairs-come-back", {"            if new in now:\n                made.add(now)": "            made.add(now)"},
     "all pairs of the words come back: only those that hold the new id were asked for", killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "nothing-comes-back", {"    return made": "    return None"}, "the set of new pairs does not come back",
     killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "word-stays", {"words[i] = tuple(merged(words[i], pair, new))\n        for now in pairwise(words[i])": "word = tuple(merged(words[i], pair, new))\n        for now in pairwise(word)"},
     "the words stay as they were: the next step needs the merged ones", killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "lists", {"tuple(merged(words[i], pair, new))": "merged(words[i], pair, new)"}, "a word is left as a list: words are tuples",
     killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "copies", {"    made = set()\n": "    made, pairs = set(), dict(pairs)\n"}, "a copy of pairs is brought up to date: the table is to change in place",
     killed_by="test_one_word_is_taken_out_and_put_back")
edit("merge_step", "words-of-a-place", {"words[i] = tuple(merged(words[i], pair, new))":
     "k = list(pairwise(words[i])).index(pair)\n        words[i] = words[i][:k] + (new,) + words[i][k + 2 :]"},
     "only the first place in a word is merged: merge wherever the pair stands", killed_by="test_a_pair_may_stand_in_a_word_twice")


edit("merge_step", "equal-words-merged-once", {"words[i] = tuple(merged(words[i], pair, new))":
     "old = words[i]\n        words[i] = tuple(merged(old, pair, new))\n        counts = [0 if j != i and w == old else c for j, (w, c) in enumerate(zip(words, counts))]"},
     "words that are equal are counted once: each has its own place and count", killed_by="test_equal_words_large_counts_and_large_ids_are_merged")
edit("merge_step", "thousand-words", {"list(where[pair])": "list(where[pair])[:1000]"},
     "of many words only the first ones are merged",
     killed_by="test_many_words_and_long_ones_are_merged_whole")


# train
@alternative("train", "largest-by-max")
def train(words, counts, size):
    pairs, where, merges = {}, {}, {}
    for i in range(len(words)):
        for pair in zip(words[i], words[i][1:]):
            pairs[pair] = pairs.get(pair, 0) + counts[i]
            where.setdefault(pair, set()).add(i)
    for new in range(256, size):
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merge_step(best, new, words, counts, pairs, where)
        merges[best] = new
    return merges


@alternative("train", "counted-anew", slow="it counts all pairs anew before each merge, which is what the lesson does away with")
def train(words, counts, size):
    merges = {}
    while len(merges) + 256 < size:
        pairs = Counter()
        for word, count in zip(words, counts):
            for pair in pairwise(word):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges[best] = 256 + len(merges)
        for i in range(len(words)):
            words[i] = tuple(merged(words[i], best, merges[best]))
    return merges


@alternative("train", "library-counts")
def train(words, counts, size):
    pairs = dict(bpe.count_pairs(words, counts))
    where = {pair: set() for pair in pairs}
    for i, word in enumerate(words):
        for pair in pairwise(word):
            where[pair].add(i)
    heap, merges = [(-n, *pair) for pair, n in pairs.items()], {}
    heapq.heapify(heap)
    while len(merges) < size - 256 and heap:
        late, a, b = heap[0]
        now = pairs.get((a, b), 0)
        if now == 0:
            heapq.heappop(heap)
        elif now < -late:
            heapq.heapreplace(heap, (-now, a, b))
        else:
            merges[a, b] = len(merges) + 256
            for c, d in merge_step((a, b), merges[a, b], words, counts, pairs, where):
                heapq.heappush(heap, (-pairs[c, d], c, d))
    return merges


edit("train", "late-counts", {"        if pairs[pair] != -count:\n            heapq.heappush(heap, (-pairs[pair], pair))\n            continue\n": ""},
     "an entry of the heap is believed, though the pair's count has fallen since", killed_by="test_counts_that_fell_are_seen")
edit("train", "late-entries-dropped", {"            heapq.heappush(heap, (-pairs[pair], pair))\n            continue": "            continue"},
     "an entry whose count has fallen is thrown away: put it back with the count of now", killed_by="test_counts_that_fell_are_seen")
edit("train", "new-pairs-not-pushed", {"        for made in merge_step(pair, merges[pair], words, counts, pairs, where):\n            heapq.heappush(heap, (-pairs[made], made))":
     "        merge_step(pair, merges[pair], words, counts, pairs, where)"},
     "pairs with the new id never come into the heap, so no merge builds on another", killed_by="test_the_papers_words_give_est_and_low")
edit("train", "gone-pairs", {"        if pair not in pairs:\n            continue\n": ""}, "a pair that is gone is still in the heap: drop it",
     killed_by="test_any_pieces_give_the_merges_of_the_library")
edit("train", "size-as-merges", {"256 + len(merges) < size": "len(merges) < size"}, "size is taken for the number of merges: the 256 bytes count",
     killed_by="test_of_equally_frequent_pairs_the_smaller_ids_win")
edit("train", "rarest-first", {"heap = [(-count, pair)": "heap = [(count, pair)", "pairs[pair] != -count": "pairs[pair] != count", "heapq.heappush(heap, (-pairs[pair], pair))": "heapq.heappush(heap, (pairs[pair], pair))",
     "heapq.heappush(heap, (-pairs[made], made))": "heapq.heappush(heap, (pairs[made], made))"},
     "the rarest pair is merged: a heap has the smallest on top, so push the count with a minus", killed_by="test_the_papers_words_give_est_and_low")
edit("train", "counts-not-used", {"pairs.get(pair, 0) + counts[i]": "pairs.get(pair, 0) + 1"}, "at the start each word counts once: it counts as often as it occurs",
     killed_by="test_the_papers_words_give_est_and_low")
edit("train", "pairs-once-a-word", {"for pair in pairwise(word):": "for pair in set(pairwise(word)):"}, "at the start a pair counts once for each word that holds it: each place counts",
     killed_by="test_any_pieces_give_the_merges_of_the_library")
edit("train", "words-copied", {"    pairs, where, merges = {}, {}, {}\n": "    pairs, where, merges = {}, {}, {}\n    words = list(words)\n"},
     "a copy of the words is merged: they are to hold their tokens at the end", killed_by="test_words_hold_their_tokens_at_the_end")
edit("train", "one-merge-too-many", {"256 + len(merges) < size": "256 + len(merges) <= size"}, "one merge too many is made",
     killed_by="test_of_equally_frequent_pairs_the_smaller_ids_win")
edit("train", "ids-from-257", {"merges[pair] = 256 + len(merges)": "merges[pair] = 257 + len(merges)"}, "the first merge gets the id 257: it is 256",
     killed_by="test_of_equally_frequent_pairs_the_smaller_ids_win")
edit("train", "once-not-merged", {"    while heap and 256": "    while heap and heap[0][0] < -1 and 256"}, "a pair that occurs once is not merged: the training ends when no pair is left",
     killed_by="test_training_ends_when_no_pair_is_left")


@mistake("train", "first-seen-wins", "of equally frequent pairs the first in the dictionary wins: the smaller ids do",
         killed_by="test_of_equally_frequent_pairs_the_smaller_ids_win")
def train(words, counts, size):
    pairs, where, merges = {}, {}, {}
    for i, word in enumerate(words):
        for pair in pairwise(word):
            pairs[pair] = pairs.get(pair, 0) + counts[i]
            where.setdefault(pair, set()).add(i)
    while pairs and 256 + len(merges) < size:
        best = max(pairs, key=pairs.get)
        merges[best] = 256 + len(merges)
        merge_step(best, merges[best], words, counts, pairs, where)
    return merges


edit("train", "larger-ids-win", {"best = max(pairs, key=pairs.get)": "best = max(pairs, key=lambda pair: (pairs[pair], pair))"},
     "of equally frequent pairs the larger ids win, as max over (count, pair) has it: the smaller do",
     killed_by="test_of_equally_frequent_pairs_the_smaller_ids_win", of="first-seen-wins")


ANEW = "test_any_words_some_of_them_equal_are_trained_as_by_counting_anew"
edit("train", "equal-words-once", {"pairs, where, merges = {}, {}, {}":
     "pairs, where, merges = {}, {}, {}\n    counts = [dict(zip(words, counts))[w] if words.index(w) == i else 0 for i, w in enumerate(words)]"},
     "a word that stands in the list twice is counted once", killed_by=ANEW)
edit("train", "counts-in-floats", {"pairs.get(pair, 0) + counts[i]": "pairs.get(pair, 0.0) + counts[i]"},
     "counts are added in floats, where very large ones are rounded: they are whole numbers", killed_by=ANEW)
edit("train", "size-capped", {"len(merges) < size": "len(merges) < min(size, 1024)"},
     "the vocabulary ends early, though pairs are left",
     killed_by="test_long_runs_of_a_letter_are_merged_too")


# encode
@alternative("encode", "merge-by-merge")
def encode(text, merges, special):
    ids, table = [], byte_ids()
    for part, whole in cut_special(text, special):
        if whole:
            ids.append(special[part])
        else:
            for piece in split_text(part):
                word = [table[byte] for byte in piece.encode()]
                while True:
                    known = [pair for pair in pairwise(word) if pair in merges]
                    if not known:
                        break
                    first = min(known, key=merges.get)
                    word = merged(word, first, merges[first])
                ids.extend(word)
    return ids


@alternative("encode", "pieces-cached")
def encode(text, merges, special):
    number = byte_ids()
    order = {pair: (rank, merges[pair]) for rank, pair in enumerate(sorted(merges, key=lambda pair: merges[pair]))}
    seen = {}

    def of_piece(piece):
        if piece not in seen:
            seen[piece] = join([number[byte] for byte in bytes(piece, "utf-8")], order)
        return seen[piece]

    parts = cut_special(text, list(special))
    of_parts = [[[special[part]]] if known else map(of_piece, split_text(part)) for part, known in parts]
    return [i for pieces in of_parts for piece in pieces for i in piece]


edit("encode", "not-split", {"for piece in split_text(part):": "for piece in [part]:"}, "the text is not split, so merges cross from word to word",
     killed_by="test_no_merge_crosses_a_piece")
edit("encode", "split-at-blanks", {"split_text(part)": "part.split()"}, "the text is split at blanks, which are lost: use split_text",
     killed_by="test_gpt2s_merges_give_gpt2s_ids")
edit("encode", "special-not-cut", {"cut_special(text, special)": "[(text, False)]"}, "special tokens are split and merged like text",
     killed_by="test_a_special_token_is_one_id")
edit("encode", "special-after-the-split", {"cut_special(text, special)": "[(piece, piece in special) for piece in split_text(text)]"},
     "the text is split before the special tokens are cut out, so they are never found", killed_by="test_a_special_token_is_one_id")
edit("encode", "special-dropped", {"            ids.append(special[part])\n": ""}, "special tokens are cut out and left out",
     killed_by="test_a_special_token_is_one_id")
edit("encode", "byte-as-id", {"spelling[byte] for byte": "byte for byte"}, "bytes are taken for ids: GPT-2 numbers them in another order (byte_ids)",
     killed_by="test_gpt2s_merges_give_gpt2s_ids")
edit("encode", "characters", {"spelling[byte] for byte in piece.encode(\"utf-8\")": "spelling[ord(c) % 256] for c in piece"},
     "characters are looked up in place of bytes", killed_by="test_any_text_has_the_ids_of_the_library")
edit("encode", "utf-16", {"\"utf-8\"": "\"utf-16-le\""}, "the text is written in UTF-16: UTF-8 was asked for", killed_by="test_gpt2s_merges_give_gpt2s_ids")
edit("encode", "latest-first", {"{pair: (new, new)": "{pair: (-new, new)"}, "the merge that was learnt last is made first",
     killed_by="test_of_the_merges_the_earliest_is_made_first")
edit("encode", "order-of-the-dictionary", {"{pair: (new, new) for pair, new in merges.items()}": "{pair: (rank, new) for rank, (pair, new) in enumerate(merges.items())}"},
     "the place in the dictionary is taken for the rank: the smallest id was learnt first", killed_by="test_of_the_merges_the_earliest_is_made_first")
edit("encode", "rank-as-id", {"{pair: (new, new) for pair, new in merges.items()}": "{pair: (new, 256 + rank) for rank, (pair, new) in enumerate(merges.items())}"},
     "ids are counted from 256 in the order of the dictionary: merges says the id", killed_by="test_gpt2s_merges_give_gpt2s_ids")
edit("encode", "lists-of-pieces", {"ids += join": "ids.append(join", "piece.encode(\"utf-8\")], ranks)": "piece.encode(\"utf-8\")], ranks))"},
     "a list for each piece comes back: one list of ids was asked for", killed_by="test_gpt2s_merges_give_gpt2s_ids")


@mistake("encode", "leftmost-first", "the leftmost pair that is a merge is joined first: the one with the smallest id is",
         killed_by="test_of_the_merges_the_earliest_is_made_first")
def encode(text, merges, special):
    ids, table = [], byte_ids()
    for part, whole in cut_special(text, special):
        if whole:
            ids.append(special[part])
            continue
        for piece in split_text(part):
            word = [table[byte] for byte in piece.encode()]
            while known := [pair for pair in pairwise(word) if pair in merges]:
                word = merged(word, known[0], merges[known[0]])
            ids += word
    return ids


@mistake("encode", "longest-token", "the longest token that fits is taken, as WordPiece does: merges are made by rank",
         killed_by="test_of_the_merges_the_earliest_is_made_first")
def encode(text, merges, special):
    table = byte_ids()
    written = {i: bytes([byte]) for byte, i in enumerate(table)}
    for (a, b), new in sorted(merges.items(), key=lambda item: item[1]):
        if a in written and b in written:
            written[new] = written[a] + written[b]
    known, ids = {token: i for i, token in written.items()}, []
    for part, whole in cut_special(text, special):
        for piece in [] if whole else split_text(part):
            rest = piece.encode()
            while rest:
                end = next(end for end in range(len(rest), 0, -1) if rest[:end] in known)
                ids.append(known[rest[:end]])
                rest = rest[end:]
        if whole:
            ids.append(special[part])
    return ids
edit("encode", "composed-first", {"in cut_special(text, special)": 'in cut_special(__import__("unicodedata").normalize("NFC", text), special)'},
     "the text is normalised first: its bytes are those of the text as it is", killed_by="test_a_text_is_taken_as_it_is_and_0_is_an_id")



edit("encode", "line-by-line", {"in split_text(part)": "in [p for line in part.splitlines(keepends=True) for p in split_text(line)]"},
     "the text is split line by line: two line ends, or blanks before one, are one piece",
     killed_by="test_any_text_is_cut_as_a_whole_and_merged_by_id")
edit("encode", "paragraph-by-paragraph", {"in split_text(part)": 'in [p for block in regex.split(r"(?<=\\n\\n)", part) for p in split_text(block)]'},
     "the text is split after two line ends: more white space after them is one piece with them",
     killed_by="test_any_text_is_cut_as_a_whole_and_merged_by_id")
edit("encode", "piece-cut", {'piece.encode("utf-8")]': 'piece.encode("utf-8")[:1000]]'}, "a long piece is cut off",
     killed_by="test_many_special_tokens_and_the_text_between_them_have_ids")


# encode_stream
@alternative("encode_stream", "one-place-from-the-right")
def encode_stream(chunks, merges, special):
    rest = ""
    for chunk in chunks:
        rest = rest + chunk
        cut = len(rest) - 1
        while cut > 0 and not (regex.match(r"\s", rest[cut]) and regex.match(r"\S", rest[cut - 1])):
            cut -= 1
        if cut > 0:
            for i in encode(rest[:cut], merges, special):
                yield i
            rest = rest[cut:]
    for i in encode(rest, merges, special):
        yield i


@alternative("encode_stream", "reversed-search")
def encode_stream(chunks, merges, special):
    kept = []
    for chunk in chunks:
        kept.append(chunk)
        text = "".join(kept)
        found = regex.search(r"(?r)(?<=\S)(?=\s)", text)
        if found:
            yield from encode(text[: found.start()], merges, special)
            kept = [text[found.start() :]]
    yield from encode("".join(kept), merges, special)


edit("encode_stream", "chunk-by-chunk", {"        held += chunk\n        places = [found.start() for found in regex.finditer(r\"(?<=\\S)\\s\", held)]\n        if places:\n            yield from encode(held[: places[-1]], merges, special)\n            held = held[places[-1] :]\n":
     "        yield from encode(chunk, merges, special)\n"},
     "each chunk is encoded by itself: words that lie in two are cut", killed_by="test_a_word_may_lie_in_two_chunks")
edit("encode_stream", "all-at-once", {"        places = [found.start() for found in regex.finditer(r\"(?<=\\S)\\s\", held)]\n        if places:\n            yield from encode(held[: places[-1]], merges, special)\n            held = held[places[-1] :]\n": ""},
     "the whole stream is read before the first id comes: encode what is before the last safe place",
     killed_by="test_ids_come_before_the_next_chunk_is_taken")
edit("encode_stream", "list-of-all", {"yield from encode(held[: places[-1]], merges, special)": "ids += encode(held[: places[-1]], merges, special)",
     "    held = \"\"\n": "    held, ids = \"\", []\n", "    yield from encode(held, merges, special)": "    return ids + encode(held, merges, special)"},
     "a list of all ids comes back when the stream has ended: yield them as they come", killed_by="test_ids_come_before_the_next_chunk_is_taken")
edit("encode_stream", "end-forgotten", {"            held = held[places[-1] :]\n    yield from encode(held, merges, special)": "            held = held[places[-1] :]"},
     "what is held at the end is lost", killed_by="test_a_word_may_lie_in_two_chunks")
edit("encode_stream", "after-the-blank", {r"(?<=\S)\s": r"(?<=\s)\S"}, "the cut is made after white space: the blank goes with the word after it",
     killed_by="test_a_word_may_lie_in_two_chunks")
edit("encode_stream", "within-a-run", {r"(?<=\S)\s": r"\s"}, "the cut may be made within a run of white space: only at its beginning",
     killed_by="test_white_space_may_lie_in_two_chunks")
edit("encode_stream", "first-place", {"places[-1]], merges": "places[0]], merges", "held[places[-1] :]": "held[places[0] :]"},
     "the cut is made at the first safe place: more and more is held", killed_by="test_what_is_held_ends_at_the_last_safe_place")
edit("encode_stream", "held-twice", {"            held = held[places[-1] :]\n": "            held = held[places[-1] - 1 :]\n"},
     "a character is encoded twice", killed_by="test_a_word_may_lie_in_two_chunks")
edit("encode_stream", "held-forgotten", {"held += chunk": "held = chunk"}, "what was held is lost when the next chunk comes",
     killed_by="test_a_word_may_lie_in_two_chunks")
edit("encode_stream", "last-piece-held", {"        places = [found.start() for found in regex.finditer(r\"(?<=\\S)\\s\", held)]\n        if places:\n            yield from encode(held[: places[-1]], merges, special)\n            held = held[places[-1] :]\n":
     "        *whole, held = split_text(held) or [\"\"]\n        yield from encode(\"\".join(whole), merges, special)\n"},
     "all but the last piece is encoded: a special token or white space that goes on in the next chunk is cut",
     killed_by="test_a_special_token_may_lie_in_two_chunks")
edit("encode_stream", "special-forgotten", {"yield from encode(held, merges, special)": "yield from encode(held, merges, {})"},
     "in the last part special tokens are taken for text", killed_by="test_a_special_token_may_lie_in_two_chunks")


@mistake("encode_stream", "one-chunk-ahead", "the next chunk is taken before what was safe in this one is encoded",
         killed_by="test_no_chunk_is_taken_before_it_is_needed")
def encode_stream(chunks, merges, special):
    chunks, held = iter(chunks), ""
    chunk = next(chunks, None)
    while chunk is not None:
        held += chunk
        chunk = next(chunks, None)
        places = [found.start() for found in regex.finditer(r"(?<=\S)\s", held)]
        if places:
            yield from encode(held[: places[-1]], merges, special)
            held = held[places[-1] :]
    yield from encode(held, merges, special)


edit("encode_stream", "seam-not-seen", {"        held += chunk\n        places = [found.start() for found in regex.finditer(r\"(?<=\\S)\\s\", held)]":
     "        places = [len(held) + found.start() for found in regex.finditer(r\"(?<=\\S)\\s\", chunk)]\n        held += chunk"},
     "white space at a chunk's beginning is no safe place, as the character before it is not seen", killed_by="test_no_chunk_is_taken_before_it_is_needed")
HELD = "test_a_word_of_many_chunks_is_held_and_what_was_encoded_is_not"
edit("encode_stream",
     "never-too-long", {"held += chunk":
     'held += chunk\n        if len(held) > 4096:\n            yield from encode(held, merges, special)\n            held = ""'},
     "a long text without white space is encoded before a safe place comes", killed_by=HELD)
edit("encode_stream", "ids-kept", {'held = ""': 'held, ids = "", []',
     "yield from encode(held[: places[-1]], merges, special)":
     "ids.append(encode(held[: places[-1]], merges, special))\n            yield from ids[-1]"},
     "all ids are kept until the end: no more is held than what comes after the last safe place", killed_by=HELD)


@mistake("encode_stream", "text-kept",
     "the text is kept until the end: no more is held than what comes after the last safe place",
     killed_by=HELD)
def encode_stream(chunks, merges, special):
    text, start = "", 0
    for chunk in chunks:
        text += chunk
        places = [found.start() for found in regex.compile(r"(?<=\S)\s").finditer(text, start)]
        if places:
            yield from encode(text[start : places[-1]], merges, special)
            start = places[-1]
    yield from encode(text[start:], merges, special)


# tokenizer_json
@alternative("tokenizer_json", "lists-and-updates")
def tokenizer_json(merges, special):
    flags = {**dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False), "special": True}
    step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    names, rows = sorted(BYTES), []
    for a, b in merges:
        rows.append([names[a], names[b]])
        names.append("".join(rows[-1]))
    vocab = dict(zip(names, range(len(names))))
    added = []
    for i, token in sorted((i, token) for token, i in special.items()):
        vocab[token] = i
        added.append({"id": i, "content": token} | flags)
    model = {"type": "BPE", "vocab": vocab, "merges": rows}
    return {"version": "1.0", "added_tokens": added, "pre_tokenizer": step, "decoder": dict(step), "model": model}


@alternative("tokenizer_json", "all-keys")
def tokenizer_json(merges, special):
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    token = dict(enumerate(sorted(BYTES)))
    pairs = []
    for (a, b), new in sorted(merges.items(), key=lambda item: item[1]):
        pairs.append((token[a], token[b]))
        token[new] = token[a] + token[b]
    token.update({i: name for name, i in special.items()})
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": i, "content": token[i], **flags} for i in sorted(special.values())],
        "normalizer": None, "pre_tokenizer": step, "post_processor": None, "decoder": step,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False, "vocab": {name: i for i, name in token.items()}, "merges": [list(pair) for pair in pairs]},
    }


edit("tokenizer_json", "order-of-the-bytes", {"sorted(BYTES)": "BYTES"}, "the ids of the bytes are those of BYTES as it stands: sort the characters",
     killed_by="test_tokens_are_written_in_the_characters_of_bytes")
edit("tokenizer_json", "special-not-in-vocab", {" | special": ""}, "special tokens are missing in vocab", killed_by="test_tokens_are_written_in_the_characters_of_bytes")
edit("tokenizer_json", "special-as-given", {"sorted(special, key=special.get)": "list(special)"}, "special tokens are listed as they were given: by id was asked for",
     killed_by="test_special_tokens_are_listed_by_id")
edit("tokenizer_json", "special-by-name", {"sorted(special, key=special.get)": "sorted(special)"}, "special tokens are listed by name: by id was asked for",
     killed_by="test_special_tokens_are_listed_by_id")
edit("tokenizer_json", "ids-as-merges", {"[tokens[a], tokens[b]] for a, b in merges": "[a, b] for a, b in merges"}, "merges holds ids: tokens are asked for",
     killed_by="test_merges_are_pairs_of_tokens_the_earliest_first")
edit("tokenizer_json", "joined-merges", {"[tokens[a], tokens[b]] for a, b in merges": "[tokens[a] + tokens[b]] for a, b in merges"}, "merges holds what the pairs become: the pairs are asked for",
     killed_by="test_merges_are_pairs_of_tokens_the_earliest_first")
edit("tokenizer_json", "turned-round", {"{token: i for i, token in tokens.items()} | special": "{i: token for i, token in tokens.items()} | special"},
     "vocab goes from id to token: from token to id was asked for", killed_by="test_tokens_are_written_in_the_characters_of_bytes")
edit("tokenizer_json", "blanks-in-tokens", {"dict(enumerate(sorted(BYTES)))": "{i: chr(BYTES.index(c)) for i, c in enumerate(sorted(BYTES))}"},
     "tokens hold the bytes themselves: they are written in the characters of BYTES, a blank as Ġ", killed_by="test_tokens_are_written_in_the_characters_of_bytes")
edit("tokenizer_json", "no-decoder", {"        \"decoder\": step,\n": ""}, "the decoder is missing: ids would come back as Ġ and ëĪĪ",
     killed_by="test_the_steps_and_the_version_are_there")
edit("tokenizer_json", "no-version", {"        \"version\": \"1.0\",\n": ""}, "the version is missing", killed_by="test_the_steps_and_the_version_are_there")
edit("tokenizer_json", "no-flags", {", **flags}": "}"}, "the flags of special tokens are missing", killed_by="test_special_tokens_are_listed_by_id")
edit("tokenizer_json", "as-text", {"return {\n        \"version\"": "return __import__(\"json\").dumps({\n        \"version\"", "for a, b in merges]},\n    }": "for a, b in merges]},\n    })"},
     "a string came back: the dictionary was asked for, before json.dumps", killed_by="test_the_steps_and_the_version_are_there")
edit("tokenizer_json", "bytes-left-out", {"{token: i for i, token in tokens.items()} | special": "{token: i for i, token in tokens.items() if i > 255} | special"},
     "the 256 bytes are missing in vocab", killed_by="test_tokens_are_written_in_the_characters_of_bytes")
edit("tokenizer_json", "special-spelled", {'"content": token': '"content": "".join(BYTES[byte] for byte in token.encode())'},
     "special tokens are spelled in the characters of BYTES: they are text and stand as they are", killed_by="test_special_tokens_are_written_as_they_are")
edit("tokenizer_json", "one-letter-tokens", {"tokens[new] = tokens[a] + tokens[b]": "tokens[new] = chr(new)"},
     "a merge is written as a character of its own: it joins its two tokens", killed_by="test_tokens_are_written_in_the_characters_of_bytes")


edit("tokenizer_json", "merges-as-strings", {"[tokens[a], tokens[b]] for a, b in merges": 'f"{tokens[a]} {tokens[b]}" for a, b in merges'},
     "each merge is one string with a blank, as in older files: a list of two tokens was asked for",
     killed_by="test_merges_are_pairs_of_tokens_the_earliest_first")


equivalent("cut_special", "3: sorted(special, key=len, reverse=True) → sorted(special, reverse=True)",
           "of two tokens that fit at one place the shorter is the beginning of the longer, which comes first from the alphabet's end")
equivalent("cut_text", "3: range(1, count) → range(1, count + 1)", "the last cut is wanted at the end of the text, where nothing is found")
equivalent("merge_step", "10: pairs.get(now, 0) → pairs.get(now) or 0", "a pair that occurs 0 times is not there, and 0 is what it counts from")
equivalent("train", "4: pairs.get(pair, 0) → pairs.get(pair) or 0", "a pair that is there was counted once or more")
equivalent("byte_ids", "1: enumerate(sorted(BYTES)) → [(sorted(BYTES).index(item), item) for item in sorted(BYTES)]", "no character stands there twice")
equivalent("tokenizer_json", "1: enumerate(sorted(BYTES)) → [(sorted(BYTES).index(item), item) for item in sorted(BYTES)]", "no character stands there twice")
equivalent("cut_special", "5: enumerate(parts) → [(parts.index(item), item) for item in parts]",
           "text and special tokens take turns and never look alike, so the first of equal parts stands at a place of the same kind")
equivalent("cut_text", "2: {0, len(text)} → {0, len(text.encode())}", "the last chunk ends with the text, wherever beyond it the end is said to be")
equivalent("tokenizer_json", "4: {token: i for i, token in tokens.items()} → {__import__('unicodedata').normalize('NFC', token): i for i, token in tokens.items()}",
           "of the 256 characters that stand for bytes none joins another")
