"""A tokenizer that scales: the public checks. Expected values come from rules applied character by character, recounting, GPT-2's published
ids and the library `etude.tokenizers`, which is tested against Hugging Face tokenizers.
"""

import json
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

from etude.lesson.checks import claim, equal, exercise, true
from etude.lesson.interface import Student
from etude.tokenizers import byte_bpe
from etude.tokenizers.byte_bpe import ByteBPE

Pair = tuple[int, int]
ORDER = {character: i for i, character in enumerate(sorted(byte_bpe.BYTES))}
END = "<|endoftext|>"

# Of GPT-2's merges all that could play a part in "Hello world", "low lower lowest" and "It's 2019, isn't it?".
GPT2_SOME: dict[Pair, int] = {
    (68, 81): 263, (220, 86): 266, (72, 83): 270, (72, 82): 271, (78, 81): 273, (68, 82): 274, (75, 75): 297,
    (220, 75): 300, (82, 83): 301, (220, 271): 318, (78, 86): 322, (75, 67): 335, (6, 82): 338, (220, 270): 340,
    (220, 17): 362, (274, 83): 395, (68, 75): 417, (6, 83): 470, (266, 273): 476, (15, 16): 486, (362, 486): 580,
    (68, 297): 695, (86, 68): 732, (322, 263): 789, (476, 335): 995, (40, 83): 1026, (16, 24): 1129,
    (362, 15): 1160, (17, 15): 1238, (17, 486): 1264, (220, 72): 1312, (39, 68): 1544, (273, 335): 1764,
    (300, 322): 1877, (318, 77): 2125, (300, 78): 2376, (300, 789): 2793, (75, 78): 5439, (86, 1764): 6894,
    (86, 395): 7038, (1877, 395): 9016, (75, 322): 9319, (695, 78): 11109, (39, 417): 12621, (580, 24): 13130,
    (86, 263): 15448, (39, 11109): 15496, (82, 77): 16184, (297, 78): 18798, (75, 789): 21037, (86, 78): 21638,
    (1264, 24): 23344, (266, 78): 24486, (39, 695): 28254, (486, 24): 30484, (81, 75): 45895, (322, 68): 47097,
}  # fmt: skip


def spelled(text: str) -> tuple[int, ...]:
    """The ids of a text's bytes."""
    return tuple(ORDER[byte_bpe.BYTES[byte]] for byte in text.encode())


@exercise("split_text")
def test_a_blank_goes_with_the_word_after_it(student: Student) -> None:
    equal(student.split_text("low slow 눈 배"), ["low", " slow", " 눈", " 배"], given="low slow 눈 배")


@exercise("split_text")
def test_letters_numbers_and_signs_are_pieces_of_their_own(student: Student) -> None:
    equal(student.split_text("cups3?! 3잔 ½x"), ["cups", "3", "?!", " 3", "잔", " ½", "x"], given="cups3?! 3잔 ½x")
    equal(student.split_text("a_b ☕+2"), ["a", "_", "b", " ☕+", "2"], given="a_b ☕+2")


@exercise("split_text")
def test_seven_english_endings_are_cut_off(student: Student) -> None:
    equal(
        student.split_text("it's don't we're I've I'm we'll I'd"),
        ["it", "'s", " don", "'t", " we", "'re", " I", "'ve", " I", "'m", " we", "'ll", " I", "'d"],
        given="it's don't we're I've I'm we'll I'd",
    )


@exercise("split_text", points=0.5, needs="test_seven_english_endings_are_cut_off")
def test_other_apostrophes_are_signs(student: Student) -> None:
    equal(student.split_text("IT'S o'clock it’s"), ["IT", "'", "S", " o", "'", "clock", " it", "’", "s"], given="IT'S o'clock it’s")


@exercise("split_text")
def test_of_several_blanks_the_last_goes_with_the_word(student: Student) -> None:
    equal(student.split_text("a   b"), ["a", "  ", " b"], given="'a   b', three blanks")
    equal(student.split_text("a  \n"), ["a", "  \n"], given="'a  \\n': nothing comes after the white space")


