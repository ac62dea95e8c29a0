// Random policies in short form and random calls, many of them hostile.

import type { JsonObject, JsonValue } from '@assent/core'
import type { Comparison, Condition, PolicyCall, PolicySettings, ShortPolicy, WeekHours } from '@assent/policy'
import type { SeededRandom } from '../../test-kit/random.ts'

const issuer = 'https://login.example'
const names = ['env', 'amount', 'pay.amount', 'pay', 'tags', 'force', 'a.b.c', 'constructor', '__proto__', 'toString']
const oddNames = ['__entity', '__extn.fn', 'a/b', '~0', 'length', 'pay.__entity', 'ünï.cödé', '']
const texts = ['production', 'staging', 'prod-eu', '5', 'true', '', '*', 'NaN', 'ünï', 'a"b\\c', 'null']
const patterns = ['prod*', '*', '*-eu', 'p*d*', 'staging', '**', 'a"*']
const numbers = [0, 1, 5, 99.5, 100, 100.25, -3, -0.5, 1e6, 99_999_999_999]
const servers = ['deploy', 'files', 'x']
const tools = ['rollout', 'read', 'debug_all', 'a/b', '*', 'ünï']
const targets = ['*', 'deploy/*', 'deploy/rollout', '*/debug_*', 'read', 'files/r*d', 'deploy/a/b', '*/*', 'x/ün*']
const addresses = ['file:///etc/passwd', 'file:///home/ann', 'https://example.com/a']
const addressPatterns = ['*', 'file:///etc/*', 'deploy/file:*', 'https://*']
const people = ['release', 'empty', 'group:engineers', 'group:sales', 'person:ann', 'person:bob']
const kinds = ['tools', 'tools', 'tools', 'prompts', 'resources'] as const

export function generateSettings(random: SeededRandom): PolicySettings {
  const count = random.next() < 0.1 ? 17 + random.int(30) : 1 + random.int(6)
  return {
    shortForm: Array.from({ length: count }, (_, index) => ({
      place: { line: index + 1, column: 1 },
      policy: generatePolicy(random, `p${index}`),
    })),
    cedarFiles: [],
    groups: { release: ['group:release-managers', 'person:ann'], empty: [] },
    timeZone: 'UTC',
    ...(random.next() < 0.5 ? { issuer } : {}),
  }
}

function generatePolicy(random: SeededRandom, name: string): ShortPolicy {
  const kind = random.pick(kinds)
  const effects = ['allow', 'allow', 'deny', { ask: { ask: '2 of release', exclude: 'requester' } }] as const
  const hours = random.next()
  return {
    name,
    kind,
    targets: some(random, kind === 'resources' ? addressPatterns : targets, 2),
    people: random.next() < 0.7 ? [] : some(random, people, 2),
    annotations:
      kind === 'tools' && random.next() < 0.3
        ? { [random.pick(['destructive', 'readOnly', 'idempotent', 'openWorld'])]: random.next() < 0.5 }
        : {},
    when: Array.from({ length: [0, 0, 1, 1, 2, 3][random.int(6)] ?? 0 }, () => generateCondition(random)),
    ...(hours < 0.1 ? { during: generateHours(random) } : {}),
    ...(hours > 0.9 ? { outside: generateHours(random) } : {}),
    effect: random.pick(effects),
    isDryRun: random.next() < 0.05,
  }
}

function generateCondition(random: SeededRandom): Condition {
  const name = random.pick(random.next() < 0.85 ? names : oddNames)
  const condition = { path: name.split('.'), comparison: generateComparison(random, name) }
  return random.next() < 0.2 ? { ...condition, isNegated: true } : condition
}

function generateComparison(random: SeededRandom, name: string): Comparison {
  const isNumeric = name.includes('amount') ? random.next() < 0.8 : random.next() < 0.2
  if (isNumeric) {
    const is = random.pick(['equal', 'above', 'atLeast', 'below', 'atMost'] as const)
    return is === 'equal' ? { is, anyOf: some(random, numbers, 3) } : { is, number: random.pick(numbers) }
  }
  if (name === 'tags' && random.next() < 0.7) return { is: 'contains', text: random.pick(texts) }
  if (name === 'force' && random.next() < 0.7) return { is: 'flag', value: random.next() < 0.5 }
  return random.next() < 0.7
    ? { is: 'text', anyOf: some(random, texts, 3) }
    : { is: 'pattern', anyOf: some(random, patterns, 2) }
}

function generateHours(random: SeededRandom): WeekHours {
  const fromMinute = random.int(1_440)
  return {
    days: some(random, [1, 2, 3, 4, 5, 6, 7], 4),
    fromMinute,
    toMinute: (fromMinute + 1 + random.int(1_439)) % 1_440,
  }
}

export function generateCall(random: SeededRandom, { issuer: own, shortForm }: PolicySettings): PolicyCall {
  const kind = random.pick(kinds)
  const subject = random.pick(['ann', 'bob', 'zoe'])
  const paths = shortForm.flatMap(({ policy }) => policy.when.map(({ path }) => path))
  const schema = random.next() < 0.5 ? generateSchema(random, paths) : undefined
  return {
    kind,
    server: random.pick(servers),
    name: random.pick(kind === 'resources' ? addresses : tools),
    arguments: generateArguments(random, paths),
    ...(schema === undefined ? {} : { schema }),
    ...(random.next() < 0.5 ? { annotations: generateAnnotations(random) } : {}),
    person: {
      principal: own === undefined ? subject : `${own}#${subject}`,
      groups: some(random, ['engineers', 'sales', 'release-managers', 'empty', 'release'], 3),
      roles: some(random, ['deployer', 'auditor'], 2),
    },
    claims: {},
    time: { hour: random.int(24), minute: random.int(60), weekday: 1 + random.int(7), date: '2026-11-17' },
    ...(random.next() < 0.2 ? { isDefinitionChanged: true } : {}),
    ...(random.next() < 0.8 ? { address: random.pick(['10.1.2.3', '203.0.113.7', '2001:db8::7']) } : {}),
  }
}

