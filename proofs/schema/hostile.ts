// Deliberately hostile input: bombs, traps and noise.
import type { SeededRandom } from '../../test-kit/random.ts'
import { numbered, trap } from './case.ts'

export function wideSchema(count: number): unknown {
  return { type: 'object', properties: numbered(count, { type: 'string' }) }
}

/** Built in a loop, because building it by recursion would already overflow the stack. */
export function deepSchema(levels: number): unknown {
  let deep: unknown = { type: 'string' }
  for (let level = 0; level < levels; level++) deep = { type: 'object', properties: { deep } }
  return deep
}

function deepList(levels: number): unknown {
  let deep: unknown = []
  for (let level = 0; level < levels; level++) deep = [deep]
  return deep
}

/** Each of them must be refused, as a schema and as an answer to any form that requires something. */
export function bombs(): readonly unknown[] {
  const cyclic: Record<string, unknown> = { type: 'object' }
  cyclic.properties = { a: cyclic }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  // Deeper ones are tested separately: while they exist, every garbage collection has to walk them.
  const deep = deepSchema(10_000)
  const longText = 'a'.repeat(10_000_000)
  const longList = Array.from({ length: 20_000 }, (_, index) => `o${index}`)
  const field = (property: unknown) => ({ type: 'object', properties: { a: property } })
  return [
    wideSchema(5_000),
    wideSchema(20_000),
    numbered(5_000, true),
    deep,
    deepList(10_000),
    cyclic,
    revoked.proxy,
    field(revoked.proxy),
    field({ type: 'string', enum: longList }),
    field({ type: 'string', enum: new Array(4_000_000_000) }),
    field({ type: 'string', title: longText }),
    field({ type: 'string', pattern: longText }),
    field({ type: 'string', pattern: '(a?){1000}a{1000}' }),
    field({ type: 'string', pattern: '^(?=(a+)+$)a', default: `${'a'.repeat(50_000)}!` }),
    field({ type: 'array', items: { type: 'string', pattern: '(((a?){99}){9}){9}' } }),
    field({ anyOf: [deep, { type: 'null' }] }),
    field({ type: 'string', oneOf: [deep] }),
    field({ type: 'array', items: { anyOf: longList } }),
    { type: 'object', properties: {}, required: longList },
    { type: 'object', properties: { [longText]: { type: 'string' } } },
    { [longText]: longText },
    new Proxy({}, { ownKeys: () => longList.slice(0, 1_000) }),
    new Proxy({}, { ownKeys: trap, get: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap, has: trap }),
    new Proxy({}, { getPrototypeOf: () => Object.prototype, get: () => 'object' }),
    field(new Proxy({ type: 'string' }, { get: (_, name) => (name === 'type' ? trap() : undefined) })),
    field({ type: 'string', enum: new Proxy(['a'], { get: (_, name) => (name === 'length' ? 1e12 : 'a') }) }),
    Object.defineProperty({}, 'type', { enumerable: true, get: trap }),
    Object.create({ type: 'object', properties: {} }),
    Object.create(null, { type: { get: trap, enumerable: true } }),
    JSON.parse('{"type":"object","properties":{"a":{"__proto__":{"type":"string"}}}}'),
    JSON.parse('{"constructor":{"prototype":{"polluted":true}}}'),
    JSON.parse('{"__proto__":{"type":"object","properties":{}}}'),
    [],
    longList,
    longText,
    null,
    Number.NaN,
    10n ** 1_000n,
    Symbol.iterator,
    trap,
    class Schema {},
    new Date(Number.NaN),
    new Map([['type', 'object']]),
    new Uint8Array(1_000_000),
    Promise.resolve({}),
    globalThis,
  ]
}

/** Valid, but designed to be slow: to parse, and to check with their answers. */
export function heavy(random: SeededRandom): { readonly schema: unknown; readonly answer: unknown } {
  const field = (property: object, answer: unknown) => ({
    schema: { type: 'object', properties: { a: property } },
    answer: { a: answer },
  })
  const nearly = (length: number) => `${'a'.repeat(length)}!`
  return random.pick([
    field({ type: 'string', pattern: '^(a+)+$', default: nearly(50_000) }, nearly(15_000)),
    field({ type: 'string', pattern: '^(a|aa|a?)*$' }, nearly(15_000)),
    field({ type: 'string', pattern: '^(.{0,120}.{0,120})$' }, nearly(500)),
    field({ type: 'string', format: 'email', default: `${'a.'.repeat(8_000)}@` }, `${'a.'.repeat(8_000)}@`),
    field(
      { type: 'array', items: { type: 'string', pattern: '^(b+)+$' } },
      Array.from({ length: 256 }, () => nearly(60)),
    ),
    field({ type: 'array', items: { type: 'string' } }, ','.repeat(16_000)),
  ])
}

const words = [
  'type',
  'object',
  'properties',
  'string',
  'required',
  'enum',
  'items',
  'oneOf',
  'const',
  'title',
  'default',
]
const names = [...words, '__proto__', 'constructor', 'a', '0', '\ud800', '']
const leaves: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  1.5,
  1e308,
  '',
  'a',
  'string',
  'object',
  'array',
  ...words,
  '\udc00',
]

/** Random JSON with names that a schema might use. */
export function noise(random: SeededRandom, depth = 0): unknown {
  const shape = depth > 4 ? 0 : random.int(4)
  if (shape < 2) return random.pick(leaves)
  const parts = Array.from({ length: random.int(6) }, () => noise(random, depth + 1))
  if (shape === 2) return parts
  // As with JSON.parse: a name like "__proto__" becomes an ordinary property.
  return Object.fromEntries(parts.map((part) => [random.pick(names), part]))
}

/** Noise with the outer form of a schema, so that it passes the first check. */
export function noisySchema(random: SeededRandom): unknown {
  const property = () => ({
    type: random.pick(['string', 'number', 'boolean', 'array']),
    [random.pick(words)]: noise(random, 3),
  })
  const properties = Object.fromEntries(Array.from({ length: random.int(4) }, () => [random.pick(names), property()]))
  return random.int(2) === 0 ? noise(random) : { type: 'object', properties }
}
