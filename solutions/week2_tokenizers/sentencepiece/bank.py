"""SentencePiece: classic mistakes and other right ways, for each exercise. Never released."""

import math
import unicodedata

import numpy as np

from grader.lessons.bank import alternative, equivalent, mistake

# Answers run in the notebook's namespace, which has these too.
forward = viterbi = None


@mistake(
    "mark",
    "the mark is the underscore _ and not ▁ (U+2581)",
    "test_each_blank_is_a_mark_and_one_stands_before_the_first_word",
)
def mark(text):
    return "".join("_" + word for word in unicodedata.normalize("NFKC", text).split())


@mistake(
    "mark",
    "there is no ▁ before the first word: the dummy prefix is missing",
    "test_each_blank_is_a_mark_and_one_stands_before_the_first_word",
)
def mark(text):
    return "▁".join(unicodedata.normalize("NFKC", text).split())


@mistake(
    "mark",
    "the ▁ stands after each word, not before it",
    "test_each_blank_is_a_mark_and_one_stands_before_the_first_word",
)
def mark(text):
    return "".join(word + "▁" for word in unicodedata.normalize("NFKC", text).split())


@mistake(
    "mark", "each blank became a ▁ of its own: a run of white space is one", "test_a_run_of_white_space_is_one_mark"
)
def mark(text):
    text = unicodedata.normalize("NFKC", text).strip()
    return "▁" + text.replace(" ", "▁") if text else ""


@mistake("mark", "Unicode was not brought to one form (NFKC)", "test_characters_are_brought_to_one_form")
def mark(text):
    return "".join("▁" + word for word in text.split())


@mistake(
    "mark",
    "NFC was taken in place of NFKC: compatibility characters such as ① stay",
    "test_characters_are_brought_to_one_form",
)
def mark(text):
    return "".join("▁" + word for word in unicodedata.normalize("NFC", text).split())


@mistake(
    "mark", "NFKD was taken in place of NFKC: Hangul falls into letters", "test_characters_are_brought_to_one_form"
)
def mark(text):
    return "".join("▁" + word for word in unicodedata.normalize("NFKD", text).split())


@mistake(
    "mark",
    "the text was split before NFKC, which makes blanks of its own (´ becomes a blank and U+0301): first NFKC, then split",
    "test_a_blank_that_the_one_form_makes_is_a_blank_too",
)
def mark(text):
    return unicodedata.normalize("NFKC", "".join("▁" + word for word in text.split()))


@mistake("mark", "a text without words leaves a lone ▁", "test_a_text_without_words_leaves_nothing")
def mark(text):
    return "▁" + "▁".join(unicodedata.normalize("NFKC", text).split())


@alternative("mark")
def mark(text):
    import re

    return re.sub(r"\s+", "▁", " " + unicodedata.normalize("NFKC", text).strip()) if text.strip() else ""


@alternative("mark")
def mark(text):
    marked, gap = "", True
    for c in unicodedata.normalize("NFKC", text):
        if c.isspace():
            gap = True
        else:
            marked += "▁" * gap + c
            gap = False
    return marked


@mistake(
    "unmark", "the blank of the dummy prefix is left at the start", "test_pieces_join_to_the_text_whatever_the_cut"
)
def unmark(pieces):
    return "".join(pieces).replace("▁", " ")


@mistake(
    "unmark",
    "a blank was put between all pieces: blanks stand where ▁ is, and nowhere else",
    "test_what_stands_together_stays_together",
)
def unmark(pieces):
    return " ".join(piece.replace("▁", "") for piece in pieces)


@mistake("unmark", "the marks were dropped, and with them the blanks", "test_pieces_join_to_the_text_whatever_the_cut")
def unmark(pieces):
    return "".join(pieces).replace("▁", "")


@mistake("unmark", "the marks stay in the text", "test_pieces_join_to_the_text_whatever_the_cut")
def unmark(pieces):
    return "".join(pieces)[1:]


@mistake(
    "unmark",
    "only a ▁ at the start of a piece was turned into a blank: it can stand anywhere",
    "test_pieces_join_to_the_text_whatever_the_cut",
)
def unmark(pieces):
    return "".join(" " + piece[1:] if piece.startswith("▁") else piece for piece in pieces)[1:]


