// Hosts that look like another host, and harmless ones, each labelled by how it was generated.

import { type AskView, askView, type Question, raise } from '@assent/core'
import type { SeededRandom } from '../../test-kit/random.ts'

const brands = [
  'paypal',
  'apple',
  'google',
  'amazon',
  'chase',
  'epic',
  'scope',
  'yahoo',
  'coinbase',
  'dropbox',
  'spotify',
]

/** Letters of other alphabets that look like the Latin one in common fonts. */
const doubles: Readonly<Record<string, string>> = {
  a: 'а',
  c: 'с',
  e: 'е',
  i: 'і',
  j: 'ј',
  o: 'оο',
  p: 'р',
  s: 'ѕ',
  x: 'х',
  y: 'у',
  h: 'һ',
  d: 'ԁ',
  l: 'ӏ',
  n: 'ո',
  u: 'ս',
  v: 'ν',
}

const honestWords = ['accounts', 'login', 'www', 'id', 'docs', 'my', 'portal', 'app', 'api', 'status', 'shop', 'mail']
const honestNames = [
  'acme',
  'northwind',
  'contoso',
  'blue-river',
  'calendar4you',
  'openclinic',
  'stadtwerke',
  'librairie',
]
const honestEnds = ['com', 'org', 'net', 'dev', 'io', 'de', 'fr', 'co.uk', 'com.br', 'eu', 'example']
const international = [
  'bücher.de',
  'münchen.de',
  'straße.de',
  'café.fr',
  'société.fr',
  'señor.es',
  'españa.es',
  'łódź.pl',
  'žluťoučký.cz',
  'smörgås.se',
  'københavn.dk',
  'ålesund.no',
  'čokoláda.sk',
  'országház.hu',
  'brașov.ro',
  'istanbul-çarşı.com.tr',
  'пример.рф',
  'москва.рф',
  'україна.укр',
  'българия.бг',
  'ελλάδα.gr',
  'παράδειγμα.ελ',
  '日本語.jp',
  'ニュース.jp',
  '例え.テスト',
  '中文网.cn',
  '中国移动.中国',
  '台北市.台灣',
  '한국어.한국',
  '서울.kr',
  'ישראל.il',
  'דוגמה.ישראל',
  'مثال.مصر',
  'السعودية.السعودية',
  'भारत.भारत',
  'বাংলা.ভারত',
  'தமிழ்.இந்தியா',
  'ไทย.ไทย',
  'việtnam.vn',
  'մարդ.հայ',
]

export interface LabelledLink {
  readonly url: string
  readonly unsafe: boolean
  readonly made: string
}

export function* labelledLinks(random: SeededRandom, each: number): Generator<LabelledLink> {
  for (let i = 0; i < each; i++) {
    const brand = random.pick(brands)
    const odd = withLookalikes(random, brand)
    const link = (made: string, url: string): LabelledLink => ({ url, unsafe: true, made })
    yield link('a character of another alphabet', `https://${odd.one}.com/`)
    yield link('every character that has a double', `https://${odd.all}.com/login`)
    yield link('as a subdomain', `https://${odd.one}.com.${random.pick(honestNames)}.net/`)
    yield link('begins like another host', `https://${brand}.com.${random.pick(honestNames)}.net/`)
    yield link(
      'begins like another host, with a dash',
      `https://${brand}.com-${random.pick(honestWords)}.${random.pick(honestNames)}.net/`,
    )
    yield link('a user name', `https://${brand}.com@${random.pick(honestNames)}.net/`)
    yield link('a backslash', `https://${random.pick(honestNames)}.net\\@${brand}.com/`)
    yield link('an escaped host', `https://${brand.replace('a', '%61').replace('o', '%6f').replace('e', '%65')}%2ecom/`)
    yield link('a hidden character', `https://${brand}\u200b.com/`)
    yield link('turned around', `https://moc.${[...brand].reverse().join('')}\u202e/`)
    yield link(
      'another scheme',
      random.pick(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vbscript:x']),
    )
    yield link('not encrypted', `http://${brand}.com/`)
  }
  for (let i = 0; i < each * 4; i++) {
    const subdomain = random.next() < 0.6 ? `${random.pick(honestWords)}.` : ''
    const url = `https://${subdomain}${random.pick(honestNames)}.${random.pick(honestEnds)}/${random.pick(honestWords)}?n=${i}`
    yield { url, unsafe: false, made: 'honest' }
  }
  for (const host of international) yield { url: `https://${host}/`, unsafe: false, made: 'honest, international' }
}

/** Whether the person is warned: approval is not possible, or the card shows a danger. */
export function isFlagged(url: string): boolean {
  const view = viewOf({ kind: 'url', message: 'Open this', url })
  if (view.question.kind !== 'url') throw new Error('A link is shown as a link.')
  const { link } = view.question
  return !link.ok || link.warnings.some(({ level }) => level === 'danger')
}

function viewOf(question: Question): AskView {
  const draft = {
    tenant: 'proof',
    id: 'ask',
    asker: { server: 'proof' },
    principal: 'ann',
    question,
    approvalRule: { approvers: ['person:ann'], excluded: [], approvals: 1, declines: 1 },
    decideWithinMs: 60_000,
    useWithinMs: 60_000,
  } as const
  const naming = { nameOf: (principal: string) => principal, describe: () => ({}) }
  return askView(raise(draft, 0), { principal: 'ann', groups: [] }, naming)
}

function withLookalikes(random: SeededRandom, brand: string): { one: string; all: string } {
  const places = [...brand].flatMap((character, at) => (doubles[character] === undefined ? [] : [at]))
  const chosen = random.pick(places)
  const double = (character: string) => random.pick([...(doubles[character] ?? character)])
  return {
    one: [...brand].map((character, at) => (at === chosen ? double(character) : character)).join(''),
    all: [...brand].map(double).join(''),
  }
}
