"""SentencePiece: classic mistakes and other right ways, for each exercise. Never released."""

import math
import unicodedata

import numpy as np

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# mark
@alternative("mark", "regular-expression")
def mark(text):
    import re

    return re.sub(r"\s+", "▁", " " + unicodedata.normalize("NFKC", text).strip()) if text.strip() else ""


@alternative("mark", "one-loop")
def mark(text):
    marked, gap = "", True
    for c in unicodedata.normalize("NFKC", text):
        if c.isspace():
            gap = True
        else:
            marked += "▁" * gap + c
            gap = False
    return marked


edit("mark", "underscore", {'"▁"': '"_"'},
     "the mark is the underscore _ and not ▁ (U+2581)",
     killed_by="test_each_blank_is_a_mark_and_one_stands_before_the_first_word")
edit("mark", "no-first-mark", {'"".join("▁" + word for word in words)': '"▁".join(words)'},
     "there is no ▁ before the first word: the dummy prefix is missing",
     killed_by="test_each_blank_is_a_mark_and_one_stands_before_the_first_word")
edit("mark", "mark-after-word", {'"▁" + word': 'word + "▁"'},
     "the ▁ stands after each word, not before it",
     killed_by="test_each_blank_is_a_mark_and_one_stands_before_the_first_word")
edit("mark", "every-blank-marked", {".split()": '.strip().split(" ")',
     "for word in words": 'for word in words if words != [""]'},
     "each blank became a ▁ of its own: a run of white space is one", killed_by="test_a_run_of_white_space_is_one_mark")
edit("mark", "not-normalised", {'words = unicodedata.normalize("NFKC", text).split()': "",
     "for word in words": "for word in text.split()"},
     "Unicode was not brought to one form (NFKC)", killed_by="test_characters_are_brought_to_one_form")
edit("mark", "nfc", {'"NFKC"': '"NFC"'},
     "NFC was taken in place of NFKC: compatibility characters such as ① stay",
     killed_by="test_characters_are_brought_to_one_form")
edit("mark", "nfkd", {'"NFKC"': '"NFKD"'},
     "NFKD was taken in place of NFKC: Hangul falls into letters", killed_by="test_characters_are_brought_to_one_form")
edit("mark", "split-before-nfkc", {'unicodedata.normalize("NFKC", text).split()': "text.split()",
     '"".join("▁" + word for word in words)': 'unicodedata.normalize("NFKC", "".join("▁" + word for word in words))'},
     "the text was split before NFKC, which makes blanks of its own (´ becomes a blank and U+0301): first NFKC, then split",
     killed_by="test_a_blank_that_the_one_form_makes_is_a_blank_too")
edit("mark", "lone-mark", {'"".join("▁" + word for word in words)': '"▁" + "▁".join(words)'},
     "a text without words leaves a lone ▁", killed_by="test_a_text_without_words_leaves_nothing")

MARKED = "test_texts_are_marked_as_by_the_library"
NORMAL = 'unicodedata.normalize("NFKC", text)'
edit("mark", "joiners-left-out", {NORMAL: f'"".join(c for c in {NORMAL} if unicodedata.category(c) != "Cf")'},
     "characters without width are left out: NFKC keeps them", killed_by=MARKED)
edit("mark", "signs-stand-alone", {NORMAL: NORMAL.replace("text", 'text.replace("!", " !")')},
     "a blank is put before punctuation: good! and good ! would be the same", killed_by=MARKED)
edit("mark", "blanks-of-ascii", {".split()": '.replace("\\t", " ").replace("\\n", " ").replace("\\r", " ").split(" ")',
     "in words": "in words if word"},
     "only blanks, tabs and line ends are white space: Unicode has more", killed_by=MARKED)
edit("mark", "long-word-cut", {'"▁" + word': '"▁" + word[:100]'},
     "a long word is cut off", killed_by=MARKED)
edit("mark", "zero-width-gone", {".split()": '.replace("\\u200b", "").replace("\\ufeff", "").split()'},
     "U+200B and U+FEFF are left out: NFKC keeps them", killed_by="test_every_strange_sign_is_marked")


# unmark
@alternative("unmark", "split-and-join")
def unmark(pieces):
    return " ".join("".join(pieces).split("▁")[1:])


@alternative("unmark", "one-loop")
def unmark(pieces):
    text = ""
    for piece in pieces:
        for c in piece:
            text += " " if c == "▁" else c
    return text.removeprefix(" ")