@alternative("unmark")
def unmark(pieces):
    return " ".join("".join(pieces).split("▁")[1:])


@alternative("unmark")
def unmark(pieces):
    text = ""
    for piece in pieces:
        for c in piece:
            text += " " if c == "▁" else c
    return text.removeprefix(" ")


@mistake(
    "viterbi",
    "the longest piece was taken at each place, as WordPiece does: the sum of the scores decides",
    "test_the_sum_decides_and_not_the_longest_piece",
)
def viterbi(text, scores):
    pieces, start = [], 0
    while start < len(text):
        ends = [end for end in range(len(text), start, -1) if text[start:end] in scores]
        if not ends:
            raise ValueError(text)
        pieces.append(text[start : ends[0]])
        start = ends[0]
    return pieces, float(sum(scores[piece] for piece in pieces))


@mistake(
    "viterbi",
    "the piece with the best score was taken at each place: what follows counts too",
    "test_what_looks_best_at_first_can_be_a_dead_end",
)
def viterbi(text, scores):
    pieces, start = [], 0
    while start < len(text):
        ends = [end for end in range(start + 1, len(text) + 1) if text[start:end] in scores]
        if not ends:
            raise ValueError(text)
        end = max(ends, key=lambda end: scores[text[start:end]])
        pieces.append(text[start:end])
        start = end
    return pieces, float(sum(scores[piece] for piece in pieces))


@mistake(
    "viterbi",
    "the worst way was taken: log-probabilities are negative, and the largest sum is the best",
    "test_the_sum_decides_and_not_the_longest_piece",
)
def viterbi(text, scores):
    best, back = [0.0], [0]
    for end in range(1, len(text) + 1):
        ways = [(best[s] + scores[text[s:end]], s) for s in range(end) if text[s:end] in scores and best[s] < math.inf]
        score, start = min(ways) if ways else (math.inf, 0)
        best.append(score)
        back.append(start)
    if best[-1] == math.inf:
        raise ValueError(text)
    pieces, end = [], len(text)
    while end > 0:
        pieces.insert(0, text[back[end] : end])
        end = back[end]
    return pieces, best[-1]


@mistake("viterbi", "the pieces come from the last to the first", "test_a_piece_that_beats_its_parts_is_taken")
def viterbi(text, scores):
    best, back = [0.0], [0]
    for end in range(1, len(text) + 1):
        score, start = max((best[s] + scores.get(text[s:end], -math.inf), s) for s in range(end))
        best.append(score)
        back.append(start)
    if best[-1] == -math.inf:
        raise ValueError(text)
    pieces, end = [], len(text)
    while end > 0:
        pieces.append(text[back[end] : end])
        end = back[end]
    return pieces, best[-1]


@mistake("viterbi", "a text that cannot be spelled is not refused", "test_what_cannot_be_spelled_is_refused")
def viterbi(text, scores):
    best, back = [0.0], [0]
    for end in range(1, len(text) + 1):
        score, start = max((best[s] + scores.get(text[s:end], -math.inf), s) for s in range(end))
        best.append(score)
        back.append(start)
    pieces, end = [], len(text)
    while end > 0:
        pieces.insert(0, text[back[end] : end])
        end = back[end]
    return pieces, best[-1]


@mistake("viterbi", "the pieces come without their score", "test_a_piece_that_beats_its_parts_is_taken")
def viterbi(text, scores):
    best = [(0.0, [])]
    for end in range(1, len(text) + 1):
        ways = [
            (best[s][0] + scores[text[s:end]], [*best[s][1], text[s:end]]) for s in range(end) if text[s:end] in scores
        ]
        best.append(max(ways, default=(-math.inf, [])))
    if best[-1][0] == -math.inf:
        raise ValueError(text)
    return best[-1][1]


@mistake(
    "viterbi", "score and pieces are exchanged: the pieces come first", "test_a_piece_that_beats_its_parts_is_taken"
)
def viterbi(text, scores):
    best = [(0.0, [])]
    for end in range(1, len(text) + 1):
        ways = [
            (best[s][0] + scores[text[s:end]], [*best[s][1], text[s:end]]) for s in range(end) if text[s:end] in scores
        ]
        best.append(max(ways, default=(-math.inf, [])))
    if best[-1][0] == -math.inf:
        raise ValueError(text)
    return best[-1]


