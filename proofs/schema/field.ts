// Fields that are valid by construction, with answers that are right or wrong by construction.
//
// The oracle of the schema proof. It shares no code with the validator: a date is right because Date printed it, a text is
// too long because it was generated one character longer than allowed.
import type { SeededRandom } from '../../test-kit/random.ts'

export interface FieldPlan {
  readonly property: Record<string, unknown>
  readonly good: () => unknown
  readonly bad: () => unknown
  /** Then it may be omitted even if required: its answer is null. */
  readonly takesNull?: true
}

type Maker = (random: SeededRandom) => FieldPlan

const lowercase = [...'abcdefghijklmnopqrstuvwxyz']
const characters = [...lowercase, ...'ABC 019_-.\n"<é漢', '😀', '\u0301', '\u202e', '\u0000']
export const notText: readonly unknown[] = [null, 7, true, ['a'], { a: 1 }, 1n, () => 'a', Symbol('a'), new Date(0)]
const brokenTexts = ['\ud800', 'a\udc00', 'ok \udfff ok'] as const
const answerChars = 16_384

export function word(random: SeededRandom, chars = 1 + random.int(8)): string {
  return Array.from({ length: chars }, () => random.pick(lowercase)).join('')
}

/** Exactly this many code points. */
export function prose(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => random.pick(characters)).join('')
}

export function fieldPlan(random: SeededRandom): FieldPlan {
  const plan = random.pick(makers)(random)
  const { property, good, bad, takesNull } = random.int(6) === 0 ? orNull(random, plan) : plan
  if (random.int(3) === 0) property.title = prose(random, random.int(20))
  if (random.int(3) === 0) property.description = prose(random, random.int(60))
  // An invalid default is dropped, so it may be anything.
  if (random.int(3) === 0) property.default = random.int(4) === 0 ? jsonOf(bad()) : good()
  if (random.int(4) === 0) property[random.pick(annotations)] = random.pick([1, 'x', {}, [], null, { type: 7 }])
  return takesNull === true ? { property, good, bad, takesNull } : { property, good, bad }
}

const annotations = ['examples', 'deprecated', 'readOnly', '$comment', '$id', 'x-order', 'x-', 'min', 'contentEncoding']

/** Values that JSON cannot represent cannot be sent as a default. */
function jsonOf(value: unknown): unknown {
  return ['bigint', 'symbol', 'function'].includes(typeof value) ? null : value
}

/** The same field, which also accepts null: in the three formats that SDKs use. */
function orNull(random: SeededRandom, { property, good, bad }: FieldPlan): FieldPlan {
  const { type, ...rest } = property
  const union = { [random.pick(['anyOf', 'oneOf'])]: shuffled(random, [property, { type: 'null' }]) }
  const listed =
    typeof type === 'string' && !('enum' in property) ? { type: shuffled(random, [type, 'null']), ...rest } : union
  return {
    property: random.pick([union, listed]),
    good: () => (random.int(3) === 0 ? null : good()),
    bad: () => bad() ?? NaN,
    takesNull: true,
  }
}

function shuffled<T>(random: SeededRandom, list: readonly T[]): T[] {
  return random.int(2) === 0 ? [...list] : [...list].reverse()
}

const plainText: Maker = (random) => {
  const property: Record<string, unknown> = { type: 'string' }
  const min = random.int(2) === 0 ? random.int(20) : undefined
  const max = random.int(2) === 0 ? (min ?? 0) + random.int(30) : undefined
  if (min !== undefined) property.minLength = min
  if (max !== undefined) property.maxLength = max
  const low = min ?? 0
  const high = max ?? low + 40
  return {
    property,
    good: () => prose(random, random.pick([low, high, low + random.int(high - low + 1)])),
    bad: () => {
      const wrong: unknown[] = [random.pick(notText), `${prose(random, low)}${random.pick(brokenTexts)}`]
      if (low > 0) wrong.push(prose(random, low - 1))
      wrong.push(max === undefined ? 'x'.repeat(answerChars + 1) : prose(random, max + 1))
      return random.pick(wrong)
    },
  }
}