edit("unmark", "blank-left-at-start", {'"".join(pieces).replace("▁", " ")[1:]': '"".join(pieces).replace("▁", " ")'},
     "the blank of the dummy prefix is left at the start", killed_by="test_pieces_join_to_the_text_whatever_the_cut")
edit("unmark", "blank-between-pieces",
     {'"".join(pieces).replace("▁", " ")[1:]': '" ".join(piece.replace("▁", "") for piece in pieces)'},
     "a blank was put between all pieces: blanks stand where ▁ is, and nowhere else",
     killed_by="test_what_stands_together_stays_together")
edit("unmark", "marks-dropped", {'"".join(pieces).replace("▁", " ")[1:]': '"".join(pieces).replace("▁", "")'},
     "the marks were dropped, and with them the blanks", killed_by="test_pieces_join_to_the_text_whatever_the_cut")
edit("unmark", "marks-stay", {'"".join(pieces).replace("▁", " ")': '"".join(pieces)'},
     "the marks stay in the text", killed_by="test_pieces_join_to_the_text_whatever_the_cut")
edit("unmark", "only-at-start", {'"".join(pieces).replace("▁", " ")':
     '"".join(" " + piece[1:] if piece.startswith("▁") else piece for piece in pieces)'},
     "only a ▁ at the start of a piece was turned into a blank: it can stand anywhere",
     killed_by="test_pieces_join_to_the_text_whatever_the_cut")

CUT = "test_any_cut_of_any_marked_text_comes_back"
edit("unmark", "one-piece-one-word", {"return ": 'return pieces[0].replace("▁", "") if len(pieces) == 1 else '},
     "a piece that is alone is taken for one word: it may hold several", killed_by=CUT)
edit("unmark", "underscores-too", {"[1:]": '[1:].replace("_", " ")'},
     "underscores of the text become blanks too", killed_by=CUT)
edit("unmark", "lowered", {"[1:]": "[1:].lower()"}, "the text is put into small letters", killed_by=CUT)
edit("unmark", "number-signs-gone", {"[1:]": '[1:].replace("##", "")'},
     "## is taken out as if it were a mark: here it is text", killed_by=CUT)
edit("unmark", "ten-blanks", {'replace("▁", " ")': 'replace("▁", " ", 10)'},
     "only the first ten marks become blanks", killed_by="test_long_texts_come_back_character_by_character")


# viterbi
@alternative("viterbi", "recursive")
def viterbi(text, scores):
    from functools import cache

    @cache
    def best(start):
        if start == len(text):
            return 0.0, ()
        ways = []
        for end in range(start + 1, len(text) + 1):
            if text[start:end] in scores:
                score, rest = best(end)
                ways.append((scores[text[start:end]] + score, (text[start:end], *rest)))
        return max(ways, default=(-math.inf, ()))

    score, pieces = best(0)
    if score == -math.inf:
        raise ValueError(f"no way to spell {text!r}")
    return list(pieces), score


@alternative("viterbi", "numpy-arrays")
def viterbi(text, scores):
    best = np.full(len(text) + 1, -np.inf)
    back = np.zeros(len(text) + 1, dtype=int)
    best[0] = 0
    for start in range(len(text)):
        for piece, score in scores.items():
            end = start + len(piece)
            if text.startswith(piece, start) and best[start] + score > best[end]:
                best[end], back[end] = best[start] + score, start
    if np.isinf(best[-1]):
        raise ValueError(text)
    pieces, end = [], len(text)
    while end:
        pieces.append(text[back[end] : end])
        end = back[end]
    return pieces[::-1], float(best[-1])


@mistake("viterbi", "longest-piece",
         "the longest piece was taken at each place, as WordPiece does: the sum of the scores decides",
         killed_by="test_the_sum_decides_and_not_the_longest_piece")
def viterbi(text, scores):
    pieces, start = [], 0
    while start < len(text):
        ends = [end for end in range(len(text), start, -1) if text[start:end] in scores]
        if not ends:
            raise ValueError(text)
        pieces.append(text[start : ends[0]])
        start = ends[0]
    return pieces, float(sum(scores[piece] for piece in pieces))