@mistake(
    "viterbi",
    "the probability came back: the log-probability is asked for",
    "test_the_empty_text_has_one_way_without_pieces",
)
def viterbi(text, scores):
    best = [(1.0, [])]
    for end in range(1, len(text) + 1):
        ways = [
            (best[s][0] * math.exp(scores[text[s:end]]), [*best[s][1], text[s:end]])
            for s in range(end)
            if text[s:end] in scores
        ]
        best.append(max(ways, default=(0.0, [])))
    if best[-1][0] == 0:
        raise ValueError(text)
    return best[-1][1], best[-1][0]


@mistake(
    "viterbi",
    "no piece of more than eight characters is looked for: a piece may be as long as the text",
    "test_a_piece_may_be_long",
)
def viterbi(text, scores):
    best, back = [0.0], [0]
    for end in range(1, len(text) + 1):
        starts = range(max(0, end - 8), end)
        score, start = max((best[s] + scores.get(text[s:end], -math.inf), s) for s in starts)
        best.append(score)
        back.append(start)
    if best[-1] == -math.inf:
        raise ValueError(text)
    pieces, end = [], len(text)
    while end > 0:
        pieces.insert(0, text[back[end] : end])
        end = back[end]
    return pieces, best[-1]


@alternative("viterbi")
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


@alternative("viterbi")
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


@mistake(
    "forward", "the maximum was taken in place of the sum: that is Viterbi", "test_two_ways_add_their_probabilities"
)
def forward(text, scores):
    alpha = np.zeros(len(text) + 1)
    for end in range(1, len(text) + 1):
        alpha[end] = max(alpha[start] + scores.get(text[start:end], -math.inf) for start in range(end))
    return alpha


@mistake(
    "forward",
    "the logarithms were added up as if they were probabilities: use logaddexp",
    "test_two_ways_add_their_probabilities",
)
def forward(text, scores):
    alpha = np.zeros(len(text) + 1)
    for end in range(1, len(text) + 1):
        ways = [alpha[s] + scores[text[s:end]] for s in range(end) if text[s:end] in scores]
        alpha[end] = sum(ways) if ways else -math.inf
    return alpha


@mistake("forward", "probabilities came back: the logarithms are asked for", "test_one_way_has_its_own_probability")
def forward(text, scores):
    alpha = np.zeros(len(text) + 1)
    alpha[0] = 1
    for end in range(1, len(text) + 1):
        alpha[end] = sum(alpha[s] * math.exp(scores.get(text[s:end], -math.inf)) for s in range(end))
    return alpha


@mistake(
    "forward",
    "the sum was made with probabilities and the logarithm taken at the end: long texts become 0",
    "test_long_texts_stay_finite",
)
def forward(text, scores):
    alpha = np.zeros(len(text) + 1)
    alpha[0] = 1
    for end in range(1, len(text) + 1):
        alpha[end] = sum(alpha[s] * math.exp(scores.get(text[s:end], -math.inf)) for s in range(end))
    with np.errstate(divide="ignore"):
        return np.log(alpha)


@mistake(
    "forward",
    "the array has no place for the empty start: n + 1 values are asked for",
    "test_one_way_has_its_own_probability",
)
def forward(text, scores):
    alpha = np.zeros(len(text) + 1)
    for end in range(1, len(text) + 1):
        alpha[end] = np.logaddexp.reduce([alpha[s] + scores.get(text[s:end], -math.inf) for s in range(end)])
    return alpha[1:]


@mistake(
    "forward",
    "a position that no way reaches has 0, which is the logarithm of 1",
    "test_where_no_way_leads_stands_minus_infinity",
)
def forward(text, scores):
    alpha = np.zeros(len(text) + 1)
    for end in range(1, len(text) + 1):
        ways = [alpha[s] + scores[text[s:end]] for s in range(end) if text[s:end] in scores]
        if ways:
            alpha[end] = np.logaddexp.reduce(ways)
    return alpha