const date = (random: SeededRandom) => new Date(random.int(4_102_444_800) * 1_000).toISOString()
const formats: readonly { format: string; good: (random: SeededRandom) => string; bad: readonly string[] }[] = [
  {
    format: 'email',
    good: (random) => `${word(random)}.${word(random)}@${word(random)}.${word(random, 2)}`,
    bad: ['', 'a', 'a@b', '@b.de', 'a@b..de', 'a b@c.de', 'a@b@c.de', `${'a.'.repeat(5_000)}@`, 'a@-b.de', 'é@b.de'],
  },
  {
    format: 'uri',
    good: (random) => `${word(random, 1)}${word(random)}://${word(random)}:80/${word(random)}?%41#${word(random)}`,
    bad: [
      '',
      'a',
      '/a',
      'http:',
      'https://',
      'http://a b',
      'a:%4',
      'a:#',
      'a://b#c#d',
      `${'a'.repeat(9_000)} :`,
      'a:é',
    ],
  },
  {
    format: 'date',
    good: (random) => date(random).slice(0, 10),
    bad: [
      '',
      '2026-02-30',
      '2026-13-01',
      '2026-00-01',
      '2026-7-1',
      '26-07-01',
      '2026-07-28T',
      '0'.repeat(9_000),
      'today',
    ],
  },
  {
    format: 'date-time',
    good: (random) => date(random).replace('Z', random.pick(['Z', 'z', '+00:00', '-23:59', '+14:00'])),
    bad: ['', '2026-07-28', '2026-07-28T25:00:00Z', '2026-07-28T00:00:00', `2026-07-28T00:00:00.${'1'.repeat(9_000)}`],
  },
]

const formattedText: Maker = (random) => {
  const { format, good, bad } = random.pick(formats)
  return {
    property: { type: 'string', format },
    good: () => good(random),
    bad: () => (random.int(4) === 0 ? random.pick(notText) : random.pick(bad)),
  }
}

const number: Maker = (random) => {
  const integer = random.int(2) === 0
  const size = random.pick([1, 10, 1_000, 1e9])
  const draw = () => (integer ? random.int(2 * size + 1) - size : (random.next() - 0.5) * size)
  const [low = 0, high = 0] = [draw(), draw()].sort((a, b) => a - b)
  const bounded = random.int(2) === 0
  const wrong = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '7', null, [1], 7n, true]
  return {
    property: { type: integer ? 'integer' : 'number', ...(bounded && { minimum: low, maximum: high }) },
    good: () => random.pick([low, high, integer ? low : low + (high - low) / 2]),
    bad: () => {
      const outside = bounded ? [low - 1, high + 1, low - size, -1e308, 1e308] : []
      return random.pick([...wrong, ...outside, ...(integer ? [low + 0.5, 2 ** 53, -(2 ** 53) - 2] : [])])
    },
  }
}

/** With exclusive bounds, alone or together with wider or narrower inclusive ones. */
const openNumber: Maker = (random) => {
  const integer = random.int(2) === 0
  const low = random.int(1_000) - 500
  const high = low + 2 + random.int(1_000)
  const wider = random.int(3)
  const property = { type: integer ? 'integer' : 'number', exclusiveMinimum: low, exclusiveMaximum: high }
  return {
    property: wider === 0 ? property : { ...property, minimum: low - wider + 1, maximum: high + wider - 1 },
    good: () => random.pick(integer ? [low + 1, high - 1] : [low + 0.001, high - 0.001, low + 1]),
    bad: () => random.pick([low, high, low - 1, high + 1, String(low + 1), true, [], {}]),
  }
}