edit("viterbi", "best-single-piece",
     {"ends = [end for end in range(len(text), start, -1) if text[start:end] in scores]":
     ("ends = [end for end in range(start + 1, len(text) + 1) if text[start:end] in scores]\n"
      "        ends.sort(key=lambda end: -scores[text[start:end]])")},
     "the piece with the best score was taken at each place: what follows counts too",
     killed_by="test_what_looks_best_at_first_can_be_a_dead_end", of="longest-piece")
edit("viterbi", "worst-way", {"scores.get(text[start:end], -math.inf)": "scores.get(text[start:end], math.inf)",
     "max(ways)": "min(ways)", "best[-1] == -math.inf": "best[-1] == math.inf"},
     "the worst way was taken: log-probabilities are negative, and the largest sum is the best",
     killed_by="test_the_sum_decides_and_not_the_longest_piece")
edit("viterbi", "pieces-backwards", {"pieces.insert(0, text[back[end] : end])": "pieces.append(text[back[end] : end])"},
     "the pieces come from the last to the first", killed_by="test_a_piece_that_beats_its_parts_is_taken")
edit("viterbi", "unspellable-accepted", {'raise ValueError(f"the pieces cannot spell {text!r}")': "pass"},
     "a text that cannot be spelled is not refused", killed_by="test_what_cannot_be_spelled_is_refused")
edit("viterbi", "score-missing", {"return pieces, best[-1]": "return pieces"},
     "the pieces come without their score", killed_by="test_a_piece_that_beats_its_parts_is_taken")
edit("viterbi", "exchanged", {"return pieces, best[-1]": "return best[-1], pieces"},
     "score and pieces are exchanged: the pieces come first", killed_by="test_a_piece_that_beats_its_parts_is_taken")
edit("viterbi", "probability-returned", {"return pieces, best[-1]": "return pieces, math.exp(best[-1])"},
     "the probability came back: the log-probability is asked for",
     killed_by="test_the_empty_text_has_one_way_without_pieces")
edit("viterbi", "eight-characters", {"for start in range(end)": "for start in range(max(0, end - 8), end)"},
     "no piece of more than eight characters is looked for: a piece may be as long as the text",
     killed_by="test_a_piece_may_be_long")

edit("viterbi", "twenty-characters", {"range(end)]": "range(max(0, end - 20), end)]"},
     "longer pieces than 20 characters are not tried", killed_by="test_a_piece_may_be_long")
edit("viterbi", "rounded", {"return pieces, best[-1]": "return pieces, round(best[-1], 2)"},
     "the score is rounded", killed_by="test_every_score_counts_as_it_stands")
ANY = "test_any_pieces_spell_a_text_in_the_best_way_or_not_at_all"
edit("viterbi", "every-place-reached", {"score, back[end] = max(ways)":
     "score, back[end] = max(ways)\n        if score == -math.inf:\n            raise ValueError(text)"},
     "a text is refused where some place in it is no piece's end: only the text's own end must be reached",
     killed_by=ANY)
edit("viterbi", "large-for-infinite", {"-math.inf), start)": "-1e4), start)",
     "best[-1] == -math.inf": "best[-1] <= -1e4"},
     "−10⁴ stands for −∞, and long texts have less than that",
     killed_by="test_texts_of_300_characters_and_all_sizes_of_scores")


# forward
@alternative("forward", "push-forward")
def forward(text, scores):
    alpha = np.full(len(text) + 1, -np.inf)
    alpha[0] = 0
    for start in range(len(text)):
        for piece, score in scores.items():
            if text.startswith(piece, start):
                alpha[start + len(piece)] = np.logaddexp(alpha[start + len(piece)], alpha[start] + score)
    return alpha


@alternative("forward", "torch-logsumexp")
def forward(text, scores):
    import torch

    alpha = [torch.tensor(0.0, dtype=torch.float64)]
    for end in range(1, len(text) + 1):
        ways = [alpha[s] + scores.get(text[s:end], -math.inf) for s in range(end)]
        alpha.append(torch.logsumexp(torch.stack(ways), dim=0))
    return torch.stack(alpha).numpy()


edit("forward", "maximum-for-sum", {"np.logaddexp.reduce(ways)": "max(ways)"},
     "the maximum was taken in place of the sum: that is Viterbi", killed_by="test_two_ways_add_their_probabilities")
edit("forward", "logarithms-added", {"np.logaddexp.reduce(ways)":
     "sum(way for way in ways if way > -math.inf) if max(ways) > -math.inf else -math.inf"},
     "the logarithms were added up as if they were probabilities: use logaddexp",
     killed_by="test_two_ways_add_their_probabilities")