@mistake(
    "forward",
    "the sums go from the end to the start: that is the backward pass",
    "test_one_way_has_its_own_probability",
)
def forward(text, scores):
    beta = np.zeros(len(text) + 1)
    for start in reversed(range(len(text))):
        ways = [beta[end] + scores.get(text[start:end], -math.inf) for end in range(start + 1, len(text) + 1)]
        beta[start] = np.logaddexp.reduce(ways)
    return beta


@mistake(
    "forward",
    "only pieces of up to eight characters are summed: a piece may be as long as the text",
    "test_a_sum_looks_back_as_far_as_a_piece_is_long",
)
def forward(text, scores):
    alpha = np.zeros(len(text) + 1)
    for end in range(1, len(text) + 1):
        starts = range(max(0, end - 8), end)
        alpha[end] = np.logaddexp.reduce([alpha[s] + scores.get(text[s:end], -math.inf) for s in starts])
    return alpha


@alternative("forward")
def forward(text, scores):
    alpha = np.full(len(text) + 1, -np.inf)
    alpha[0] = 0
    for start in range(len(text)):
        for piece, score in scores.items():
            if text.startswith(piece, start):
                alpha[start + len(piece)] = np.logaddexp(alpha[start + len(piece)], alpha[start] + score)
    return alpha


@alternative("forward")
def forward(text, scores):
    import torch

    alpha = [torch.tensor(0.0, dtype=torch.float64)]
    for end in range(1, len(text) + 1):
        ways = [alpha[s] + scores.get(text[s:end], -math.inf) for s in range(end)]
        alpha.append(torch.logsumexp(torch.stack(ways), dim=0))
    return torch.stack(alpha).numpy()


@mistake(
    "expected_counts",
    "only the best way was counted (hard EM): every way counts with its probability",
    "test_two_ways_share_a_word_by_their_probabilities",
)
def expected_counts(words, scores):
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        for piece in viterbi(word, scores)[0]:
            expected[piece] += count
    return expected


@mistake(
    "expected_counts",
    "the counts of the words are left out",
    "test_a_word_with_one_way_counts_its_pieces_as_often_as_it_occurs",
)
def expected_counts(words, scores):
    backwards = {piece[::-1]: score for piece, score in scores.items()}
    expected = dict.fromkeys(scores, 0.0)
    for word in words:
        alpha, beta = forward(word, scores), forward(word[::-1], backwards)[::-1]
        for end in range(1, len(word) + 1):
            for start in range(end):
                if word[start:end] in scores:
                    expected[word[start:end]] += math.exp(
                        alpha[start] + scores[word[start:end]] + beta[end] - alpha[-1]
                    )
    return expected


@mistake(
    "expected_counts",
    "it is not divided by the probability of the word",
    "test_a_word_with_one_way_counts_its_pieces_as_often_as_it_occurs",
)
def expected_counts(words, scores):
    backwards = {piece[::-1]: score for piece, score in scores.items()}
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        alpha, beta = forward(word, scores), forward(word[::-1], backwards)[::-1]
        for end in range(1, len(word) + 1):
            for start in range(end):
                if word[start:end] in scores:
                    expected[word[start:end]] += count * math.exp(alpha[start] + scores[word[start:end]] + beta[end])
    return expected


@mistake(
    "expected_counts",
    "the piece's own score is left out between α and β",
    "test_a_word_with_one_way_counts_its_pieces_as_often_as_it_occurs",
)
def expected_counts(words, scores):
    backwards = {piece[::-1]: score for piece, score in scores.items()}
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        alpha, beta = forward(word, scores), forward(word[::-1], backwards)[::-1]
        for end in range(1, len(word) + 1):
            for start in range(end):
                if word[start:end] in scores:
                    expected[word[start:end]] += count * math.exp(alpha[start] + beta[end] - alpha[-1])
    return expected


@mistake(
    "expected_counts",
    "what comes after the piece is left out: β is missing",
    "test_a_word_with_one_way_counts_its_pieces_as_often_as_it_occurs",
)
def expected_counts(words, scores):
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        alpha = forward(word, scores)
        for end in range(1, len(word) + 1):
            for start in range(end):
                if word[start:end] in scores:
                    expected[word[start:end]] += count * math.exp(alpha[start] + scores[word[start:end]] - alpha[-1])
    return expected


