// The words around the name of a secret that distinguish a request for it from a mention of it.
//
// The notation is explained in term-patterns.ts. All languages share one table per meaning.

/** Right after the name: the phrase now means something about the secret. */
export const aboutAfter = `
    a name | ablauf* | adi* | age | algorithm* | alias | arn | attempt* | brand | budget | category | changed
    chiave | complexity | contract | count* | created | date | days | decimals | description* | enabled | engine
    entry | expir* | field | fingerprint* | flow* | form | format* | forms | generator | group | header name | help*
    hint | history | holder | id | identifier* | interval | issuer | kind | label* | lange | last | length | less
    limit* | link | location | manager* | name* | network | of success | on board | option* | owner* | page | parser
    path | policies | policy | position | prefix | protect* | pub | provider | ref | reference | regel* | region
    reklamow* | required | requirement* | reset* | richtlinie* | rotat* | rule* | sayisi | schedule* | scope*
    screen | service | setting* | size | starke | status | storage | store | strength | symbol | system | to top
    ttl | type* | updated | uri | url | usage | uzunlu* | vault* | version* | длин* | иден* | имя | назван*
    политик* | の名前* | の数* | の有効* | の長さ* | ポリシー* | マネージャー* | 名* | 名称* | 学* | 指纹* | 数* | 有效* | 策略* | 管理* | 長さ* | 长度*
    개수* | 길이* | 이름* | 정책* | 화*`

/** Right after the name: a statement about the secret, or something to be done with it. */
export const stateAfter = `
    a ete | are | be | can | cannot | could | e stata | exist* | foi | ha | had | has | have | is | itself | lives
    may | must | should be | should have | should not | stay* | to delete | to disable | to remove | to replace
    to revoke | to rotate | to use | was | were | will | wurde* | が変更* | が期限* | 已*`

/** Right before the name, small words aside: the phrase is about this word, not the secret. */
export const aboutBefore = `
    aantal | about | anzahl | comprimento | count | dlugos* | expired | for | how many | label* | last | length
    liczb* | limit | longitud | longueur | lost | map | max* | min* | naam | name* | nazw* | no | nom | nombre
    nome | number | of | owner* | path | path to | per | policy | politica | politique | public | publishable
    reason | total | trade | длин* | имя | колич* | назван* | публичн* | числ* | اسم | عدد`

/** Right before the name in a label: something is done with the secret, or it is a yes or no. */
export const doneBefore = `
    allow* | change* | delet* | disable* | enable* | forgot* | has | have | hide | identif* | is | remember | remov*
    replac* | require* | reset* | revok* | rotat* | save | show* | store* | update* | use`

/** Right after the name: the phrase ended with it, and what follows only says which one. */
export const phraseEnds = `
    again | and | below | confirm* | da | de | del | der | di | dla | do | du | for | from | fur | here | i | if
    in | input | of | on | or | para | per | please | pour | repeat | should i use | so | string | that | to | used
    value | van | vom | von | voor | we | when | with | you | your | для | от | は* | を*`

/** `the 12 words of your seed phrase` is the seed phrase: these words and their `of` are skipped. */
export const sameThing = `
    body of | characters of | conferma | confirmacao da | confirmacao de | confirmacion de | confirmation du
    content of | contents of | copy of | digits of | output of | repeat of | text of | value for | value of`

/** Asking words that stand before what they ask for. */
export const cueBefore = `
    authenticate with | benotige* | besoin | bisogno | brauche* | choose | cole | collez | confirm | copy | create
    cual es | digita | digite | donne* | enter | entrez | escrib* | fill | forneca | fornisc* | fourni* | geben
    geef | give | incoll* | indique | indiquez | informe | ingres* | input | inseri* | insert | insira | introdu*
    jakie jest | log in with | login with | necesito | need | nennen | paste | pegue | plak | podaj | potrzebuj*
    preciso | proporcione | provide | put | qual e | quel est | quelle est | reenter | renseignez | repeat | reply
    require | retype | saisi* | send | set | share | sign in with | submit | supply | tapez | teilen | tell | type
    verify | voer | wat is | we emailed | we sent | we texted | what are | what is | what s | whats | wklej | wpisz
    write | введи* | вставьте | како*
    напиши* | нуж* | пришли* | сообщи* | укажи* | ادخال | ادخل | اكتب | ما هي | 填写* | 提供* | 粘贴* | 请* | 输入*`

/** Asking words that stand after it, as in German, Turkish, Japanese or Korean. */
export const cueAfter = `
    angeben | did you use | do you use | eingeben | geben | girin* | ihtiyac* | mitteilen | nedir | nennen | nodig
    sagen | schicken | should i use | yazin* | は何* | を入力* | を貼り* | 를 입력* | 무엇* | 입력*`

/** Between an asking word and the name: what is asked for is something else. */
export const cueEnds = `
    about | after | and which | because | before | called | for | from | how | if | named | of | so | that | to
    when | where | which | who | whose | why`

/** The opposite of asking, when it stands before the name in the same clause. */
export const refusing = `
    asla | avoid | cannot | do not | don t | dont | geen | jamais | kein* | mai | must not | n | nao | ne | never
    nicht | nie* | niet | nigdy | no | non | nooit | not | nunca | pas | should not | without | не | нельзя
    никогда | لا | *不得* | *不要* | *勿* | *请别*`

/** The same in languages that refuse at the end. */
export const refusingAfter = `
    asla | girmeyin* | paylasmayin* | yazmayin* | *ないで* | *마세요* | *마십시오* | *하지*`

/** `do not forget to enter your password` asks after all. */
export const notRefusing = `
    dimentic* | esquec* | forget | hesitate | olvid* | oubli* | vergeet* | vergess* | zapomn* | забуд* | 忘*`

/** Other fields of the form that make `PIN code` the postal code it is in India. */
export const postal = `
    address* | city | country | district | locality | post office | postal* | state | street* | town | village | zip`

/** Before the name of a file: the question asks for its content, not for its name or path. */
export const contentBefore = `
    body of | content of | contents of | copy of | give | paste | provide | reply with | send | share | show me
    submit | supply | tell me | text of | upload | what is in | what s in`

/** Small words that may stand inside a name or between a guard and a name. */
export const smallWords = `
    a | an | any | current | d | da | das | de | del | dell | della | dem | den | der | des | di | do | du | ein
    eine | einen | el | existing | her | het | his | ihr | ihre | ihren | its | je | l | la | las | le | les | los
    mi | my | new | our | seu | su | sua | the | their | these | this | those | tu | tua | un | una | une | van
    von | votre | your`