@exercise("split_text")
def test_other_white_space_joins_no_word(student: Student) -> None:
    equal(student.split_text("a\n\n\tb\nc"), ["a", "\n\n", "\t", "b", "\n", "c"], given="'a\\n\\n\\tb\\nc'")


@exercise("split_text", points=0.5, needs="test_a_blank_goes_with_the_word_after_it")
def test_letters_of_every_script_are_letters(student: Student) -> None:
    equal(student.split_text("naïve Ёлка漢字ㅋㅋ"), ["naïve", " Ёлка漢字ㅋㅋ"], given="naïve Ёлка漢字ㅋㅋ")
    equal(student.split_text("\u1112\u1161\u11ab cafe\u0301"), ["\u1112\u1161\u11ab", " cafe", "\u0301"], given="한 and café in NFD")


@exercise("split_text", points=0.5, needs="test_a_blank_goes_with_the_word_after_it")
def test_the_empty_text_has_no_pieces(student: Student) -> None:
    equal(student.split_text(""), [], given="the empty text")


@claim("gpt2-byte-ids")
@exercise("byte_ids")
def test_bytes_are_numbered_in_the_order_of_their_characters(student: Student) -> None:
    ids = student.byte_ids()
    true(isinstance(ids, list) and len(ids) == 256, "a list of 256 ids was expected", actual=ids)
    equal([ids[byte] for byte in b"!Aa"], [0, 32, 64], given="the ids of the bytes of ! A a")
    equal([ids[byte] for byte in (255, 0, 32, 173)], [187, 188, 220, 255], given="the ids of the bytes 255, 0, 32, 173")


@exercise("byte_ids")
def test_a_syllable_has_the_ids_of_gpt2(student: Student) -> None:
    ids = student.byte_ids()
    equal([ids[byte] for byte in "눈".encode()], [167, 230, 230], given="the ids of the three bytes of 눈")


@exercise("cut_special")
def test_a_special_token_is_cut_out_whole(student: Student) -> None:
    equal(
        student.cut_special(f"a cat{END} the", [END]),
        [("a cat", False), (END, True), (" the", False)],
        given=f"a cat{END} the",
    )


@exercise("cut_special")
def test_what_looks_like_a_special_token_is_text(student: Student) -> None:
    for text in ["<|endoftext |>", "<|EndOfText|>", "<|endoftext|", "|endoftext|>", "endoftext", "<", "|"]:
        equal(student.cut_special(text, [END]), [(text, False)], given=f"{text}; special: {END}")


@exercise("cut_special")
def test_where_two_fit_the_longest_is_meant(student: Student) -> None:
    for special in (["[A]", "[A][B]"], ["[A][B]", "[A]"]):
        equal(
            student.cut_special("x[A][B]y[A]", special),
            [("x", False), ("[A][B]", True), ("y", False), ("[A]", True)],
            given=f"x[A][B]y[A]; special: {', '.join(special)}",
        )


@exercise("cut_special")
def test_from_left_to_right_none_is_looked_at_again(student: Student) -> None:
    equal(student.cut_special("xabcd", ["ab", "bcd"]), [("x", False), ("ab", True), ("cd", False)], given="xabcd; special: ab, bcd")
    equal(student.cut_special("aaa", ["aa"]), [("aa", True), ("a", False)], given="aaa; special: aa")


@exercise("cut_special", points=0.5, needs="test_a_special_token_is_cut_out_whole")
def test_no_part_is_empty(student: Student) -> None:
    equal(student.cut_special(END + END, [END]), [(END, True), (END, True)], given=f"{END}{END}")
    equal(student.cut_special("", [END]), [], given="the empty text")
    equal(student.cut_special("", []), [], given="the empty text, no special tokens")


@exercise("cut_special", points=0.5, needs="test_a_special_token_is_cut_out_whole")
def test_without_special_tokens_all_is_text(student: Student) -> None:
    equal(student.cut_special(f"a{END}", {}), [(f"a{END}", False)], given=f"a{END}; no special tokens")
    equal(student.cut_special(f"a{END}", {END: 50256}), [("a", False), (END, True)], given=f"a{END}; special: a dictionary")