/** Patterns with matches and non-matches that are known without a regex engine. */
const patterned: Maker = (random) => {
  const start = word(random)
  const kinds = [
    {
      pattern: `^${start}[0-9]+$`,
      good: () => `${start}${random.int(1_000)}`,
      bad: () => [start, `${start}x`, `x${start}1`, ''],
    },
    { pattern: start, good: () => `?${start}!`, bad: () => ['', start.slice(1), start.toUpperCase()] },
    { pattern: '^(a+)+$', good: () => 'a'.repeat(1 + random.int(50)), bad: () => ['', `${'a'.repeat(40)}b`] },
    { pattern: '^\\p{L}{2,4}$', good: () => random.pick(['éà', 'abc', 'Жжжж']), bad: () => ['a', '12', 'abcde'] },
  ]
  const { pattern, good, bad } = random.pick(kinds)
  return {
    property: { type: 'string', pattern },
    good,
    bad: () => random.pick([...bad(), ...notText.slice(1), 'a'.repeat(answerChars + 1)]),
  }
}

const list: Maker = (random) => {
  const least = random.int(4)
  const most = least + random.int(4)
  const isUnique = random.int(2) === 0
  const bounds = random.int(2) === 0 ? { minItems: least, maxItems: most } : undefined
  const entries = (count: number) => Array.from({ length: count }, (_, index) => `${word(random)} ${index}`)
  return {
    property: {
      type: 'array',
      items: { type: 'string', minLength: 2, maxLength: 12 },
      ...bounds,
      ...(isUnique && { uniqueItems: true }),
    },
    good: () => entries(random.pick([least, most])),
    bad: () => {
      const wrong: unknown[] = [
        ['x'],
        ['x'.repeat(13)],
        [7],
        [null],
        [['ab']],
        new Array(3),
        { 0: 'ab' },
        7,
        entries(257),
      ]
      if (bounds && least > 0) wrong.push(entries(least - 1))
      if (bounds) wrong.push(entries(most + 1))
      if (isUnique) wrong.push(['same', 'same'])
      return random.pick(wrong)
    },
  }
}

const boolean: Maker = (random) => ({
  property: { type: 'boolean' },
  good: () => random.int(2) === 0,
  bad: () => random.pick(['true', 'yes', 0, 1, null, [], [true], {}, '']),
})

function optionValues(random: SeededRandom): string[] {
  const count = random.int(20) === 0 ? 256 : 1 + random.int(8)
  return Array.from(
    { length: count },
    (_, index) => `${random.pick(['', 'constructor', '😀', 'é '])}${word(random)}${index}`,
  )
}

const choice: Maker = (random) => {
  const values = optionValues(random)
  const titled = values.map((value) => ({ const: value, title: `The ${value}` }))
  return {
    property: {
      // Some leave the type out.
      ...(random.int(6) > 0 && { type: 'string' }),
      ...random.pick([{ enum: values }, { oneOf: titled }, { enum: values, enumNames: titled.map((t) => t.title) }]),
    },
    good: () => random.pick(values),
    bad: () => random.pick([`${values[0]}?`, `The ${values[0]}`, '', 'toString', '__proto__', values, ...notText]),
  }
}

const choices: Maker = (random) => {
  const values = optionValues(random)
  const titled = values.map((value) => ({ const: value, title: `The ${value}` }))
  const least = random.int(values.length + 1)
  const most = least + random.int(values.length - least + 1)
  const bounds = random.int(2) === 0 ? { minItems: least, maxItems: most } : undefined
  const from = (count: number) => {
    const start = random.int(values.length)
    return [...values.slice(start), ...values.slice(0, start)].slice(0, count)
  }
  return {
    property: {
      type: 'array',
      items: random.pick([{ type: 'string', enum: values }, { anyOf: titled }, { enum: values }, { oneOf: titled }]),
      ...bounds,
      ...(random.int(6) === 0 && { uniqueItems: random.int(2) === 0 }),
    },
    good: () => from(random.pick([least, most])),
    bad: () => {
      const wrong: unknown[] = [
        values[0],
        [values[0], values[0]],
        [null],
        ['?'],
        [values],
        new Array(1),
        null,
        { 0: 'a' },
      ]
      if (bounds && least > 0) wrong.push(from(least - 1))
      if (bounds && most < values.length) wrong.push(from(most + 1))
      return random.pick(wrong)
    },
  }
}

const makers: readonly Maker[] = [
  plainText,
  formattedText,
  patterned,
  number,
  openNumber,
  boolean,
  choice,
  choices,
  list,
]
