// Texts to be hostile with: sound messages of every revision, values made by fast-check, and ways to spoil both.
import fc from 'fast-check'
import type { SeededRandom } from './random.part.ts'

export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
  'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '1' },
} as const

export const regionForm = {
  additionalProperties: false,
  type: 'object',
  properties: { region: { type: 'string', enum: ['eu', 'us'] } },
  required: ['region'],
} as const

const methods = [
  'tools/call',
  'tools/list',
  'prompts/get',
  'resources/read',
  'server/discover',
  'initialize',
  'ping',
  'completion/complete',
  'subscriptions/listen',
  'logging/setLevel',
  'notifications/cancelled',
  'constructor',
  '__proto__',
]

const hostileText = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\ud800',
  '\udc00\ud800',
  '\u2028',
  '\ufeff',
  '\u202e',
  '\u001b[2J',
  '../../../etc/passwd',
  'javascript:alert(1)',
  "'; drop table asks; --",
  '=?base64?%%%?=',
  '{/id*}{/id*}{/id*}',
  'a'.repeat(300),
)

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, -0, 1e308, 2 ** 60, 0.1),
    fc.string({ unit: 'binary', maxLength: 12 }),
    hostileText,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 6 }), hostileText), tie('any'), { maxKeys: 4 }),
  ),
})).any

const id = fc.oneof(fc.integer(), fc.string({ maxLength: 8 }), fc.constantFrom('', 0, -1, 2 ** 53 - 1))
const params = fc.record(
  {
    name: fc.oneof(fc.constantFrom('run', 'ask', 'deploy__run'), hostileText),
    uri: fc.oneof(fc.constant('file:///a'), hostileText),
    arguments: fc.dictionary(fc.string({ maxLength: 6 }), value, { maxKeys: 4 }),
    inputResponses: fc.dictionary(fc.string({ maxLength: 4 }), value, { maxKeys: 3 }),
    requestState: fc.oneof(fc.string({ maxLength: 40 }), hostileText),
    cursor: value,
    _meta: fc.oneof(fc.constant(envelope), fc.dictionary(hostileText, value, { maxKeys: 2 })),
  },
  { requiredKeys: [] },
)

const request = fc.record({ jsonrpc: fc.constant('2.0'), id, method: fc.constantFrom(...methods), params })
const notification = fc.record({ jsonrpc: fc.constant('2.0'), method: fc.constantFrom(...methods), params })
const question = fc.record({
  method: fc.constantFrom('elicitation/create', 'sampling/createMessage', 'roots/list', 'x'),
  params: fc.record(
    {
      message: fc.oneof(fc.string(), hostileText),
      mode: fc.constantFrom('form', 'url', 'other'),
      url: fc.oneof(fc.webUrl(), hostileText),
      requestedSchema: fc.oneof(fc.constant(regionForm), value),
    },
    { requiredKeys: [] },
  ),
})
const result = fc.record(
  {
    resultType: fc.constantFrom('complete', 'input_required', 'task', '__proto__'),
    inputRequests: fc.dictionary(fc.oneof(fc.string({ maxLength: 4 }), hostileText), question, { maxKeys: 3 }),
    requestState: fc.oneof(fc.string(), value),
    content: value,
    action: fc.constantFrom('accept', 'decline', 'cancel', 'ACCEPT', 'approve'),
  },
  { requiredKeys: [] },
)
const reply = fc.oneof(
  fc.record({ jsonrpc: fc.constant('2.0'), id, result }),
  fc.record({ jsonrpc: fc.constant('2.0'), id, error: fc.record({ code: fc.integer(), message: fc.string() }) }),
)

/** Sound JSON text of messages: what fast-check made of the shapes above, by the seed. */
export function messagePool(
  seed: number,
  size: number,
): { readonly fromClients: string[]; readonly fromServers: string[] } {
  const texts = (arbitrary: fc.Arbitrary<unknown>) =>
    fc.sample(arbitrary, { seed, numRuns: size }).map((one) => JSON.stringify(one))
  return {
    fromClients: [...texts(request), ...texts(notification), ...texts(reply)],
    fromServers: [
      ...texts(reply),
      ...texts(fc.record({ jsonrpc: fc.constant('2.0'), id, method: fc.constant('elicitation/create'), params })),
    ],
  }
}

const tokens = [
  '"',
  '\\',
  '\\u0061',
  '\\ud800',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  'null',
  '1e999',
  '-',
  '9007199254740993',
  '\u0000',
  '\ufeff',
  '\u2028',
  '"__proto__":{"polluted":1},',
  '"method":"tools/call",',
  '"id":7,',
  '"name":"run",',
  '"Name":"run",',
  '[[[[[[[[',
  '\r\n',
  '\n',
  '"jsonrpc":"2.0",',
  '/**/',
  "'",
  'Infinity',
  '\u0085',
]

/** The text with one to four things wrong with it, or by luck none. */
export function spoiled(random: SeededRandom, text: string, others: readonly string[]): string {
  let result = text
  for (let times = random.int(4); times >= 0; times--) {
    const at = random.int(result.length + 1)
    const to = Math.min(result.length, at + 1 + random.int(16))
    switch (random.int(7)) {
      case 0:
        result = result.slice(0, at) + random.pick(tokens) + result.slice(at)
        break
      case 1:
        result = result.slice(0, at) + result.slice(to)
        break
      case 2:
        result = result.slice(0, to) + result.slice(at)
        break
      case 3:
        result =
          result.slice(0, at) +
          String.fromCharCode(random.int(random.int(4) === 0 ? 65_536 : 128)) +
          result.slice(at + 1)
        break
      case 4: {
        const other = random.pick(others)
        result = result.slice(0, at) + other.slice(random.int(other.length))
        break
      }
      case 5:
        result = doubled(random, result)
        break
      case 6:
        result = result.slice(0, at)
    }
  }
  return result
}

/** Repeats one member, or what looks like one. */
function doubled(random: SeededRandom, text: string): string {
  const members = [...text.matchAll(/"[^"\\]{1,20}":(?:"[^"\\]*"|-?\d+|true|false|null|\{\}|\[\])/g)]
  if (members.length === 0) return text
  const { 0: member, index } = random.pick(members)
  return `${text.slice(0, index)}${member},${text.slice(index)}`
}

export function spoiledBytes(random: SeededRandom, bytes: Uint8Array): Buffer {
  const result = Buffer.from(bytes)
  for (let times = random.int(3); times >= 0 && result.length > 0; times--) {
    const at = random.int(result.length)
    result[at] = random.int(3) === 0 ? random.pick([0xff, 0xc0, 0xed, 0x80, 0x00, 0x0a, 0x0d]) : random.int(256)
  }
  return result
}

/** The bytes in pieces, cut anywhere. */
export function pieces(random: SeededRandom, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: random.int(6) }, () => random.int(bytes.length + 1)).sort((a, b) => a - b)
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length))
}