@exercise("cut_text")
def test_a_cut_moves_on_to_the_next_white_space(student: Student) -> None:
    equal(student.cut_text("slower cat", 2), ["slower", " cat"], given="slower cat in 2")
    equal(student.cut_text("a slower cat is", 3), ["a slower", " cat", " is"], given="a slower cat is in 3")


@exercise("cut_text", points=0.5)
def test_cuts_are_wanted_at_like_distances(student: Student) -> None:
    equal(student.cut_text("a b c d e f", 4), ["a b", " c", " d e", " f"], given="a b c d e f in 4: cuts are wanted at 2, 5 and 8")


@exercise("cut_text")
def test_a_run_of_white_space_stays_together(student: Student) -> None:
    equal(student.cut_text("ab    cdefg h", 3), ["ab    cdefg", " h"], given="'ab    cdefg h' in 3: cuts are wanted at 4 and 8")
    equal(student.cut_text("ab  cd", 3), ["ab", "  cd"], given="'ab  cd' in 3: cuts are wanted at 2 and 4")


@exercise("cut_text")
def test_where_no_place_is_left_there_is_no_cut(student: Student) -> None:
    equal(student.cut_text("아버지가방에들어가신다", 3), ["아버지가방에들어가신다"], given="아버지가방에들어가신다 in 3")
    equal(student.cut_text("a bcdefgh", 2), ["a bcdefgh"], given="a bcdefgh in 2")


@exercise("cut_text", points=0.5, needs="test_a_cut_moves_on_to_the_next_white_space")
def test_two_cuts_at_one_place_are_one(student: Student) -> None:
    equal(student.cut_text("abcdefgh ij", 5), ["abcdefgh", " ij"], given="abcdefgh ij in 5")


@exercise("cut_text")
def test_every_white_space_will_do(student: Student) -> None:
    equal(student.cut_text("눈이\n온다\u3000배\t가", 4), ["눈이", "\n온다", "\u3000배", "\t가"], given="'눈이\\n온다\\u3000배\\t가' in 4")


@exercise("cut_text", points=0.5, needs="test_a_cut_moves_on_to_the_next_white_space")
def test_one_chunk_is_the_text_and_nothing_has_none(student: Student) -> None:
    equal(student.cut_text("a cat", 1), ["a cat"], given="a cat in 1")
    equal(student.cut_text("", 3), [], given="the empty text in 3")


def tables(words: list[Any], counts: list[int]) -> tuple[dict[Pair, int], dict[Pair, set[int]]]:
    """All pairs counted anew: how often each occurs, and the places of the words that hold it."""
    pairs: Counter[Pair] = Counter()
    where: dict[Pair, set[int]] = {}
    for i, word in enumerate(words):
        for pair in pairwise(word):
            pairs[pair] += counts[i]
            where.setdefault(pair, set()).add(i)
    return dict(pairs), where


def merged(word: tuple[int, ...], pair: Pair, new: int) -> tuple[int, ...]:
    """A word merged as text: str.replace goes from left to right and without overlap."""
    return tuple(map(ord, "".join(map(chr, word)).replace(chr(pair[0]) + chr(pair[1]), chr(new))))


def step(student: Student, words: list[tuple[int, ...]], counts: list[int], pair: Pair, new: int, given: str) -> None:
    """One merge step, compared with counting anew; words without the pair are hidden from the student."""
    pairs, where = tables(words, counts)
    after = [merged(word, pair, new) for word in words]
    seen: list[Any] = [word if i in where[pair] else None for i, word in enumerate(words)]
    pairs_after, where_after = tables(after, counts)
    handles = [student.put(value) for value in (seen, pairs, {key: set(places) for key, places in where.items()})]
    found = student.merge_step(pair, new, handles[0], counts, handles[1], handles[2])
    expected = [after[i] if word is not None else None for i, word in enumerate(seen)]
    equal(student.value(handles[0]), expected, given=f"{given}: words afterwards")
    equal(student.value(handles[1]), pairs_after, given=f"{given}: pairs afterwards")
    equal(student.value(handles[2]), where_after, given=f"{given}: where afterwards")
    equal(found, {made for made in pairs_after if new in made}, given=f"{given}: the set that came back")


