"""A planted graph of concepts in ConceptNet's style, and questions in English and Korean that only the graph can answer.

Which tool lies where, and which place serves which aim, is drawn anew for each seed, so nobody can know it from elsewhere. A
question names an action and an aim, and offers four tools. All four are used for the action; the right one lies at the place
that is used for the aim, the others at places that are merely related to it. So all four have paths to the aim, as many and
as long: the relations on them tell. No graph knows everything: of one aim of each place this relation is missing. Places are
parted into three splits, and no aim, place or tool of one is asked about in another.

Paths are found with networkx. This module must not know any model.
"""

from __future__ import annotations

from typing import NamedTuple

import networkx as nx

from etude.world.chance import Chance

Triple = tuple[str, str, str]  # head, relation, tail
Path = list[Triple]  # steps as they are walked: a relation walked from tail to head ends in BACK

BACK = "*"
SPLITS = {"train": 8, "test": 4, "reserve": 4}  # places
AIMS, PLANS, CHOICES = 6, 3, 4  # aims and plans of a place, tools of a question

_PLACES = """garden 정원, kitchen 부엌, harbour 항구, farm 농장, workshop 작업장, forest 숲, mine 광산, studio 화실,
school 학교, hospital 병원, market 시장, stable 마구간, quarry 채석장, greenhouse 온실, shipyard 조선소,
bakery 빵집"""
_TOOLS = """spade 삽, hoe 괭이, rake 갈퀴, sickle 낫, axe 도끼, saw 톱, hammer 망치, chisel 끌, drill 드릴, wrench 렌치,
pliers 펜치, rasp 줄칼, knife 칼, ladle 국자, whisk 거품기, grater 강판, tongs 집게, sieve 체, kettle 주전자,
bucket 양동이, mop 대걸레, broom 빗자루, sponge 수세미, brush 솔, trowel 흙손, pickaxe 곡괭이,
crowbar 쇠지레, winch 윈치, pulley 도르래, lever 지렛대, jack 잭, crane 기중기, cart 수레, sledge 썰매,
ladder 사다리, net 그물, hook 갈고리, anchor 닻, oar 노, needle 바늘, scissors 가위, loom 베틀, spindle 물레,
thimble 골무, anvil 모루, bellows 풀무, vise 바이스, clamp 죔쇠, plane 대패, lathe 선반, mallet 나무메,
auger 송곳, shears 전지가위, pitchfork 쇠스랑, plough 쟁기, hose 호스, funnel 깔때기, scale 저울, ruler 자,
compass 컴퍼스, tweezers 핀셋, scalpel 메스, spatula 주걱, rolling_pin 밀대"""
_MATERIALS = "iron 쇠, oak 참나무, leather 가죽, glass 유리, stone 돌, rubber 고무"
_PARTS = "handle 손잡이, blade 날, wheel 바퀴, spring 용수철, chain 사슬, screw 나사"
# Lemma, past form, what it is done to; the same in Korean.
_ACTIONS = (
    (("dig", "dug", "ground"), ("파다", "팠다", "땅", "땅을")),
    (("cut", "cut", "rope"), ("자르다", "잘랐다", "밧줄", "밧줄을")),
    (("lift", "lifted", "box"), ("들다", "들었다", "상자", "상자를")),
    (("wipe", "wiped", "window"), ("닦다", "닦았다", "창문", "창문을")),
)
# Verb; lemma and form of purpose in Korean.
_AIM_VERBS = """plant 심다 심으려고, paint 칠하다 칠하려고, repair 고치다 고치려고, build 짓다 지으려고,
make 만들다 만들려고, carry 나르다 나르려고, sell 팔다 팔려고, decorate 꾸미다 꾸미려고,
clean 치우다 치우려고, find 찾다 찾으려고"""
_PLAN_VERBS = "prepare 준비하다 준비하려고, open 열다 열려고, plan 계획하다 계획하려고, finish 마치다 마치려고"
# Lemma, plural; lemma and object in Korean.
_AIM_OBJECTS = """flower flowers 꽃 꽃을, house houses 집 집을, rose roses 장미 장미를, fence fences 울타리 울타리를,
bench benches 벤치 벤치를, boat boats 배 배를, lamp lamps 등불 등불을, toy toys 장난감 장난감을,
mask masks 가면 가면을, drum drums 북 북을, kite kites 연 연을, basket baskets 바구니 바구니를"""
_PLAN_OBJECTS = """festival festivals 축제 축제를, wedding weddings 결혼식 결혼식을, fair fairs 박람회 박람회를,
concert concerts 음악회 음악회를, picnic picnics 소풍 소풍을, feast feasts 잔치 잔치를,
race races 경주 경주를, parade parades 행진 행진을, contest contests 대회 대회를,
meeting meetings 모임 모임을, show shows 공연 공연을, exhibition exhibitions 전시회 전시회를"""