edit("forward", "probabilities-returned", {"return alpha": "return np.exp(alpha)"},
     "probabilities came back: the logarithms are asked for", killed_by="test_one_way_has_its_own_probability")
edit("forward", "logarithm-at-the-end", {"np.logaddexp.reduce(ways)": "np.log(np.exp(ways).sum())"},
     "the sum was made with probabilities and the logarithm taken at the end: long texts become 0",
     killed_by="test_long_texts_stay_finite")
edit("forward", "no-empty-start", {"return alpha": "return alpha[1:]"},
     "the array has no place for the empty start: n + 1 values are asked for",
     killed_by="test_one_way_has_its_own_probability")
edit("forward", "unreached-as-zero", {"alpha[start] + scores.get(text[start:end], -math.inf) for start in range(end)]":
     "alpha[start] + scores[text[start:end]] for start in range(end) if text[start:end] in scores]",
     "np.logaddexp.reduce(ways)": "np.logaddexp.reduce(ways) if ways else 0.0"},
     "a position that no way reaches has 0, which is the logarithm of 1",
     killed_by="test_where_no_way_leads_stands_minus_infinity")


@mistake("forward", "backward-pass", "the sums go from the end to the start: that is the backward pass",
         killed_by="test_one_way_has_its_own_probability")
def forward(text, scores):
    beta = np.zeros(len(text) + 1)
    for start in reversed(range(len(text))):
        ways = [beta[end] + scores.get(text[start:end], -math.inf) for end in range(start + 1, len(text) + 1)]
        beta[start] = np.logaddexp.reduce(ways)
    return beta


edit("forward", "eight-characters", {"for start in range(end)": "for start in range(max(0, end - 8), end)"},
     "only pieces of up to eight characters are summed: a piece may be as long as the text",
     killed_by="test_a_sum_looks_back_as_far_as_a_piece_is_long")

edit("forward", "twenty-characters", {"range(end)]": "range(max(0, end - 20), end)]"},
     "longer pieces than 20 characters are not tried", killed_by="test_a_sum_looks_back_as_far_as_a_piece_is_long")
edit("forward", "composed", {"alpha = np.zeros": 'text = unicodedata.normalize("NFC", text)\n    alpha = np.zeros'},
     "the text is composed (NFC) first: its positions are those of the text as it stands",
     killed_by="test_every_score_is_summed_as_it_stands")
edit("forward", "hundred-characters", {"range(end)]": "range(max(0, end - 100), end)]"},
     "longer pieces than 100 characters are not tried", killed_by="test_every_score_is_summed_as_it_stands")


# expected_counts
@alternative("expected_counts", "own-backward-pass")
def expected_counts(words, scores):
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        n = len(word)
        alpha, beta = forward(word, scores), np.full(n + 1, -np.inf)
        beta[n] = 0
        for start in reversed(range(n)):
            for end in range(start + 1, n + 1):
                beta[start] = np.logaddexp(beta[start], beta[end] + scores.get(word[start:end], -np.inf))
        for start in range(n):
            for end in range(start + 1, n + 1):
                piece = word[start:end]
                if piece in scores:
                    expected[piece] += float(count * np.exp(alpha[start] + scores[piece] + beta[end] - beta[0]))
    return expected


@alternative("expected_counts", "gradient")
def expected_counts(words, scores):
    """The expected counts are the gradient of the log-likelihood with respect to the scores."""
    import torch

    table = {
        piece: torch.tensor(float(score), dtype=torch.float64, requires_grad=True) for piece, score in scores.items()
    }
    loss = torch.zeros((), dtype=torch.float64)
    for word, count in words.items():
        alpha = [torch.zeros((), dtype=torch.float64)]
        for end in range(1, len(word) + 1):
            ways = [alpha[s] + table[word[s:end]] for s in range(end) if word[s:end] in table and alpha[s] is not None]
            alpha.append(torch.logsumexp(torch.stack(ways), dim=0) if ways else None)
        loss = loss + count * alpha[-1]
    loss.backward()
    return {piece: float(value.grad) if value.grad is not None else 0.0 for piece, value in table.items()}


@mistake("expected_counts", "best-way-only",
         "only the best way was counted (hard EM): every way counts with its probability",
         killed_by="test_two_ways_share_a_word_by_their_probabilities")
