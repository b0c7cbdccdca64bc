# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # A tokenizer that scales
#
# **The papers.**
#
# - [Radford et al. 2019, Language Models are Unsupervised Multitask Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), section 2.2 (GPT-2)
# - [Sennrich et al. 2016, Neural Machine Translation of Rare Words with Subword Units (ACL)](https://arxiv.org/abs/1508.07909), section 3.2

# %% [markdown]
# In *BPE* you wrote the algorithm as it is told. It counts every pair anew before each merge, and it takes the text as one string. GPT-2's 40 GB would never end.
#
# Here the same merges come from text of any size: split, counted in chunks, trained step by step, encoded as it streams in, saved for others.

# %% [markdown]
# **The claims to test.**
#
# | claim | where | number |
# |---|---|---|
# | merges must not cross from letters to signs, or the vocabulary fills with versions of a word (*dog. dog! dog?*) | GPT-2, 2.2 | – |
# | an exception for blanks compresses far better | GPT-2, 2.2 | – |
# | the vocabulary has 256 bytes, 50,000 merges, one special token | GPT-2, 2.3 | 50,257 |
# | counts that are kept up to date give the same merges for a small part of the work | Sennrich's published code | – |

# %% [markdown]
# You write (about 3 hours):
#
# | | piece | for |
# |---|---|---|
# | 1 | GPT-2's split | text |
# | 2 | the ids of the 256 bytes | text |
# | 3 | special tokens, cut out first | text |
# | 4 | chunks that may be counted apart | counting |
# | 5–6 | one merge step, the training | training |
# | 7–8 | ids of a text, ids of a stream | encoding |
# | 9 | `tokenizer.json` | sharing |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import heapq
import importlib.util
import json
import multiprocessing
import random
import tracemalloc
from collections import Counter, deque
from itertools import chain, islice, pairwise

import matplotlib.pyplot as plt
import pandas as pd
import regex
import torch

import etude
from etude import check, plots, record
from etude.corpora import datasets
from etude.tokenizers import bpe, byte_bpe
from etude.tokenizers.bpe import join, merged
from etude.tokenizers.byte_bpe import BYTES, ByteBPE
from etude.world import World