@claim("bpe-words-of-the-pair")
@exercise("merge_step")
def test_one_word_is_taken_out_and_put_back(student: Student) -> None:
    step(student, [(1, 2, 3, 4)], [5], (1, 2), 256, "the word (1, 2, 3, 4) 5 times, the pair (1, 2)")


@exercise("merge_step")
def test_words_without_the_pair_are_not_looked_at(student: Student) -> None:
    words = [(1, 2, 3), (2, 3), (4, 1, 2), (3, 2)]
    step(student, words, [5, 7, 1, 2], (1, 2), 256, f"the words {words}, counts 5, 7, 1, 2, the pair (1, 2)")


@exercise("merge_step")
def test_a_pair_may_stand_in_a_word_twice(student: Student) -> None:
    words = [(1, 2, 1, 2), (1, 2, 3, 1, 2), (2, 1, 2, 1)]
    step(student, words, [3, 1, 2], (1, 2), 256, f"the words {words}, counts 3, 1, 2, the pair (1, 2)")


@exercise("merge_step")
def test_another_pair_may_stand_in_a_word_twice(student: Student) -> None:
    words = [(2, 3, 1, 2, 3), (3, 1, 2, 4, 3, 1)]
    step(student, words, [4, 1], (1, 2), 256, f"the words {words}, counts 4, 1, the pair (1, 2)")


@exercise("merge_step")
def test_a_pair_of_equal_ids_does_not_overlap(student: Student) -> None:
    for length in (2, 3, 4, 5):
        words = [(7,) * length, (7, 7, 9)]
        step(student, words, [2, 3], (7, 7), 300, f"the words {words}, counts 2, 3, the pair (7, 7)")


@exercise("train")
def test_the_papers_words_give_est_and_low(student: Student) -> None:
    counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    merges = student.in_place().train([spelled(word) for word in counts], list(counts.values()), 261)
    e, s, t, lo, w = (ORDER[c] for c in "estlw")
    expected = {(e, s): 256, (256, t): 257, (lo, ORDER["o"]): 258, (258, w): 259, (e, w): 260}
    equal(merges, expected, given="low 5 times, lower 2, newest 6, widest 3; size 261")


@exercise("train")
def test_of_equally_frequent_pairs_the_smaller_ids_win(student: Student) -> None:
    words = [(9, 8), (3, 5), (3, 4), (5, 1)]
    merges = student.in_place().train(words, [2, 2, 2, 2], 258)
    equal(merges, {(3, 4): 256, (3, 5): 257}, given="the words (9, 8), (3, 5), (3, 4), (5, 1), twice each; size 258")


@exercise("train")
def test_counts_that_fell_are_seen(student: Student) -> None:
    words = [(1, 2, 3), (2, 3), (4, 5)]
    merges = student.in_place().train(words, [5, 3, 4], 258)
    expected = {(2, 3): 256, (1, 256): 257}
    equal(merges, expected, given="the words (1, 2, 3) 5 times, (2, 3) 3 times, (4, 5) 4 times; size 258")
    words = [(1, 2, 3), (1, 2), (2, 3), (4, 5)]
    merges = student.in_place().train(words, [5, 3, 1, 4], 260)
    expected = {(1, 2): 256, (256, 3): 257, (4, 5): 258, (2, 3): 259}
    equal(merges, expected, given="(1, 2, 3) 5 times, (1, 2) 3 times, (2, 3) once, (4, 5) 4 times; size 260")


@exercise("train")
def test_words_hold_their_tokens_at_the_end(student: Student) -> None:
    handle = student.put([(1, 2, 3), (3, 1, 2)])
    student.train(handle, [2, 1], 257)
    equal(student.value(handle), [(256, 3), (3, 256)], given="the words (1, 2, 3) twice, (3, 1, 2) once; size 257: words afterwards")


@exercise("train", points=0.5, needs="test_the_papers_words_give_est_and_low")
def test_training_ends_when_no_pair_is_left(student: Student) -> None:
    equal(student.in_place().train([(1, 2), (3,)], [1, 9], 300), {(1, 2): 256}, given="(1, 2) once, (3,) 9 times; size 300")