def expected_counts(words, scores):
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        for piece in viterbi(word, scores)[0]:
            expected[piece] += count
    return expected


edit("expected_counts", "word-counts-left-out", {"count * used": "used"},
     "the counts of the words are left out",
     killed_by="test_a_word_with_one_way_counts_its_pieces_as_often_as_it_occurs")
edit("expected_counts", "not-divided", {" - alpha[-1]": ""},
     "it is not divided by the probability of the word",
     killed_by="test_a_word_with_one_way_counts_its_pieces_as_often_as_it_occurs")
edit("expected_counts", "own-score-left-out", {" + scores[piece]": ""},
     "the piece's own score is left out between α and β",
     killed_by="test_a_word_with_one_way_counts_its_pieces_as_often_as_it_occurs")
edit("expected_counts", "after-left-out", {" + beta[end]": ""},
     "what comes after the piece is left out: β is missing",
     killed_by="test_a_word_with_one_way_counts_its_pieces_as_often_as_it_occurs")
edit("expected_counts", "after-not-turned-round", {"backwards)[::-1]": "backwards)"},
     "β was not turned round: it belongs to the text read backwards",
     killed_by="test_all_small_words_agree_with_brute_force")
edit("expected_counts", "unfit-pieces-missing",
     {"return expected": "return {piece: count for piece, count in expected.items() if count > 0}"},
     "pieces that fit nowhere are missing: they are expected 0.0 times",
     killed_by="test_a_piece_that_fits_nowhere_is_expected_zero_times")
edit("expected_counts", "ways-count-alike", {"backwards = {": "scores = dict.fromkeys(scores, 0.0)\n    backwards = {"},
     "every way to cut a word counts alike, whatever its probability",
     killed_by="test_two_ways_share_a_word_by_their_probabilities")
edit("expected_counts", "eight-characters", {"for start in range(end)": "for start in range(max(0, end - 8), end)"},
     "no piece of more than eight characters is counted: a piece may be as long as its word",
     killed_by="test_long_pieces_are_counted_too")

SMALL = "test_a_score_of_zero_and_a_small_chance_count"
edit("expected_counts", "twenty-characters", {"in range(end)": "in range(max(0, end - 20), end)"},
     "longer pieces than 20 characters are not counted", killed_by="test_long_pieces_are_counted_too")
edit("expected_counts", "underflow", {"math.exp(alpha[start] + scores[piece] + beta[end] - alpha[-1])":
     "math.exp(alpha[start]) * math.exp(scores[piece]) * math.exp(beta[end]) / (math.exp(alpha[-1]) or 1.0)"},
     "exp is taken of each sum alone, which is 0 for a long word: add the logarithms first",
     killed_by="test_many_words_with_one_way_each_are_counted_by_letter")
edit("expected_counts", "zero-for-none", {"if piece in scores": "if scores.get(piece)"},
     "a piece with the score 0 is taken for none: its probability is 1", killed_by=SMALL)
edit("expected_counts", "small-is-nothing", {"return expected": "return {p: n if n > 1e-3 else 0.0 for p, n in expected.items()}"},
     "small expectations are put to 0", killed_by=SMALL)
EVERY = "test_any_words_and_pieces_agree_with_all_ways"
edit("expected_counts", "characters-needed", {"for word, count in words.items():":
     "for word, count in words.items():\n        if any(c not in scores for c in word):\n            continue"},
     "words with a character that is no piece are left out: other pieces spell them", killed_by=EVERY)
edit("expected_counts",
     "tiny-is-nothing", {"return expected": "return {p: n if n > 1e-8 else 0.0 for p, n in expected.items()}"},
     "tiny expectations are put to 0", killed_by=SMALL)


# m_step
@alternative("m_step", "numpy")
def m_step(expected, least=0.5):
    pieces = [p for p, c in expected.items() if len(p) == 1 or c >= least]
    counts = np.maximum([expected[p] for p in pieces], least)
    return dict(zip(pieces, (np.log(counts) - np.log(counts.sum())).tolist()))


@alternative("m_step", "one-loop")
def m_step(expected, least=0.5):
    kept = {}
    for piece, count in expected.items():
        if len(piece) == 1 and count < least:
            count = least
        if count >= least:
            kept[piece] = count
    everything = math.log(math.fsum(kept.values()))
    return {piece: math.log(count) - everything for piece, count in kept.items()}


