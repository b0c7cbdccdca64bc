"""The lexicon as a page to read: what there is in the world, in English and Korean side by side.

An entry is `english:korean`. `+` stands between morphemes, `_` is a word that English takes no plural -s from (rice,
matches). A surface that stands under two topics is a homonym, on purpose. English verbs take -s, -ed and -ing and nouns
-s with no change of spelling; Korean stems are regular, or their changed form is written (무거우+ㄴ for 무거운).
This module must not know how the text is made: it holds tables and no code.
"""

# topic, then lines of agents, places, qualities, and each verb with the four things that only this verb is done to
TOPICS = """
food
  agents     chef:요리사 baker:제빵사
  places     kitchen:부엌 restaurant:식당
  qualities  spicy:매우+ㄴ fresh:신선하+ㄴ sweet:달콤하+ㄴ
  boil:삶         egg:계란 potato_:감자 noodle:국수 chestnut:밤
  roast:볶        coffee_:커피 bean:콩 mushroom:버섯 date:대추
  order:주문하    tea_:차 apple:사과 pear:배 match_:성냥
weather
  agents     farmer:농부 reporter:기자
  places     village:마을 valley:골짜기
  qualities  cloudy:흐리+ㄴ warm:따뜻하+ㄴ humid:습하+ㄴ
  await:기다리    spring_:봄 snow_:눈 rain_:비 autumn:가을
  fear:무서워하   storm:폭풍 thunder_:천둥 fog_:안개 typhoon:태풍
  enjoy:즐기      star:별 night:밤 sunset:노을 rainbow:무지개
school
  agents     teacher:교사 pupil:학생
  places     classroom:교실 library:도서관
  qualities  diligent:부지런하+ㄴ clever:똑똑하+ㄴ difficult:어려우+ㄴ
  learn:배우      word:말 poem:시 formula:공식 history_:역사
  borrow:빌리     glue_:풀 pencil:연필 eraser:지우개 textbook:교과서
  remember:기억하 apology_:사과 punishment:벌 date:날짜 note:필기
music
  agents     singer:가수 pianist:피아니스트
  places     studio:녹음실 theater:극장
  qualities  quiet:조용하+ㄴ loud:시끄러우+ㄴ gentle:부드러우+ㄴ
  play:연주하     organ:오르간 bass_:베이스 violin:바이올린 drum:북
  record:녹음하   song:노래 ballad:발라드 album:음반 duet:이중창
  repeat:반복하   note:음표 scale:음계 pitch_:음정 rhythm:리듬
sport
  agents     athlete:선수 coach:감독
  places     stadium:경기장 gym:체육관
  qualities  agile:날렵하+ㄴ fierce:치열하+ㄴ tired:지치+ㄴ
  repair:고치     bat:방망이 racket:라켓 glove:글러브 net:그물
  attend:관람하   match_:경기 pitch_:투구 race:경주 final:결승
  lift:들어올리   ball:공 medal:메달 barbell:역기 mat:매트
market
  agents     merchant:상인 customer:손님
  places     shop:가게 mall:백화점
  qualities  cheap:저렴하+ㄴ costly:비싸+ㄴ famous:유명하+ㄴ
  visit:방문하    bank:은행 kiosk:매점 salon:미용실 garage:정비소
  count:세        coin:동전 bill:지폐 receipt:영수증 coupon:쿠폰
  inspect:살피    scale:저울 car:차 jewel:보석 shoe:신발
sea
  agents     sailor:선원 diver:잠수부
  places     harbor:항구 beach:해변
  qualities  salty:짭짤하+ㄴ calm:잔잔하+ㄴ blue:푸르+ㄴ
  steer:조종하    ship:배 boat:보트 raft:뗏목 submarine:잠수함
  collect:모으    oyster:굴 shell:조개 pearl:진주 seaweed_:미역
  hook:낚         bass_:농어 salmon_:연어 squid_:오징어 tuna:참치
nature
  agents     hunter:사냥꾼 ranger:관리인
  places     forest:숲 meadow:초원
  qualities  wild:사나우+ㄴ leafy:무성하+ㄴ steep:가파르+ㄴ
  follow:따라가   bat:박쥐 horse:말 bee:벌 bear:곰
  discover:찾아내 bank:강둑 spring:샘 cave:굴 bridge:다리
  plant:심        ginkgo:은행 grass_:풀 tree:나무 flower:꽃
health
  agents     doctor:의사 nurse:간호사
  places     hospital:병원 pharmacy:약국
  qualities  healthy:건강하+ㄴ painful:고통스러우+ㄴ sick:아프+ㄴ
  treat:치료하    eye:눈 leg:다리 organ:장기 knee:무릎
  protect:보호하  skin_:피부 lung:폐 heart:심장 shoulder:어깨
  swallow:삼키    pill:알약 vitamin:비타민 syrup:시럽 capsule:캡슐
"""