@exercise("train", points=0.5, needs="test_the_papers_words_give_est_and_low")
def test_256_bytes_leave_no_room_for_a_merge(student: Student) -> None:
    equal(student.in_place().train([(1, 2)], [3], 256), {}, given="(1, 2) 3 times; size 256")


@claim("gpt2-ids")
@exercise("encode")
def test_gpt2s_merges_give_gpt2s_ids(student: Student) -> None:
    for text, ids in {
        "Hello world": [15496, 995],
        "low lower lowest": [9319, 2793, 9016],
        "It's 2019, isn't it?": [1026, 338, 13130, 11, 2125, 470, 340, 30],
    }.items():
        equal(student.encode(text, GPT2_SOME, {}), ids, given=f"{text!r}, GPT-2's merges")


@exercise("encode")
def test_a_special_token_is_one_id(student: Student) -> None:
    equal(
        student.encode(f"Hello world{END}!", GPT2_SOME, {END: 50256}),
        [15496, 995, 50256, 0],
        given=f"Hello world{END}!, GPT-2's merges, {END} is 50256",
    )


@exercise("encode", points=0.5, needs="test_a_special_token_is_one_id")
def test_not_told_of_a_special_token_it_is_text(student: Student) -> None:
    equal(student.encode("<|x|>", {}, {}), [27, 91, 87, 91, 29], given="<|x|>, no merges, no special tokens")


@exercise("encode")
def test_of_the_merges_the_earliest_is_made_first(student: Student) -> None:
    merges = {(65, 66): 256, (64, 65): 257, (257, 66): 258}
    equal(student.encode("abc", merges, {}), [64, 256], given="abc; (b, c) is 256, (a, b) 257, (ab, c) 258")
    merges = {(64, 65): 300, (65, 66): 290}
    equal(student.encode("abc", merges, {}), [64, 290], given="abc; (a, b) is 300, (b, c) is 290")


@exercise("encode")
def test_no_merge_crosses_a_piece(student: Student) -> None:
    equal(student.encode("ab1 a", {(65, 16): 256, (16, 220): 257, (220, 64): 258}, {}), [64, 65, 16, 258], given="ab1 a; (b, 1), (1, blank) and (blank, a) are merges")


@exercise("encode", points=0.5, needs="test_gpt2s_merges_give_gpt2s_ids")
def test_the_empty_text_has_no_ids(student: Student) -> None:
    equal(student.encode("", {(64, 65): 256}, {END: 257}), [], given="the empty text")


MERGES: dict[Pair, int] = {(64, 65): 256, (220, 256): 257, (256, 66): 258}  # ab, ␣ab, abc


@exercise("encode_stream")
def test_a_word_may_lie_in_two_chunks(student: Student) -> None:
    found = list(student.encode_stream(["a", "b", " a", "bc"], MERGES, {}))
    equal(found, [256, 257, 66], given="the chunks a, b, ␣a, bc; ab is 256, ␣ab 257, abc 258")


@exercise("encode_stream")
def test_white_space_may_lie_in_two_chunks(student: Student) -> None:
    found = list(student.encode_stream(["x ", " ", " ab\n", "\nx"], {**MERGES, (220, 220): 259, (198, 198): 260}, {}))
    equal(found, [87, 259, 257, 198, 198, 87], given="'x ', ' ', ' ab\\n', '\\nx'; ␣ab is 257, two blanks 259, two line ends 260")


@exercise("encode_stream")
def test_a_special_token_may_lie_in_two_chunks(student: Student) -> None:
    found = list(student.encode_stream(["ab<|en", "d|", ">ab <", "|end|>"], MERGES, {"<|end|>": 300}))
    equal(found, [256, 300, 256, 220, 300], given="ab<|en, d|, >ab␣<, |end|>; <|end|> is 300")


@exercise("encode_stream", points=1.5)
def test_ids_come_before_the_next_chunk_is_taken(student: Student) -> None:
    chunks = student.chain([" ab"] * 50)
    stream = student.encode_stream(chunks, MERGES, {})
    first = list(student.islice(stream, 3))
    equal(first, [257, 257, 257], given="the chunk ␣ab, 50 times: the first three ids")
    left = len(list(chunks))
    true(left >= 44, "the first three ids need four chunks; too few of the 50 are left", given="the chunk ␣ab, 50 times", actual=left)