edit("m_step", "shares-returned", {"math.log(count / total)": "count / total"},
     "the shares themselves came back, not their logarithms", killed_by="test_scores_are_the_logs_of_shares")
edit("m_step", "not-normalised", {"count / total": "count"},
     "the counts are not divided by their sum", killed_by="test_scores_are_the_logs_of_shares")
edit("m_step", "rare-characters-dropped", {" or len(piece) == 1": ""},
     "rare characters go too: then words come that nothing can spell",
     killed_by="test_a_rare_character_stays_and_counts_as_half")
edit("m_step", "rare-pieces-kept", {" if count >= least or len(piece) == 1": ""},
     "rare pieces stay, with the least count", killed_by="test_a_rare_piece_goes_and_the_others_share_all")
edit("m_step", "sum-of-all",
     {"sum(kept.values())": "sum(max(count, least) if len(piece) == 1 else count for piece, count in expected.items())"},
     "the sum is that of all counts, also of the pieces that go: the rest does not sum to 1",
     killed_by="test_a_rare_piece_goes_and_the_others_share_all")
edit("m_step", "fixed-half", {"kept = {": "least = 0.5\n    kept = {"},
     "`least` is not used: ½ is written in its place", killed_by="test_the_bound_is_the_one_that_is_given")
edit("m_step", "base-two", {"math.log(": "math.log2("},
     "the logarithm is to the base 2: scores are natural logarithms", killed_by="test_scores_are_the_logs_of_shares")

ENOUGH = "test_a_piece_expected_just_often_enough_stays"
edit("m_step", "one-byte", {"len(piece) == 1": "len(piece.encode()) == 1"},
     "single characters are told by bytes: 눈 has three, and must stay", killed_by=ENOUGH)
edit("m_step", "composed", {"len(piece) == 1": 'len(unicodedata.normalize("NFC", piece)) == 1'},
     "a letter with its accent is taken for one character: it is two", killed_by=ENOUGH)
edit("m_step", "mark-not-counted", {"len(piece) == 1": 'len(piece.replace("▁", "")) <= 1'},
     "▁ is not counted as a character: ▁e has two", killed_by=ENOUGH)
edit("m_step", "zero-for-default", {"kept = {": "least = least or 0.5\n    kept = {"},
     "`least` of 0 is taken for the default", killed_by=ENOUGH)
edit("m_step", "not-below-a-millionth", {"math.log(count / total)": "math.log(max(count / total, 1e-6))"},
     "small shares are raised", killed_by="test_any_counts_give_the_logs_of_their_shares")


# pruning_losses
@alternative("pruning_losses", "one-comprehension")
def pruning_losses(expected, scores):
    return {
        p: expected[p] * (scores[p] - viterbi(p, {q: s for q, s in scores.items() if q != p})[1])
        for p in expected
        if len(p) > 1
    }


@alternative("pruning_losses", "own-table")
def pruning_losses(expected, scores):
    def best(text, whole):
        table = [0.0]
        for end in range(1, len(text) + 1):
            table.append(
                max(
                    table[start] + scores.get(text[start:end], -math.inf)
                    for start in range(end)
                    if text[start:end] != whole
                )
                if end < len(text) or len(text) > 1
                else -math.inf
            )
        return table[-1]

    return {p: c * (scores[p] - best(p, p)) for p, c in expected.items() if len(p) > 1}


edit("pruning_losses", "piece-not-removed", {"del others[piece]": ""},
     "the piece itself was not taken away, so it spells itself and nothing is lost",
     killed_by="test_a_loss_is_the_count_times_what_each_use_loses")
edit("pruning_losses", "count-left-out",
     {"count * (scores[piece] - viterbi(piece, others)[1])": "scores[piece] - viterbi(piece, others)[1]"},
     "the count is left out: a piece that is used often costs more",
     killed_by="test_a_loss_is_the_count_times_what_each_use_loses")
edit("pruning_losses", "single-characters-only",
     {"viterbi(piece, others)[1]": "sum(scores[character] for character in piece)"},
     "the piece was spelled by single characters: other long pieces may do it better",
     killed_by="test_other_long_pieces_may_spell_it")
edit("pruning_losses", "sign-turned",
     {"scores[piece] - viterbi(piece, others)[1]": "viterbi(piece, others)[1] - scores[piece]"},
     "what is gained without the piece came back: the sign is turned",
     killed_by="test_a_loss_is_the_count_times_what_each_use_loses")