@mistake(
    "expected_counts",
    "β was not turned round: it belongs to the text read backwards",
    "test_all_small_words_agree_with_brute_force",
)
def expected_counts(words, scores):
    backwards = {piece[::-1]: score for piece, score in scores.items()}
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        alpha, beta = forward(word, scores), forward(word[::-1], backwards)
        for end in range(1, len(word) + 1):
            for start in range(end):
                if word[start:end] in scores:
                    expected[word[start:end]] += count * math.exp(
                        alpha[start] + scores[word[start:end]] + beta[end] - alpha[-1]
                    )
    return expected


@mistake(
    "expected_counts",
    "pieces that fit nowhere are missing: they are expected 0.0 times",
    "test_a_piece_that_fits_nowhere_is_expected_zero_times",
)
def expected_counts(words, scores):
    backwards = {piece[::-1]: score for piece, score in scores.items()}
    expected = {}
    for word, count in words.items():
        alpha, beta = forward(word, scores), forward(word[::-1], backwards)[::-1]
        for end in range(1, len(word) + 1):
            for start in range(end):
                piece = word[start:end]
                if piece in scores:
                    used = count * math.exp(alpha[start] + scores[piece] + beta[end] - alpha[-1])
                    expected[piece] = expected.get(piece, 0.0) + used
    return expected


@mistake(
    "expected_counts",
    "every way to cut a word counts alike, whatever its probability",
    "test_two_ways_share_a_word_by_their_probabilities",
)
def expected_counts(words, scores):
    flat = dict.fromkeys(scores, 0.0)
    backwards = {piece[::-1]: 0.0 for piece in scores}
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        alpha, beta = forward(word, flat), forward(word[::-1], backwards)[::-1]
        for end in range(1, len(word) + 1):
            for start in range(end):
                if word[start:end] in scores:
                    expected[word[start:end]] += count * math.exp(alpha[start] + beta[end] - alpha[-1])
    return expected


@mistake(
    "expected_counts",
    "no piece of more than eight characters is counted: a piece may be as long as its word",
    "test_long_pieces_are_counted_too",
)
def expected_counts(words, scores):
    backwards = {piece[::-1]: score for piece, score in scores.items()}
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        alpha, beta = forward(word, scores), forward(word[::-1], backwards)[::-1]
        for end in range(1, len(word) + 1):
            for start in range(max(0, end - 8), end):
                piece = word[start:end]
                if piece in scores:
                    expected[piece] += count * math.exp(alpha[start] + scores[piece] + beta[end] - alpha[-1])
    return expected


@alternative("expected_counts")
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


@alternative("expected_counts")
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


@mistake("m_step", "the shares themselves came back, not their logarithms", "test_scores_are_the_logs_of_shares")
def m_step(expected, least=0.5):
    kept = {p: max(c, least) for p, c in expected.items() if c >= least or len(p) == 1}
    return {p: c / sum(kept.values()) for p, c in kept.items()}


@mistake("m_step", "the counts are not divided by their sum", "test_scores_are_the_logs_of_shares")
def m_step(expected, least=0.5):
    return {p: math.log(max(c, least)) for p, c in expected.items() if c >= least or len(p) == 1}


@mistake(
    "m_step",
    "rare characters go too: then words come that nothing can spell",
    "test_a_rare_character_stays_and_counts_as_half",
)
def m_step(expected, least=0.5):
    kept = {p: c for p, c in expected.items() if c >= least}
    return {p: math.log(c / sum(kept.values())) for p, c in kept.items()}


@mistake("m_step", "rare pieces stay, with the least count", "test_a_rare_piece_goes_and_the_others_share_all")
def m_step(expected, least=0.5):
    kept = {p: max(c, least) for p, c in expected.items()}
    return {p: math.log(c / sum(kept.values())) for p, c in kept.items()}


@mistake(
    "m_step",
    "the sum is that of all counts, also of the pieces that go: the rest does not sum to 1",
    "test_a_rare_piece_goes_and_the_others_share_all",
)
def m_step(expected, least=0.5):
    kept = {p: max(c, least) for p, c in expected.items() if c >= least or len(p) == 1}
    total = sum(max(c, least) if len(p) == 1 else c for p, c in expected.items())
    return {p: math.log(c / total) for p, c in kept.items()}