@exercise("encode_stream", points=0.5, needs="test_a_word_may_lie_in_two_chunks")
def test_what_is_held_ends_at_the_last_safe_place(student: Student) -> None:
    chunks = student.chain(["ab" + 20 * " ab"] + 40 * ["c"])
    first = list(student.islice(student.encode_stream(chunks, MERGES, {}), 20))
    given = "a chunk of 21 words, ab, and 40 chunks c"
    equal(first, [256] + 19 * [257], given=f"{given}: the first 20 ids")
    left = len(list(chunks))
    true(left >= 38, "the first chunk holds 20 words that end, and they need no more", given=f"{given}: chunks left after 20 ids", actual=left)


@exercise("encode_stream", points=0.5, needs="test_a_word_may_lie_in_two_chunks")
def test_no_chunks_have_no_ids(student: Student) -> None:
    equal(list(student.encode_stream([], MERGES, {})), [], given="no chunks")
    equal(list(student.encode_stream(["", "ab", ""], MERGES, {})), [256], given="an empty chunk, ab, an empty chunk")


def plain_json(value: Any) -> Any:
    """What is read back of what json.dumps wrote."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):
        return None


STEP = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


@exercise("tokenizer_json")
def test_tokens_are_written_in_the_characters_of_bytes(student: Student) -> None:
    content = student.tokenizer_json(MERGES, {"<|end|>": 259})
    vocab = {character: i for i, character in enumerate(sorted(byte_bpe.BYTES))} | {"ab": 256, "Ġab": 257, "abc": 258, "<|end|>": 259}
    equal(content["model"]["vocab"], vocab, given="the merges ab, ␣ab and abc, <|end|> is 259: vocab")


@exercise("tokenizer_json")
def test_merges_are_pairs_of_tokens_the_earliest_first(student: Student) -> None:
    merges = plain_json(student.tokenizer_json(MERGES, {})["model"]["merges"])
    equal(merges, [["a", "b"], ["Ġ", "ab"], ["ab", "c"]], given="the merges ab, ␣ab and abc: merges, as json.dumps writes them")


@exercise("tokenizer_json")
def test_special_tokens_are_listed_by_id(student: Student) -> None:
    content = student.tokenizer_json({(64, 65): 256}, {"<|a|>": 258, "<|b|>": 257})
    equal(
        content["added_tokens"],
        [{"id": 257, "content": "<|b|>", **FLAGS}, {"id": 258, "content": "<|a|>", **FLAGS}],
        given="<|a|> is 258, <|b|> is 257: added_tokens",
    )


@exercise("tokenizer_json")
def test_the_steps_and_the_version_are_there(student: Student) -> None:
    content = student.tokenizer_json({}, {})
    equal([content["version"], content["model"]["type"]], ["1.0", "BPE"], given="no merges: version, and the model's type")
    equal([content["pre_tokenizer"], content["decoder"]], [STEP, STEP], given="no merges: pre_tokenizer and decoder")


@exercise("tokenizer_json")
def test_the_library_reads_the_file(student: Student) -> None:
    content = plain_json(student.tokenizer_json(MERGES, {"<|end|>": 259}))
    true(isinstance(content, dict), "a dictionary that json.dumps takes was expected", actual=content)
    loaded = read(content)
    equal(loaded.encode("ab abc 눈"), [256, 257, 66, 220, 167, 230, 230], given="the file of ab, ␣ab, abc and <|end|>: ids of 'ab abc 눈'")
    equal(loaded.special_tokens, {"<|end|>": 259}, given="the file of ab, ␣ab, abc and <|end|>: its special tokens")


def read(content: Any) -> ByteBPE:
    """What the library reads from a file with this content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        try:
            return ByteBPE.load(path)
        except ValueError as error:
            why = str(error).split("cannot be loaded: ")[-1]
        true(False, f"the library cannot read the file: {why}")
        raise AssertionError