edit("pruning_losses", "own-score-only", {"(scores[piece] - viterbi(piece, others)[1])": "-scores[piece]"},
     "only the piece's own score was weighed: its replacement costs something too",
     killed_by="test_a_loss_is_the_count_times_what_each_use_loses")
edit("pruning_losses", "scores-changed",
     {"others = dict(scores)\n            del others[piece]": "own, others = scores.pop(piece), scores",
     "(scores[piece] - viterbi": "(own - viterbi"},
     "pieces are deleted from `scores` itself", killed_by="test_the_scores_are_left_alone")
edit("pruning_losses", "characters-included",
     {"return losses": "return losses | {piece: math.inf for piece in expected if len(piece) == 1}"},
     "characters are among the losses: they never go", killed_by="test_characters_have_no_loss")

LOSSES = "test_losses_agree_with_the_best_of_all_other_ways"
edit("pruning_losses", "unused-left-out", {"len(piece) > 1": "len(piece) > 1 and count > 0"},
     "pieces that are expected 0 times are missing: their loss is 0", killed_by=LOSSES)
edit("pruning_losses", "mark-not-counted", {"len(piece) > 1": 'len(piece.lstrip("▁")) > 1'},
     "▁ is not counted, so ▁a has no loss: it is a character like the others", killed_by=LOSSES)
edit("pruning_losses", "one-byte", {"len(piece) > 1": "len(piece.encode()) > 1",
     "viterbi(piece, others)[1]": "(viterbi(piece, others)[1] if len(piece) > 1 else 0.0)"},
     "single characters are told by bytes: 눈 has three, and no loss", killed_by=LOSSES)
edit("pruning_losses", "eight-characters", {"len(piece) > 1": "1 < len(piece) <= 8"},
     "pieces of more than eight characters are missing", killed_by=LOSSES)
edit("pruning_losses", "by-place", {"for piece, count in expected.items():":
     "for piece, count in zip(scores, expected.values()):"},
     "counts and scores are matched by their places: each piece has its own", killed_by=LOSSES)


# sample
@alternative("sample", "all-ways-written-out")
def sample(text, scores, alpha, count, seed):
    """All ways are written out; short texts have few enough."""

    def ways(rest):
        if not rest:
            return [([], 0.0)]
        return [
            ([rest[:e], *more], scores[rest[:e]] + s)
            for e in range(1, len(rest) + 1)
            if rest[:e] in scores
            for more, s in ways(rest[e:])
        ]

    found = ways(text)
    weights = np.array([alpha * score for _, score in found])
    weights = np.exp(weights - weights.max())
    rows = np.random.default_rng(seed).choice(len(found), size=count, p=weights / weights.sum())
    return [list(found[row][0]) for row in rows]


@alternative("sample", "left-to-right")
def sample(text, scores, alpha, count, seed):
    """From left to right, with the sums of what is still to come."""
    import random

    generator = random.Random(seed)
    sharper = {piece: alpha * score for piece, score in scores.items()}
    to_come = forward(text[::-1], {piece[::-1]: score for piece, score in sharper.items()})[::-1]
    drawn = []
    for _ in range(count):
        pieces, start = [], 0
        while start < len(text):
            ends = [end for end in range(start + 1, len(text) + 1) if text[start:end] in sharper]
            chances = [math.exp(sharper[text[start:end]] + to_come[end] - to_come[start]) for end in ends]
            end = generator.choices(ends, chances)[0]
            pieces.append(text[start:end])
            start = end
        drawn.append(pieces)
    return drawn


@mistake("sample", "best-way-each-time", "the best way was drawn every time",
         killed_by="test_ways_come_as_often_as_they_are_probable")
def sample(text, scores, alpha, count, seed):
    return [viterbi(text, scores)[0] for _ in range(count)]


edit("sample", "alpha-unused", {"alpha * score": "score"},
     "alpha is not used", killed_by="test_ways_come_as_often_as_they_are_probable")
edit("sample", "own-probability-only", {"np.exp(total[start] + sharper.get(text[start:end], -math.inf) - total[end])":
     "np.exp(sharper.get(text[start:end], -math.inf)) * (total[start] > -math.inf)",
     "p=chances": "p=np.array(chances) / sum(chances)"},
     "each piece was drawn by its own probability: how many ways lead to its start counts too",
     killed_by="test_ways_come_as_often_as_they_are_probable")