@mistake("m_step", "`least` is not used: ½ is written in its place", "test_the_bound_is_the_one_that_is_given")
def m_step(expected, least=0.5):
    kept = {p: max(c, 0.5) for p, c in expected.items() if c >= 0.5 or len(p) == 1}
    return {p: math.log(c / sum(kept.values())) for p, c in kept.items()}


@mistake(
    "m_step", "the logarithm is to the base 2: scores are natural logarithms", "test_scores_are_the_logs_of_shares"
)
def m_step(expected, least=0.5):
    kept = {p: max(c, least) for p, c in expected.items() if c >= least or len(p) == 1}
    return {p: math.log2(c / sum(kept.values())) for p, c in kept.items()}


@alternative("m_step")
def m_step(expected, least=0.5):
    pieces = [p for p, c in expected.items() if len(p) == 1 or c >= least]
    counts = np.maximum([expected[p] for p in pieces], least)
    return dict(zip(pieces, (np.log(counts) - np.log(counts.sum())).tolist()))


@alternative("m_step")
def m_step(expected, least=0.5):
    kept = {}
    for piece, count in expected.items():
        if len(piece) == 1 and count < least:
            count = least
        if count >= least:
            kept[piece] = count
    everything = math.log(math.fsum(kept.values()))
    return {piece: math.log(count) - everything for piece, count in kept.items()}


@mistake(
    "pruning_losses",
    "the piece itself was not taken away, so it spells itself and nothing is lost",
    "test_a_loss_is_the_count_times_what_each_use_loses",
)
def pruning_losses(expected, scores):
    return {p: c * (scores[p] - viterbi(p, scores)[1]) for p, c in expected.items() if len(p) > 1}


@mistake(
    "pruning_losses",
    "the count is left out: a piece that is used often costs more",
    "test_a_loss_is_the_count_times_what_each_use_loses",
)
def pruning_losses(expected, scores):
    losses = {}
    for p in expected:
        if len(p) > 1:
            losses[p] = scores[p] - viterbi(p, {q: s for q, s in scores.items() if q != p})[1]
    return losses


@mistake(
    "pruning_losses",
    "the piece was spelled by single characters: other long pieces may do it better",
    "test_other_long_pieces_may_spell_it",
)
def pruning_losses(expected, scores):
    return {p: c * (scores[p] - sum(scores[x] for x in p)) for p, c in expected.items() if len(p) > 1}


@mistake(
    "pruning_losses",
    "what is gained without the piece came back: the sign is turned",
    "test_a_loss_is_the_count_times_what_each_use_loses",
)
def pruning_losses(expected, scores):
    losses = {}
    for p, c in expected.items():
        if len(p) > 1:
            losses[p] = c * (viterbi(p, {q: s for q, s in scores.items() if q != p})[1] - scores[p])
    return losses


@mistake(
    "pruning_losses",
    "only the piece's own score was weighed: its replacement costs something too",
    "test_a_loss_is_the_count_times_what_each_use_loses",
)
def pruning_losses(expected, scores):
    return {p: -c * scores[p] for p, c in expected.items() if len(p) > 1}


@mistake("pruning_losses", "pieces are deleted from `scores` itself", "test_the_scores_are_left_alone")
def pruning_losses(expected, scores):
    losses = {}
    for p, c in expected.items():
        if len(p) > 1:
            own = scores.pop(p)
            losses[p] = c * (own - viterbi(p, scores)[1])
    return losses


@mistake("pruning_losses", "characters are among the losses: they never go", "test_characters_have_no_loss")
def pruning_losses(expected, scores):
    losses = {}
    for p, c in expected.items():
        others = {q: s for q, s in scores.items() if q != p}
        losses[p] = c * (scores[p] - viterbi(p, others)[1]) if len(p) > 1 else math.inf
    return losses


@alternative("pruning_losses")
def pruning_losses(expected, scores):
    return {
        p: expected[p] * (scores[p] - viterbi(p, {q: s for q, s in scores.items() if q != p})[1])
        for p in expected
        if len(p) > 1
    }


@alternative("pruning_losses")
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