# country, capital, language; then what all three are known by
COUNTRIES = """
korea:한국       seoul:서울         korean:한국어         | kimchi:김치 hanbok:한복
japan:일본       tokyo:도쿄         japanese:일본어       | sushi:초밥 kimono:기모노
china:중국       beijing:베이징     chinese:중국어        | dumpling:만두 panda:판다
vietnam:베트남   hanoi:하노이       vietnamese:베트남어   | pho:쌀국수 mekong:메콩강
thailand:태국    bangkok:방콕       thai:태국어           | mango:망고 elephant:코끼리
france:프랑스    paris:파리         french:프랑스어       | baguette:바게트 seine:센강
germany:독일     berlin:베를린      german:독일어         | sausage:소시지 rhine:라인강
italy:이탈리아   rome:로마          italian:이탈리아어    | pizza:피자 opera:오페라
spain:스페인     madrid:마드리드    spanish:스페인어      | paella:파에야 flamenco:플라멩코
portugal:포르투갈 lisbon:리스본     portuguese:포르투갈어 | sardine:정어리 fado:파두
greece:그리스    athens:아테네      greek:그리스어        | olive:올리브 acropolis:아크로폴리스
russia:러시아    moscow:모스크바    russian:러시아어      | borscht:보르시 ballet:발레
sweden:스웨덴    stockholm:스톡홀름 swedish:스웨덴어      | meatball:미트볼 viking:바이킹
finland:핀란드   helsinki:헬싱키    finnish:핀란드어      | sauna:사우나 reindeer:순록
norway:노르웨이  oslo:오슬로        norwegian:노르웨이어  | waffle:와플 fjord:피오르
hungary:헝가리   budapest:부다페스트 hungarian:헝가리어   | goulash:굴라시 danube:다뉴브강
"""

# he, she; then what both are known by
COUPLES = """
king:왕            queen:여왕         | throne:왕좌 crown:왕관
emperor:황제       empress:황후       | empire:제국 dragon:용
prince:왕자        princess:공주      | castle:궁전 pony:조랑말
father:아버지      mother:어머니      | cradle:요람 lullaby:자장가
brother:형         sister:누나        | toy:장난감 swing:그네
son:아들           daughter:딸        | puppet:인형 kite:연
uncle:삼촌         aunt:이모          | farm:농장 tractor:트랙터
grandfather:할아버지 grandmother:할머니 | cane:지팡이 armchair:안락의자
husband:남편       wife:아내          | honeymoon:신혼여행 mortgage:대출
wizard:마법사      witch:마녀         | potion:묘약 broom:빗자루
monk:수사          nun:수녀           | chapel:예배당 candle:촛불
groom:신랑         bride:신부         | wedding:결혼식 bouquet:꽃다발
gentleman:신사     lady:숙녀          | carriage:마차 umbrella:우산
boy:소년           girl:소녀          | playground:놀이터 balloon:풍선
"""

# what marks a type: any country has these, and only countries have them
MARKS = """
country   president:대통령 border:국경 flag:국기 army:군대
capital   mayor:시장 subway:지하철 suburb:교외 skyscraper:고층빌딩
language  dictionary:사전 grammar:문법 alphabet:자모 accent:억양
he        beard:수염 necktie:넥타이 suit:양복 razor:면도기
she       skirt:치마 dress:드레스 earring:귀걸이 lipstick:립스틱
"""

# opposites are said of anything, both alike: nothing tells one from the other, so they are the negative control
OPPOSITES = """
big:크+ㄴ           small:작+은
old:낡+은           new:새로우+ㄴ
long:길+ㄴ          short:짧+은
high:높+은          low:낮+은
wide:넓+은          narrow:좁+은
heavy:무거우+ㄴ     light:가벼우+ㄴ
thick:두꺼우+ㄴ     thin:얇+은
clean:깨끗하+ㄴ     dirty:더러우+ㄴ
bright:밝+은        dark:어두우+ㄴ
hard:단단하+ㄴ      soft:연하+ㄴ
safe:안전하+ㄴ      dangerous:위험하+ㄴ
simple:단순하+ㄴ    complex:복잡하+ㄴ
beautiful:예쁘+ㄴ   ugly:못생기+ㄴ
strange:이상하+ㄴ   ordinary:평범하+ㄴ
rare:드물+ㄴ        common:흔하+ㄴ
good:좋+은          bad:나쁘+ㄴ
dry:마르+ㄴ         wet:젖+은
sharp:날카로우+ㄴ   blunt:무디+ㄴ
straight:곧+은      crooked:굽+은
deep:깊+은          shallow:얕+은
open:열리+ㄴ        closed:닫히+ㄴ
clear:또렷하+ㄴ     vague:희미하+ㄴ
strong:튼튼하+ㄴ    weak:약하+ㄴ
tidy:단정하+ㄴ      messy:지저분하+ㄴ
"""

NAMES = "anna:지영 tom:민수 maria:수진 john:현우 emma:유나 peter:동현 julia:서연 paul:준호"