edit("sample", "one-draw-repeated",
     {"pieces, end = [], len(text)": "generator = np.random.default_rng(seed)\n        pieces, end = [], len(text)"},
     "all draws are the same one: draw anew each time", killed_by="test_ways_come_as_often_as_they_are_probable")
edit("sample", "pieces-backwards", {"pieces.insert(0, text[start:end])": "pieces.append(text[start:end])"},
     "the pieces come from the last to the first", killed_by="test_every_draw_joins_to_the_text")
edit("sample", "probabilities-for-logarithms", {"np.exp(total[start] + sharper.get(text[start:end], -math.inf) - total[end])":
     "np.exp(max(total[start], -700)) * np.exp(sharper.get(text[start:end], -math.inf)) + 1e-320 * (start == end - 1)",
     "p=chances": "p=np.array(chances) / sum(chances)"},
     "probabilities are multiplied, which come to nothing in a long text: add their logarithms, and take the exponential of the difference",
     killed_by="test_each_of_many_ways_is_drawn_as_often_as_it_is_probable")
edit("sample", "seed-unused", {"default_rng(seed)": "default_rng()"},
     "the seed is not used: another draw each time", killed_by="test_the_same_seed_draws_the_same_and_another_others")
edit("sample", "eight-characters", {"in scores.items()": "in scores.items() if len(piece) <= 8"},
     "no piece of more than eight characters is drawn: a piece may be as long as the text",
     killed_by="test_a_draw_may_be_one_long_piece")

LOOKED_UP = "sharper.get(text[start:end], -math.inf)"
edit("sample", "zero-for-none", {LOOKED_UP: "(sharper.get(text[start:end]) or -math.inf)"},
     "a piece with the score 0 is taken for none: its probability is 1",
     killed_by="test_a_text_with_one_way_is_cut_so_every_time")
edit("sample", "twenty-characters", {LOOKED_UP: f"({LOOKED_UP} if end - start <= 20 else -math.inf)"},
     "longer pieces than 20 characters are never drawn", killed_by="test_a_draw_may_be_one_long_piece")
edit("sample", "alpha-not-below-a-tenth", {"alpha * score": "max(alpha, 0.1) * score"},
     "a small alpha is raised: with 0 all ways are drawn alike",
     killed_by="test_each_of_many_ways_is_drawn_as_often_as_it_is_probable")
edit("sample", "seeds-of-neighbours", {"for _ in range(count):":
     "for i in range(count):\n        generator = np.random.default_rng(seed + i)"},
     "draw i has the seed plus i, so that the draws of neighbouring seeds are the same",
     killed_by="test_every_seed_has_draws_of_its_own")
edit("sample", "zero-is-no-seed", {"default_rng(seed)": "default_rng(seed or None)"},
     "seed 0 is taken for none: it draws other ways each time", killed_by="test_every_seed_has_draws_of_its_own")


# Mutants of the reference that no check can tell from a right answer.
equivalent(
    "forward",
    "3: range(end) → range(end + 1)",
    "one more way ends where it starts, with the empty piece, which has no score: it adds nothing",
)
equivalent(
    "expected_counts",
    "5: range(1, len(word) + 1) → range(len(word) + 1)",
    "no piece ends at position 0, so the inner loop is empty there",
)
equivalent(
    "expected_counts",
    "5: range(1, len(word) + 1) → range(0, len(word) + 1)",
    "no piece ends at position 0, so the inner loop is empty there",
)
equivalent(
    "expected_counts", "6: range(end) → range(end + 1)", "the empty string between two equal positions is no piece"
)
equivalent(
    "mark",
    "1: unicodedata.normalize('NFKC', text) → unicodedata.normalize('NFKC', text.strip())",
    "split leaves out the blanks at both ends as well",
)
equivalent(
    "mark",
    "1: unicodedata.normalize('NFKC', text) → unicodedata.normalize('NFKC', __import__('unicodedata').normalize('NFC', text))",
    "NFKC composes what NFC has composed, and gives the same",
)
equivalent(
    "mark",
    "2: ('▁' + word for word in words) → ('▁' + __import__('unicodedata').normalize('NFC', word) for word in words)",
    "a part of a text in NFKC is in NFC",
)
equivalent(
    "viterbi",
    "2: len(text) + 1 → len(text.encode()) + 1",
    "a way to a position beyond the end is one to the end: a slice stops there, and the empty string is no piece",
)