@mistake("sample", "the best way was drawn every time", "test_ways_come_as_often_as_they_are_probable")
def sample(text, scores, alpha, count, seed):
    return [viterbi(text, scores)[0] for _ in range(count)]


@mistake("sample", "alpha is not used", "test_ways_come_as_often_as_they_are_probable")
def sample(text, scores, alpha, count, seed):
    generator, total, drawn = np.random.default_rng(seed), forward(text, scores), []
    for _ in range(count):
        pieces, end = [], len(text)
        while end > 0:
            chances = [math.exp(total[s] + scores.get(text[s:end], -math.inf) - total[end]) for s in range(end)]
            start = generator.choice(end, p=chances)
            pieces.insert(0, text[start:end])
            end = start
        drawn.append(pieces)
    return drawn


@mistake(
    "sample",
    "each piece was drawn by its own probability: how many ways lead to its start counts too",
    "test_ways_come_as_often_as_they_are_probable",
)
def sample(text, scores, alpha, count, seed):
    generator, drawn = np.random.default_rng(seed), []
    reach = forward(text, scores)
    for _ in range(count):
        pieces, end = [], len(text)
        while end > 0:
            weights = np.array(
                [
                    math.exp(alpha * scores[text[s:end]]) if text[s:end] in scores and reach[s] > -math.inf else 0.0
                    for s in range(end)
                ]
            )
            start = generator.choice(end, p=weights / weights.sum())
            pieces.insert(0, text[start:end])
            end = start
        drawn.append(pieces)
    return drawn


@mistake("sample", "all draws are the same one: draw anew each time", "test_ways_come_as_often_as_they_are_probable")
def sample(text, scores, alpha, count, seed):
    drawn, sharper = [], {piece: alpha * score for piece, score in scores.items()}
    total = forward(text, sharper)
    for _ in range(count):
        generator = np.random.default_rng(seed)
        pieces, end = [], len(text)
        while end > 0:
            chances = [math.exp(total[s] + sharper.get(text[s:end], -math.inf) - total[end]) for s in range(end)]
            start = generator.choice(end, p=chances)
            pieces.insert(0, text[start:end])
            end = start
        drawn.append(pieces)
    return drawn


@mistake("sample", "the pieces come from the last to the first", "test_every_draw_joins_to_the_text")
def sample(text, scores, alpha, count, seed):
    generator, drawn, sharper = (
        np.random.default_rng(seed),
        [],
        {piece: alpha * score for piece, score in scores.items()},
    )
    total = forward(text, sharper)
    for _ in range(count):
        pieces, end = [], len(text)
        while end > 0:
            chances = [math.exp(total[s] + sharper.get(text[s:end], -math.inf) - total[end]) for s in range(end)]
            start = generator.choice(end, p=chances)
            pieces.append(text[start:end])
            end = start
        drawn.append(pieces)
    return drawn


@mistake(
    "sample", "the seed is not used: another draw each time", "test_the_same_seed_draws_the_same_and_another_others"
)
def sample(text, scores, alpha, count, seed):
    generator, drawn, sharper = np.random.default_rng(), [], {piece: alpha * score for piece, score in scores.items()}
    total = forward(text, sharper)
    for _ in range(count):
        pieces, end = [], len(text)
        while end > 0:
            chances = [math.exp(total[s] + sharper.get(text[s:end], -math.inf) - total[end]) for s in range(end)]
            start = generator.choice(end, p=chances)
            pieces.insert(0, text[start:end])
            end = start
        drawn.append(pieces)
    return drawn


@mistake(
    "sample",
    "no piece of more than eight characters is drawn: a piece may be as long as the text",
    "test_a_draw_may_be_one_long_piece",
)
def sample(text, scores, alpha, count, seed):
    generator, drawn = np.random.default_rng(seed), []
    sharper = {piece: alpha * score for piece, score in scores.items() if len(piece) <= 8}
    total = forward(text, sharper)
    for _ in range(count):
        pieces, end = [], len(text)
        while end > 0:
            chances = [math.exp(total[s] + sharper.get(text[s:end], -math.inf) - total[end]) for s in range(end)]
            start = generator.choice(end, p=chances)
            pieces.insert(0, text[start:end])
            end = start
        drawn.append(pieces)
    return drawn


@alternative("sample")
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


@alternative("sample")
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