run = etude.start("week2_tokenizers/scale", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. GPT-2's split
#
# A text is cut into pieces before a merge is learnt, and no merge crosses a cut. At each place the first of these that fits is taken, as long as possible:
#
# | | a piece | examples (␣ a blank) |
# |---|---|---|
# | 1 | `'s` `'t` `'re` `'ve` `'m` `'ll` `'d` | it·**'s** |
# | 2 | letters, with the one blank before them | **␣low**, **눈** |
# | 3 | numbers, with the one blank before them | **␣2019**, **½** |
# | 4 | other characters that are no white space, with the one blank before them | **␣?!**, **☕** |
# | 5 | white space that no other character follows | the end of a line of blanks |
# | 6 | white space | |

# %% [markdown]
# Rule 5 gives way: of three blanks before a word it takes two, and the third goes with the word.
#
# ```
#  it's   low  ☕\n     →    it · 's · ␣␣ · ␣low · ␣ · ␣☕ · \n
# ```

# %% [markdown]
# Python's `re` has no letters of all scripts. The package `regex` has: `\p{L}` is a letter, `\p{N}` a number, in any script. All 11,172 Hangul syllables are letters, and so are their parts (ㅋㅋ).

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# One pattern with six alternatives (and seven endings), used by `regex.findall`. What is neither white space, letter nor number is `[^\s\p{L}\p{N}]`.
#
# </details>
# <details><summary>Hint for white space</summary>
#
# `(?!\S)` looks ahead and takes nothing: here no other character may follow. With `\s+` before it, the pattern takes one blank less until that is so.
#
# </details>


# %% exercise="split_text"
def split_text(text):
    """The pieces of a text by the six rules above; joined they are the text.

    text: string. The endings of rule 1 are those seven alone, in lower case, with the apostrophe
    ' (U+0027). Only a blank (U+0020) joins what comes after it, no other white space. Letters and
    numbers are those of Unicode, white space is what regex takes for it.
    Returns a list of strings. Radford et al. 2019, section 2.2, as published with the model's code.
    """
    ### BEGIN SOLUTION
    endings = r"'s|'t|'re|'ve|'m|'ll|'d"
    words = r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"
    white = r"\s+(?!\S)|\s+"
    return regex.findall(f"{endings}|{words}|{white}", text)
    ### END SOLUTION


# %%
check("split_text")

# %%
for text in ["It's 2019, isn't it?", "킹받네 ㅋㅋ 3잔", "x = 3\n\ty", "cafe\u0301"]:
    print(split_text(text))

# %% [markdown]
# The last one is *café* with its accent as a character of its own (NFD). An accent is a mark, no letter, so it is cut off. Korean in NFD fares better: its letters are letters.

# %% [markdown]
# ## 2. The ids of the bytes
#
# A piece is spelled in UTF-8. GPT-2 writes each of the 256 bytes as a character that can be seen (`BYTES`, which you made in *BPE*), and numbers them **in the order of these characters**:
#
# | id | 0 | 1 | 32 | 64 | 187 | 188 | 220 | 255 |
# |---|---|---|---|---|---|---|---|---|
# | character | ! | " | A | a | ÿ | Ā | Ġ | Ń |
# | byte | 33 | 34 | 65 | 97 | 255 | 0 | 32 | 173 |

# %% [markdown]
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `BYTES[byte]` is the byte's character. Sort all 256 of them; a byte's id is the place of its character.
#
# </details>


# %% exercise="byte_ids"
def byte_ids():
    """The id of each byte in GPT-2's vocabulary.

    BYTES, a list, holds the character of each byte from 0 to 255. Ids count from 0 in the order of
    the characters' numbers in Unicode (as `sorted` has it).
    Returns a list of 256 ints: at place b the id of byte b.
    """
    ### BEGIN SOLUTION
    place = {character: i for i, character in enumerate(sorted(BYTES))}
    return [place[character] for character in BYTES]
    ### END SOLUTION


# %%
check("byte_ids")

# %% [markdown]
# ## 3. Special tokens first
#
# A special token such as `<|endoftext|>` stands between two documents. It is one id, never split, never merged. So it is cut out **before** anything else; the text around it is split as ever.
#
# ```
#  a cat<|endoftext|>the <|end|>      →    a cat · <|endoftext|> · the␣<|end|>
#            special                                  only looks like one: text
# ```

# %% [markdown]
# One special token may be the beginning of another. Then the longest one that fits is meant.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Without `regex.escape` the `|` in `<|endoftext|>` means *or*.
#
# </details>
# <details><summary>Hint for the cut</summary>
#
# `regex.split` with a group in round brackets returns what it split at, too, at every odd place. The first alternative that fits wins: which one should stand first?
#
# </details>


# %% exercise="cut_special"
def cut_special(text, special):
    """A text cut at its special tokens.

    text: string; special: special tokens, strings that are not empty: the keys of a dictionary, or
    a list; there may be none. From left to right: where several fit at one place, the longest is
    meant. What is in one is not looked at again.
    Returns a list of pairs (part, is special): (string, True) for a special token, (string, False)
    for text. No part is empty; joined they are the text.
    """
    ### BEGIN SOLUTION
    if not special:
        return [(text, False)] if text else []
    longest_first = sorted(special, key=len, reverse=True)
    parts = regex.split(f"({'|'.join(map(regex.escape, longest_first))})", text)
    return [(part, place % 2 == 1) for place, part in enumerate(parts) if part]
    ### END SOLUTION


# %%
check("cut_special")

# %% [markdown]
# Text from strangers should be encoded **without** special tokens. Else whoever writes `<|endoftext|>` on a web page ends your document.

# %% [markdown]
# ## 4. Chunks
#
# Pieces are counted once; the training only sees the counts. To count on many cores, or more text than the memory holds, cut the text into chunks and add up their counts. But where?
#
# ```
#  … a slow|er cat …     er is no word of the text             wrong
#  … a slow |cat …       ␣ would be a piece, ␣cat none         wrong: the blank stays behind
#  … a slow| cat …       white space after what is none        right
# ```

# %% [markdown]
# There no piece is cut: a piece has white space only at its front, or holds nothing else. Special tokens without white space stay whole as well. (Others cut before each `<|endoftext|>`; that needs documents that are short.)

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `regex.compile(r"(?<=\S)\s").search(text, start)` finds the first such place from `start` on; it sees the character before `start`. It may find none.
#
# </details>


# %% exercise="cut_text"
def cut_text(text, count):
    """A text in at most `count` chunks of about the same length, whose pieces are those of the text.

    text: string of n characters; count: 1 or more. For k from 1 to count − 1 a cut is wanted at
    place k · n // count (before the character of that index). It is made at the first place from
    there on where white space (\\s of regex) follows a character that is none; nowhere, if there
    is no such place. Two cuts at one place are one.
    Returns a list of strings, none empty; joined they are the text.
    """
    ### BEGIN SOLUTION
    safe = regex.compile(r"(?<=\S)\s")
    places = {0, len(text)}
    for k in range(1, count):
        if found := safe.search(text, k * len(text) // count):
            places.add(found.start())
    return [text[start:end] for start, end in pairwise(sorted(places))]
    ### END SOLUTION


# %%
check("cut_text")

# %% [markdown]
# **The text.** The course's world, English and Korean, a document after the other with `<|endoftext|>` between. A fifth of the words is misspelt or comes with a number, as on the web: that makes many rare pieces.

# %%
END = "<|endoftext|>"
SIZE = {  # words of English, words of Korean, merges
    "smoke": (40_000, 30_000, 600),
    "cpu": (1_800_000, 1_350_000, 4_000),
    "gpu": (3_200_000, 2_400_000, 20_000),
}[profile]
LETTERS = "abcdefghijklmnopqrstuvwxyz가나다라마바사아자차카타파하"


def misspelt(word, draw):
    """A word with one letter lost, doubled or put in, or with a sign or a number after it."""
    place, kind = draw.randrange(len(word)), draw.randrange(5)
    if kind == 0:
        return word[:place] + word[place + 1 :]
    if kind == 1:
        return word[:place] + word[place] + word[place:]
    if kind == 2:
        return word[:place] + draw.choice(LETTERS) + word[place:]
    return word + (draw.choice([",", ";", ":", "…"]) if kind == 3 else f" {draw.randrange(3_000)}")


def documents(language, of, words):
    """Documents of the world with noise: a sentence a line."""
    draw = random.Random(of)
    texts = []
    for document in World(language, seed=of).documents(words):
        lines = [
            " ".join(misspelt(word, draw) if draw.random() < 0.2 else word for word in str(sentence).split())
            for sentence in document.sentences
        ]
        texts.append("".join(line + draw.choice([".", ".", "!", "?"]) + "\n" for line in lines))
    return texts


both = [*documents("en", seed, SIZE[0]), *documents("ko", seed, SIZE[1])]
random.Random(seed).shuffle(both)
text = END.join(both)
print(f"{len(text.encode()) / 1e6:.2f} MB, {len(both):,} documents\n\n{text[:300]}")


# %%
def count_pieces(chunk):
    """How often each piece occurs; special tokens are none."""
    return Counter(chain.from_iterable(split_text(part) for part, special in cut_special(chunk, [END]) if not special))


chunks = cut_text(text, 16)
if profile != "smoke" and "fork" in multiprocessing.get_all_start_methods():
    with multiprocessing.get_context("fork").Pool() as pool:
        counted = pool.map(count_pieces, chunks)  # a process for each core
else:
    counted = list(map(count_pieces, chunks))
pieces = Counter()
for some in counted:  # in any order
    pieces.update(some)
print(f"{len(chunks)} chunks, {pieces.total():,} pieces, {len(pieces):,} different ones; as from the whole: {pieces == count_pieces(text)}")
cut_anywhere = [text[i : i + 10_000] for i in range(0, len(text), 10_000)]
lost = count_pieces(text) - sum(map(count_pieces, cut_anywhere), Counter())
print(f"cut after every 10,000 characters: {lost.total()} pieces are not found")

# %% [markdown]
# ## 5. One merge
#
# A merge changes the words that hold the pair, and no others. So keep two tables up to date: how often each pair occurs, and **which words** hold it.
#
# ```
#  words                   counts     pairs              where
#  0  l o w                5          l o   7            l o   {0, 1}
#  1  l o w e r            2          o w   7            o w   {0, 1}
#  2  n e w                6          e w   6            e w   {2}        … w e, e r, n e
#
#  merge l o → X: only words 0 and 1 are looked at
#  0  X w                  5          X w   7            X w   {0, 1}
#  1  X w e r              2          l o, o w are gone; e w stays as it was
# ```

# %% [markdown]
# The simplest right way: take the word out of both tables, merge, put it back in.
#
# *30 minutes, hard.*
#
# <details><summary>Hint</summary>
#
# For each word of `where[pair]`: for each of its pairs take the word's count off and the word out of `where`. A pair may stand in a word twice, and counts twice.
#
# </details>
# <details><summary>Hint for an error</summary>
#
# *Set changed size during iteration*: go through a copy, `list(where[pair])`.
#
# </details>
# <details><summary>Hint for the merge</summary>
#
# `merged(word, pair, new)` from the library returns the new word as a list; words are tuples.
#
# </details>


# %% exercise="merge_step"
def merge_step(pair, new, words, counts, pairs, where):
    """Merges a pair in all words that hold it, and brings the tables up to date, in place.

    pair: (id, id), which occurs; new: the id that it becomes, larger than all others.
    words: list of words, tuples of ids; only those in where[pair] may be looked at (the checks put
    None in the place of the others). counts: list, how often each word occurs, 1 or more.
    pairs: dictionary from a pair to how often it occurs in the text (each place in a word counts);
    where: dictionary from a pair to the set of places in `words` of the words that hold it. Both
    hold the pairs that occur and no others, before and after.
    A merge goes from left to right, without overlap. words, pairs and where are changed in place.
    Returns the set of pairs that hold `new`.
    """
    ### BEGIN SOLUTION
    made = set()
    for i in list(where[pair]):
        for old in pairwise(words[i]):
            pairs[old] -= counts[i]
            where[old].discard(i)
            if pairs[old] == 0:
                del pairs[old], where[old]
        words[i] = tuple(merged(words[i], pair, new))
        for now in pairwise(words[i]):
            pairs[now] = pairs.get(now, 0) + counts[i]
            where.setdefault(now, set()).add(i)
            if new in now:
                made.add(now)
    return made
    ### END SOLUTION


# %%
check("merge_step")

# %% [markdown]
# ## 6. Training
#
# Which pair is next? `max` over all pairs takes longer the more there are. A **heap** has the first one on top. Entries grow old, as counts fall. That does no harm:
#
# ```
#  on top   (−7, (o, w))     pairs[(o, w)] is 7       take it
#           (−7, (o, w))     pairs[(o, w)] is 4 now   put (−4, (o, w)) back, look again
#           (−7, (o, w))     is in pairs no more      drop it, look again
# ```

# %% [markdown]
# Counts only fall, but for pairs that hold the newest id. `merge_step` returns these: push them.
#
# Ties go to the smaller ids, as in Hugging Face tokenizers (GPT-2's own training was not published). Tuples compare just so: −count, then first id, then second.

# %% [markdown]
# *30 minutes, hard.*
#
# <details><summary>Hint</summary>
#
# First build `pairs` and `where` from the words, then the heap: `heapq.heapify` makes one of a list.
#
# </details>
# <details><summary>Hint for the end</summary>
#
# Stop when the vocabulary, 256 bytes and the merges, has `size` entries, or when no pair is left.
#
# </details>


# %% exercise="train"
def train(words, counts, size):
    """Learns merges until the vocabulary has `size` entries or no pair is left.

    words: list of words, tuples of ids of bytes, below 256; they are changed in place: at the end
    each is the tuple of its tokens. counts: list, how often each word occurs, 1 or more; it stays
    as it is. size: 256 or more. Of the most frequent pairs, that with the smallest first id is
    merged, of these that with the smallest second id. The first merge makes id 256, the next one 257.
    Returns a dictionary from each merged pair (id, id) to the id that it becomes, in the order in
    which they were made. Sennrich et al. 2016, algorithm 1.
    """
    ### BEGIN SOLUTION
    pairs, where, merges = {}, {}, {}
    for i, word in enumerate(words):
        for pair in pairwise(word):
            pairs[pair] = pairs.get(pair, 0) + counts[i]
            where.setdefault(pair, set()).add(i)
    heap = [(-count, pair) for pair, count in pairs.items()]
    heapq.heapify(heap)
    while heap and 256 + len(merges) < size:
        count, pair = heapq.heappop(heap)
        if pair not in pairs:
            continue
        if pairs[pair] != -count:
            heapq.heappush(heap, (-pairs[pair], pair))
            continue
        merges[pair] = 256 + len(merges)
        for made in merge_step(pair, merges[pair], words, counts, pairs, where):
            heapq.heappush(heap, (-pairs[made], made))
    return merges
    ### END SOLUTION


# %%
check("train")

# %% [markdown]
# ## 7. Ids of a text
#
# All together: special tokens first, then pieces, bytes, and merges by rank. A merge that was learnt earlier has the smaller id, so one dictionary says it all. `join` of the library does the merging of one piece.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `join(ids, ranks)` takes a list of ids and a dictionary from a pair to (rank, id): here both are the merge's id.
#
# </details>


# %% exercise="encode"
def encode(text, merges, special):
    """The ids of a text.

    merges: dictionary from a pair (id, id) to the id that it becomes; smaller ids were learnt
    earlier, and some may be missing. special: dictionary from special token to id, perhaps one
    that a byte has; it may be empty.
    Special tokens are cut out first (`cut_special`), the rest is split (`split_text`); a piece is
    spelled in the ids of its bytes in UTF-8 (`byte_ids`). Of the merges that apply in it, that with
    the smallest id is made first, until none applies.
    Returns a list of ints. Radford et al. 2019, section 2.2.
    """
    ### BEGIN SOLUTION
    spelling = byte_ids()
    ranks = {pair: (new, new) for pair, new in merges.items()}
    ids = []
    for part, is_special in cut_special(text, special):
        if is_special:
            ids.append(special[part])
            continue
        for piece in split_text(part):
            ids += join([spelling[byte] for byte in piece.encode("utf-8")], ranks)
    return ids
    ### END SOLUTION


# %%
check("encode")

# %% [markdown]
# **GPT-2's own ids.** Of its 50,000 merges these 20 are all that could play a part in two words. With them your function must find what GPT-2 finds:

# %%
GPT2_SOME = {
    (220, 86): 266, (78, 81): 273, (75, 75): 297, (75, 67): 335, (68, 75): 417, (266, 273): 476, (68, 297): 695,
    (476, 335): 995, (39, 68): 1544, (273, 335): 1764, (75, 78): 5439, (86, 1764): 6894, (695, 78): 11109,
    (39, 417): 12621, (39, 11109): 15496, (297, 78): 18798, (86, 78): 21638, (266, 78): 24486, (39, 695): 28254,
    (81, 75): 45895,
}  # fmt: skip
print(encode("Hello world" + END, GPT2_SOME, {END: 50256}))

# %% [markdown]
# 15496 is *Hello*, 995 is *␣world*: the 995 − 255 = 740th merge. With all merges (if the files are here) the check is longer:

# %%
NEEDED = ["gpt2_vocab/encoder.json", "gpt2_vocab/vocab.bpe"]
if all(map(datasets.available, NEEDED)):
    published = byte_bpe.gpt2()
    index = published.bpe.index
    all_merges = {(index[a], index[b]): index[a + b] for a, b in published.bpe.merges}
    for example in ["It's 2019, isn't it?", "하루 커피 최소 3잔", "x = 3\n\ty"]:
        ids = encode(example, all_merges, {})
        print(f"{ids == published.encode(example)}   {len(example.encode())} bytes, {len(ids)} tokens   {ids}")
else:
    print(f"Not here: {', '.join(NEEDED)}. `etude data fetch` gets what is public.")

# %% [markdown]
# ## 8. Ids of a stream
#
# A file of 40 GB comes in chunks, cut anywhere: in a word, in a special token. What comes after the last safe place has to wait for the next chunk.
#
# ```
#  chunks    a sl | ow c | at<|endo | ftext|>…
#  encoded   a    | ␣slow | (nothing: no white space came)
#  held      ␣sl  | ␣c   | ␣cat<|endo
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# The safe places are those of section 4. Take the **last** one in what is held and what has come.
#
# </details>
# <details><summary>Hint for the end</summary>
#
# `yield from` gives ids one by one, and nothing is read before it is needed. When no chunk is left, what is held is all that comes.
#
# </details>


# %% exercise="encode_stream"
def encode_stream(chunks, merges, special):
    """The ids of a text that comes in chunks, one by one: those of `encode` for the whole text.

    chunks: a list or an iterator of strings, cut anywhere, some may be empty; merges, special: as for
    `encode`; no special token holds white space.
    Yields ints. What comes before the last safe place (where white space follows a character that
    is none) is encoded before the next chunk is taken; no more is held than what comes after it.
    """
    ### BEGIN SOLUTION
    held = ""
    for chunk in chunks:
        held += chunk
        places = [found.start() for found in regex.finditer(r"(?<=\S)\s", held)]
        if places:
            yield from encode(held[: places[-1]], merges, special)
            held = held[places[-1] :]
    yield from encode(held, merges, special)
    ### END SOLUTION


# %%
check("encode_stream")

# %% [markdown]
# ## 9. A file that others read
#
# Hugging Face tokenizers keeps a tokenizer in one JSON file. The model holds tokens as strings in the characters of `BYTES`; the split and the bytes are a step, `ByteLevel`.

# %% [markdown]
# | key | holds |
# |---|---|
# | `version` | `"1.0"` |
# | `added_tokens` | a list: for each special token, by id, `id`, `content`, and five flags |
# | `pre_tokenizer`, `decoder` | the step |
# | `model` | `type` (`"BPE"`), `vocab` (token → id, special tokens too), `merges` (a list of `[token, token]`, the earliest first) |

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Make a dictionary from id to token: the sorted `BYTES` first, then each merge, which joins two tokens that are there already.
#
# </details>


# %% exercise="tokenizer_json"
def tokenizer_json(merges, special):
    """What tokenizer.json holds, as in the table above.

    merges: dictionary from a pair (id, id) to the id that it becomes, 256, 257 …, in this order;
    special: dictionary from special token to id; these follow the merges' ids.
    Returns a dictionary of strings, numbers, lists and dictionaries, as json.dumps takes it.
    """
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    ### BEGIN SOLUTION
    tokens = dict(enumerate(sorted(BYTES)))
    for (a, b), new in merges.items():
        tokens[new] = tokens[a] + tokens[b]
    vocab = {token: i for i, token in tokens.items()} | special
    by_id = sorted(special, key=special.get)
    return {
        "version": "1.0",
        "added_tokens": [{"id": special[token], "content": token, **flags} for token in by_id],
        "pre_tokenizer": step,
        "decoder": step,
        "model": {"type": "BPE", "vocab": vocab, "merges": [[tokens[a], tokens[b]] for a, b in merges]},
    }
    ### END SOLUTION


# %%
check("tokenizer_json")

# %% [markdown]
# ## 10. The experiment
#
# ### How much work
#
# Seconds depend on the machine, so we count **work**: the words are kept in a list that notes each pair that is looked at, once for each merge. Recounting looks at every pair of every word before each merge.


# %%
class Watched(list):
    """Words; counts the pairs that are looked at in them, in each merge once however often they are read."""

    def __init__(self, words):
        super().__init__(words)
        self.looked, self.read = 0, set()
        self.held = sum(len(word) - 1 for word in words)  # pairs of all words
        self.needed = self.recounted = self.held  # to count them once
        self.newest, self.trace = 255, []

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, place):
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        word = super().__getitem__(place)
        if place % len(self) not in self.read:
            self.read.add(place % len(self))
            self.looked += len(word) - 1
        return word

    def __setitem__(self, place, new):
        if not isinstance(place, int):
            for i, word in zip(range(len(self))[place], new, strict=True):
                self[i] = word
            return
        old = super().__getitem__(place)
        super().__setitem__(place, new)
        if len(new) < len(old):
            if max(new) > self.newest:  # the first word of a merge
                self.newest, self.read = max(new), {place % len(self)}
                self.recounted += self.held
                self.trace.append((self.recounted, self.looked))
            self.needed += len(old) - 1
            self.held -= len(old) - len(new)


ALLOWED = 10  # so many times the work that is needed does no harm
spelling = byte_ids()
spelled = [tuple(spelling[byte] for byte in piece.encode()) for piece in pieces]
words = Watched(spelled)
merges = train(words, list(pieces.values()), 256 + SIZE[2])
special = {END: 256 + len(merges)}
metrics = {
    "excess_work": max(0.0, words.looked / words.needed - ALLOWED),
    "recount_over_work": words.recounted / words.looked,
}
print(f"{len(merges):,} merges of {len(words):,} different pieces; {words.looked:,} pairs looked at")
print(f"needed are {words.needed:,} (in the words that change); to count all anew, {words.recounted:,}")

# %%
token_bytes = [bytes([byte]) for byte in sorted(range(256), key=spelling.__getitem__)]
for a, b in merges:
    token_bytes.append(token_bytes[a] + token_bytes[b])


def shown(ids):
    """Tokens with · between them."""
    return "·".join(token_bytes[i].decode("utf-8", errors="replace").replace(" ", "␣") for i in ids)


print("the first merges:", shown(range(256, 296)))
for example in ["the vikings boiled 3 cups of coffee", "하루 커피 최소 3잔", "킹받네 ㅋㅋ"]:
    print(shown(encode(example, merges, special)))

# %% [markdown]
# **Are they right?** The library keeps other books (`etude/tokenizers/bpe_pairs.py`) and is tested against Hugging Face's. Its merges from the same counts:

# %%
characters = sorted(BYTES)  # by id


def library(counts, size):
    """The library's BPE, learnt from pieces and their counts."""
    return bpe.train({byte_bpe.spell(piece): count for piece, count in counts.items()}, size, alphabet=BYTES)


by_library = library(pieces, 256 + SIZE[2])
names = [*characters]
for a, b in merges:
    names.append(names[a] + names[b])
mine = [(names[a], names[b]) for a, b in merges]
same = sum(one == other for one, other in zip(mine, by_library.merges))
metrics["merges_as_library"] = same / max(len(mine), len(by_library.merges), 1)
print(f"{same:,} of {len(by_library.merges):,} merges are the library's")

# %% [markdown]
# **Memory of the stream.** The ids of a stream, and of one four times as long: does the peak grow? Up to twice does no harm. For comparison the peak if all is encoded at once.

# %%
LONG = {"smoke": 20_000, "cpu": 100_000, "gpu": 200_000}[profile]  # characters


def at_once(chunks):
    """The ids of all chunks together, encoded as one text."""
    yield from encode("".join(chunks), merges, special)


def stream(times, size=1_000):
    """Chunks of a text, over and over."""
    return (text[i : i + size] for _ in range(times) for i in range(0, LONG, size))


def peak(work):
    """The most memory that Python takes while `work` runs, a function without parameters; in bytes."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def peak_of(ids):
    """The most memory while ids come, one by one, and are not kept."""
    return peak(lambda: deque(ids, maxlen=0))


streamed = list(encode_stream(stream(1), merges, special))  # fills what is filled once
peaks = {times: peak_of(encode_stream(stream(times), merges, special)) for times in (1, 4)}
peaks_at_once = {times: peak_of(at_once(stream(times))) for times in (1, 4)}
metrics["memory_growth"] = peaks[4] / peaks[1]
print(f"the stream's ids are those of the whole: {streamed == encode(text[:LONG], merges, special)}")
for name, most in {"stream": peaks, "at once": peaks_at_once}.items():
    print(f"{name}: {most[1] / 1e6:.2f} MB, of four times the text {most[4] / 1e6:.2f} MB")

# %% [markdown]
# **Memory of the training.** Both tables and the heap, at their largest, over what the library's training takes for the same pieces. Up to three times does no harm.

# %%
of_training = peak(lambda: train(list(spelled), list(pieces.values()), 256 + SIZE[2]))
of_library = peak(lambda: library(pieces, 256 + SIZE[2]))
metrics["training_memory"] = of_training / of_library
metrics["excess_memory"] = max(0.0, metrics["memory_growth"] - 2) + max(0.0, metrics["training_memory"] - 3)
print(f"training: {of_training / 1e6:.1f} MB, the library's {of_library / 1e6:.1f} MB; the text has {len(text.encode()) / 1e6:.1f} MB")

# %% [markdown]
# **The file.** Read by the library, and by Hugging Face tokenizers if it is installed (`pip install tokenizers`), it must give your ids on text that was never seen.

# %%
OTHER = 100_000  # added to the seed: documents that nothing was learnt from
unseen = {language: documents(language, seed + OTHER, 3_000) for language in ("en", "ko")}
file = run.out / "tokenizer.json"
file.write_text(json.dumps(tokenizer_json(merges, special), ensure_ascii=False), encoding="utf-8")
loaded = ByteBPE.load(file)
documents_seen = [*unseen["en"], *unseen["ko"]]
yours = [encode(document, merges, {}) for document in documents_seen]
theirs = [loaded.encode(document) for document in documents_seen]
metrics["ids_as_library"] = sum(map(list.__eq__, yours, theirs)) / len(yours)
print(f"the library: {metrics['ids_as_library']:.0%} of {len(yours)} documents have the same ids")
if importlib.util.find_spec("tokenizers"):
    from tokenizers import Tokenizer

    published = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    whole = END.join(documents_seen)
    ids = published.encode(whole).ids
    print(f"tokenizers: the same ids {ids == encode(whole, merges, special)}, the text back {published.decode(ids, skip_special_tokens=False) == whole}")

# %% [markdown]
# ### What the split is worth
#
# The paper's two claims. We learn as many merges with three ways to split, and look at what the vocabulary holds and how far it compresses unseen text.

# %%
WAYS = {
    "GPT-2's": byte_bpe.PATTERN.pattern,
    "no exception for blanks": r"'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+",
    "at white space only": r" ?\S+|\s+(?!\S)|\s+",
}


def kinds(token):
    """The kinds of characters in a token: letters, numbers, signs;
    bytes that are no character count as letters."""
    written = bytes(byte_bpe.VALUES[c] for c in token).decode("utf-8", errors="ignore").strip()
    return {"number" if regex.match(r"\p{N}", c) else "letter" if regex.match(r"[\p{L}\p{M}]", c) else "sign" for c in written}


table = {}
for way, pattern in WAYS.items():
    cut = regex.compile(pattern)
    learnt = library(Counter(chain.from_iterable(map(cut.findall, both))), 256 + SIZE[2])
    made = learnt.vocabulary[256:]
    tokens = {
        language: sum(len(learnt.cache[byte_bpe.spell(piece)]) for document in some for piece in cut.findall(document))
        for language, some in unseen.items()
    }
    size = {language: sum(len(document.encode()) for document in some) for language, some in unseen.items()}
    table[way] = {
        "merges of mixed kinds": sum(len(kinds(token)) > 1 for token in made) / len(made),
        "bytes per token": sum(size.values()) / sum(tokens.values()),
        "English": size["en"] / tokens["en"],
        "Korean": size["ko"] / tokens["ko"],
    }
table = pd.DataFrame(table).T
metrics["blank_gain"] = float(table.loc["GPT-2's", "bytes per token"] - table.loc["no exception for blanks", "bytes per token"])
metrics["mixed_share"] = float(table.loc["at white space only", "merges of mixed kinds"])
metrics["category_gain"] = float(table.loc["GPT-2's", "bytes per token"] - table.loc["at white space only", "bytes per token"])
table.round(3)

# %% [markdown]
# ## Results
#
# Bytes per token on unseen text, as merges are added:

# %%
steps = [0, *(round(len(merges) * share) for share in (0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1))]
curves = {}
for language, some in unseen.items():
    counts = Counter(chain.from_iterable(map(split_text, some)))
    written = sum(len(piece.encode()) * count for piece, count in counts.items())
    curves[language] = []
    for step in steps:
        part = {pair: (new, new) for pair, new in islice(merges.items(), step)}
        tokens = sum(len(join([spelling[byte] for byte in piece.encode()], part)) * n for piece, n in counts.items())
        curves[language].append(written / tokens)
    metrics[f"bytes_per_token_{language}"] = curves[language][-1]

# %% tags=["metrics"]
record(
    metrics,
    size=torch.tensor(SIZE),  # (3,)
    merges=torch.tensor(list(merges)),  # (M, 2)
    work=torch.tensor([words.looked]),  # (1,)
    peaks=torch.tensor([peaks[1], peaks[4], of_training]),  # (3,)
    tokenizer=[file.read_text(encoding="utf-8")],
)

# %%
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
recounted, looked = zip(*words.trace)
axes[0].plot(recounted, ls="--", label="counted anew before each merge")
axes[0].plot(looked, label="kept up to date")
axes[0].set(
    xlabel="merges",
    ylabel="pairs looked at so far",
    yscale="log",
    title=f"Kept up to date: {metrics['recount_over_work']:.0f} times less work",
)
for language, name in {"en": "English", "ko": "Korean"}.items():
    axes[1].plot(steps, curves[language], marker="o", label=name)
axes[1].set(
    xlabel="merges",
    ylabel="bytes per token, unseen text",
    ylim=(0, None),
    title=f"English {curves['en'][-1]:.2f}, Korean {curves['ko'][-1]:.2f} bytes per token",
)
for ax in axes:
    ax.legend()
plt.show()

# %% [markdown]
# **What was found**, in the runs behind the table of expected values:
#
# - Chunks cut where white space begins have the counts of the whole text; cut anywhere, some pieces go wrong at each cut.
# - The merges are the library's, all of them, for a small part of the work of counting anew. More text and more merges make the gap wider.
# - A stream takes no more memory if it is four times as long.
# - The training takes about three quarters of the memory that the library's takes for the same pieces.
# - The exception for blanks compresses far better, as the paper says: without it each blank is a token.
# - Split at white space alone, some merges join words with signs, as the paper says. By compression that does no harm at our size: these runs take a little *fewer* tokens without the rule.
# - What the rule saves a model, learning *dog.*, *dog!* and *dog?* apart, is not measured here.

# %% [markdown]
# ## In your own words
#
# **1.** A friend cuts a large file after every 100 MB, counts the pieces of each part on its own core, and adds the counts up. What goes wrong, how much, and what is the least change that mends it?

# %% [markdown] answer="cut_anywhere" points=2
# ### BEGIN SOLUTION
# Each cut may go through a piece: a word falls into two pieces that the text does not hold, a blank is torn off its word, a special token becomes text, and a cut in bytes may even split a character of UTF-8. It is at most a few pieces for each cut, so the merges will hardly change, but the counts are no longer those of the text, and results depend on
# the number of parts. Move each cut to the next safe place: white space after a character that is none (or the start of a special token). Then the sum of the counts is exact.
# ### END SOLUTION

# %% [markdown]
# **2.** Korean tokens hold more bytes than English ones here. Why does this not say that Korean is served better, and what would you count instead?

# %% [markdown] answer="bytes_and_messages" points=2
# ### BEGIN SOLUTION
# Bytes are no fair unit across scripts: a Hangul syllable takes three bytes in UTF-8, an English letter one. A Korean token of six bytes is two syllables, an English one of six bytes a whole word. So the same message has more bytes in Korean, and a token that covers as many of them covers less of the message. To compare languages count tokens for
# the same content (translated sentences), not bytes per token; within one language bytes per token compare tokenizers well.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Karpathy's [minbpe](https://github.com/karpathy/minbpe): the same tokenizer in a few hundred lines, without the index.
# - Petrov et al. 2023, [Language Model Tokenizers Introduce Unfairness Between Languages](https://arxiv.org/abs/2305.15425): what a vocabulary costs whom.
# - Next: week 3, *reading papers*.