function generateAnnotations(random: SeededRandom): JsonObject {
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
  return Object.fromEntries(
    some(random, hints, 3).map((hint) => [hint, random.pick<JsonValue>([true, false, 'false', null, 1])]),
  )
}

/** Names that a tolerant server could take for the given one. */
const likenesses: readonly ((name: string) => string)[] = [
  (name) => name.toUpperCase(),
  (name) => name.replaceAll(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  (name) => `${name.slice(0, 1)}\u0301${name.slice(1)}`,
  (name) => `${name}\u200b`,
  (name) => `\ufeff${name}`,
  (name) => `${name.slice(0, 1)}_${name.slice(1)}`,
  (name) => name.replace('s', 'ſ'),
]

/** One of the names of the path is replaced by one that looks alike. */
function lookAlike(random: SeededRandom, path: readonly string[]): string[] {
  const at = random.int(path.length)
  return path.map((name, index) => (index === at ? random.pick(likenesses)(name) : name))
}

/** Sets the arguments that the policies refer to, mostly. */
function generateArguments(random: SeededRandom, paths: readonly (readonly string[])[]): JsonObject {
  const args: JsonObject = {}
  for (const path of paths) if (random.next() < 0.8) put(args, path, generateValue(random, 0))
  for (const path of paths) if (random.next() < 0.06) put(args, lookAlike(random, path), generateValue(random, 0))
  if (random.next() < 0.1) put(args, [random.pick(oddNames)], generateValue(random, 0))
  return args
}

function put(args: JsonObject, path: readonly string[], value: JsonValue): void {
  let target = args
  for (const name of path.slice(0, -1)) {
    const next = Object.hasOwn(target, name) ? target[name] : undefined
    if (next !== undefined && !isObject(next)) return
    const inner = next ?? {}
    define(target, name, inner)
    target = inner
  }
  define(target, path.at(-1) ?? '', value)
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member, also one called __proto__, as a JSON parser makes it. */
function define(target: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

function generateValue(random: SeededRandom, depth: number): JsonValue {
  const roll = random.next()
  if (roll < 0.35) return random.pick(texts)
  if (roll < 0.6) return random.pick(numbers)
  if (roll < 0.7) return random.next() < 0.5
  if (roll < 0.75) return null
  if (roll < 0.85 && depth < 3) {
    return Array.from({ length: random.int(4) }, () => generateValue(random, depth + 1))
  }
  return hostileValue(random)
}

const hostile: readonly (() => JsonValue)[] = [
  () => ({ __entity: { type: 'Person', id: 'ann' } }),
  () => ({ __extn: { fn: 'decimal', arg: '5.0' } }),
  () => ({ __expr: 'true' }),
  () => ({ value: 'production' }),
  () => ['production', { __entity: { type: 'Group', id: 'x' } }],
  () => 1e300,
  () => -1e300,
  () => 0.00001,
  () => 5.000_000_1,
  () => 2 ** 53,
  () => 2 ** 63,
  () => -(2 ** 53) - 2,
  () => 100_000_000_000,
  () => -0,
  () => Number.MIN_VALUE,
  () => 'x'.repeat(65_537),
  () => 'half \ud800 pair',
  () => '\u0000',
  () => JSON.parse('{"__proto__": {"amount": 5}, "amount": 5, "__entity": 1}'),
  () => JSON.parse('{"constructor": 1}'),
  () => Array.from({ length: 257 }, (_, index) => index),
  () => Array.from({ length: 256 }, () => 'production'),
  () => nested(16),
  () => nested(17),
  () => nested(40),
  () => Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`k${index}`, 1])),
  () => ({ amount: '5' }),
  () => ({ amount: null }),
  () => [null, 'production', null],
  () => ({ fn: 'x', c: 'production', b: { c: 'production' } }),
]

export function hostileValue(random: SeededRandom): JsonValue {
  return random.pick(hostile)()
}

function nested(depth: number): JsonValue {
  let value: JsonValue = 'production'
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { inner: value }
  return value
}

function generateSchema(random: SeededRandom, paths: readonly (readonly string[])[]): JsonObject {
  const properties: JsonObject = {}
  for (const [first = '', ...rest] of paths) {
    if (random.next() < 0.4) continue
    const types: JsonValue[] = ['integer', 'number', 'string', ['number', 'null'], ['integer', 'string'], 'array']
    const leaf: JsonObject = random.next() < 0.2 ? {} : { type: random.pick(types), items: { type: 'number' } }
    const inner = rest.reduceRight<JsonObject>(
      (schema, name) => ({
        type: 'object',
        properties: own(name, schema),
        ...(random.next() < 0.5 ? { additionalProperties: false } : {}),
      }),
      leaf,
    )
    define(properties, first, inner)
    if (random.next() < 0.2) define(properties, random.pick(likenesses)(first), inner)
  }
  return {
    type: 'object',
    properties,
    ...(random.next() < 0.6 ? { additionalProperties: random.next() < 0.2 } : {}),
    ...(random.next() < 0.1 ? { anyOf: [{}] } : {}),
  }
}

function own(name: string, value: JsonValue): JsonObject {
  const made: JsonObject = {}
  define(made, name, value)
  return made
}

/** One to `most` different ones. */
function some<T>(random: SeededRandom, list: readonly T[], most: number): T[] {
  return [...new Set(Array.from({ length: 1 + random.int(most) }, () => random.pick(list)))]
}