def _rows(table: str) -> list[list[str]]:
    return [row.split() for row in table.replace("\n", " ").split(",")]


class Question(NamedTuple):
    """One question.

    Attributes:
        lemmas: the text's words in their dictionary form.
        choices: names of tools in the question's language.
        answer: the place of the right one.
        steps: relations on the path from the aim to the right tool, 2 or 3.
        known: whether the graph holds the fact that decides.
    """

    text: str
    lemmas: tuple[str, ...]
    choices: tuple[str, ...]
    answer: int
    steps: int
    known: bool


class _Aim(NamedTuple):
    """What somebody wants: the words for it, the place that serves it, the places that are related to it."""

    name: str
    forms: tuple[list[str], list[str]]  # rows of its verb and of its object
    place: int
    related: list[int]
    steps: int
    known: bool


class ConceptWorld:
    """A graph and its questions, drawn from a seed.

    Attributes:
        triples: (head, relation, tail), each once.
        kinds: what each concept is: place, tool, material, part, action, object, aim or plan.
        korean: each concept's name in Korean.
        split_of: for each aim and plan, the split that asks about it.
    """

    def __init__(self, seed: int) -> None:
        chance = Chance(seed)
        self.seed = seed
        self.triples: list[Triple] = []
        self.kinds: dict[str, str] = {}
        self.korean: dict[str, str] = {}
        self.split_of: dict[str, str] = {}
        places, tools = (self._named(kind, table, chance) for kind, table in (("place", _PLACES), ("tool", _TOOLS)))
        materials, parts = (
            self._named(kind, table, chance) for kind, table in (("material", _MATERIALS), ("part", _PARTS))
        )
        for (action, _, thing), (lemma, _, korean, _) in _ACTIONS:
            self._add("action", action, lemma)
            self._add("object", thing, korean)
            self.triples.append((thing, "ReceivesAction", action))
        self.places = places
        self.tools = [tools[len(_ACTIONS) * i : len(_ACTIONS) * (i + 1)] for i in range(len(places))]  # place, action
        for place, some in zip(places, self.tools, strict=True):
            for tool, ((action, *_), _) in zip(some, _ACTIONS, strict=True):
                self.triples += [(tool, "AtLocation", place), (tool, "UsedFor", action)]
                self.triples += [(tool, "MadeOf", chance.pick(materials)), (tool, "HasA", chance.pick(parts))]
        for word, _, korean, _ in _rows(_AIM_OBJECTS):
            self._add("object", word, korean)
            self.triples.append((word, "AtLocation", chance.pick(places)))
        self.aims = self._draw_aims(chance, materials)

    def _add(self, kind: str, name: str, korean: str) -> None:
        self.kinds[name], self.korean[name] = kind, korean

    def _named(self, kind: str, table: str, chance: Chance) -> list[str]:
        """Adds the concepts of a table, and gives them in random order."""
        names = []
        for name, korean in _rows(table):
            self._add(kind, name, korean)
            names.append(name)
        chance.shuffle(names)
        return names

    def _draw_aims(self, chance: Chance, materials: list[str]) -> list[_Aim]:
        """Gives each place its aims and plans, with the relations that lead to it and astray."""
        aims = [(verb, thing) for verb in _rows(_AIM_VERBS) for thing in _rows(_AIM_OBJECTS)]
        plans = [(verb, thing) for verb in _rows(_PLAN_VERBS) for thing in _rows(_PLAN_OBJECTS)]
        chance.shuffle(aims)
        chance.shuffle(plans)
        drawn: list[_Aim] = []
        first = 0
        for split, count in SPLITS.items():
            block = list(range(first, first + count))
            first += count
            for place, beside in zip(block, [*block[1:], block[0]], strict=True):
                self.triples.append((self.places[place], "LocatedNear", self.places[beside]))
                own: list[_Aim] = []
                for number in range(AIMS):
                    others = [other for other in block if other != place]
                    chance.shuffle(others)
                    own.append(self._aim("aim", aims.pop(), place, others[: CHOICES - 1], 2, number > 0))
                    self._lead(own[-1], chance, materials)
                for of in own[:PLANS]:
                    own.append(self._aim("plan", plans.pop(), place, of.related, 3, of.known))
                    self.triples.append((own[-1].name, "HasSubevent", of.name))
                self.split_of |= {aim.name: split for aim in own}
                drawn += own
        return drawn

    def _aim(
        self, kind: str, forms: tuple[list[str], list[str]], place: int, related: list[int], steps: int, known: bool
    ) -> _Aim:
        (verb, lemma, _), (thing, _, korean, _) = forms
        name = f"{verb}_{thing}"
        self._add(kind, name, f"{korean}_{lemma}")
        return _Aim(name, forms, place, related, steps, known)

    def _lead(self, aim: _Aim, chance: Chance, materials: list[str]) -> None:
        """Adds the relations of an aim: its place is used for it, if that is known; other places and materials are related."""
        place = self.places[aim.place]
        self.triples.append((place, "UsedFor", aim.name) if aim.known else (aim.name, "RelatedTo", place))
        some = list(materials)
        chance.shuffle(some)
        self.triples += [
            (aim.name, "RelatedTo", other) for other in [*(self.places[i] for i in aim.related), *some[:2]]
        ]

    def questions(self, split: str, language: str = "en") -> list[Question]:
        """Lists the questions of a split ("train", "test", "reserve") in "en" or "ko", in the same order in both."""
        chance = Chance(1_000_003 * self.seed + list(SPLITS).index(split))
        found = []
        for aim in self.aims:
            if self.split_of[aim.name] == split:
                for number in range(len(_ACTIONS)):
                    places = [aim.place, *aim.related]
                    chance.shuffle(places)
                    tools = [self.tools[place][number] for place in places]
                    text, lemmas = (_english if language == "en" else _korean)(aim.forms, number)
                    names = tools if language == "en" else [self.korean[tool] for tool in tools]
                    answer = places.index(aim.place)
                    found.append(Question(text, tuple(lemmas.split()), tuple(names), answer, aim.steps, aim.known))
        chance.shuffle(found)
        return found

    def words(self) -> list[str]:
        """Lists all words of all questions and names, of both languages, sorted."""
        found = set()
        for split in SPLITS:
            for language in ("en", "ko"):
                for question in self.questions(split, language):
                    found |= {*question.lemmas, *question.choices}
        return sorted(found)


def _english(forms: tuple[list[str], list[str]], number: int) -> tuple[str, str]:
    """Writes a question and its lemmas."""
    (verb, *_), (thing, plural, *_) = forms
    (action, past, what), _ = _ACTIONS[number]
    text = f"They {past} the {what} to {verb} {plural}. What did they use?"
    return text, f"they {action} the {what} to {verb} {thing} what do they use"


def _korean(forms: tuple[list[str], list[str]], number: int) -> tuple[str, str]:
    """Writes a question and its lemmas in Korean."""
    (_, lemma, purpose), (_, _, thing, whom) = forms
    _, (action, past, what, whom_else) = _ACTIONS[number]
    return f"{whom} {purpose} {whom_else} {past}. 무엇을 썼을까?", f"{thing} {lemma} {what} {action} 무엇 쓰다"


def multigraph(triples: list[Triple]) -> nx.MultiDiGraph:
    """Makes networkx's graph of the triples, each walked in both directions, with the relation as the edge's key."""
    graph = nx.MultiDiGraph()
    for head, relation, tail in triples:
        graph.add_edge(head, tail, key=relation)
        graph.add_edge(tail, head, key=relation + BACK)
    return graph


def simple_paths(graph: nx.MultiDiGraph, source: str, target: str, longest: int) -> list[Path]:
    """Finds the paths of up to `longest` steps that meet no concept twice; none where one of the two is not in the graph."""
    if source == target or source not in graph or target not in graph:
        return []
    paths = nx.all_simple_edge_paths(graph, source, target, cutoff=longest)
    return [[(head, relation, tail) for head, tail, relation in path] for path in paths]


def renamed(triples: list[Triple], kinds: dict[str, str], seed: int) -> list[Triple]:
    """Shuffles the names of concepts within each kind: the same graph, with the same degrees, about the wrong concepts."""
    chance = Chance(seed)
    new: dict[str, str] = {}
    for kind in dict.fromkeys(kinds.values()):
        names = [name for name, its in kinds.items() if its == kind]
        others = list(names)
        chance.shuffle(others)
        new |= dict(zip(names, others, strict=True))
    return [(new[head], relation, new[tail]) for head, relation, tail in triples]


def rewired(triples: list[Triple], seed: int) -> list[Triple]:
    """Draws both ends of each triple anew among all concepts: as many triples of each relation, at random."""
    chance = Chance(seed)
    names = list(dict.fromkeys(name for head, _, tail in triples for name in (head, tail)))
    found: dict[Triple, None] = {}
    for _, relation, _ in triples:
        head = tail = chance.pick(names)
        while head == tail or (head, relation, tail) in found:
            head, tail = chance.pick(names), chance.pick(names)
        found[head, relation, tail] = None
    return list(found)
