// Every difference that the gateway makes on purpose, with its reason.

import type { Listed } from '../compare/differences.ts'

const limit =
  'One message may have 4 MiB (`limits.message_size`). A larger one fails its call at once, and the error names the limit.'
const early =
  'What a server says before its session is open is not passed on: the gateway opens the session to learn what the server can do, and no client listens to it yet.'
const subset =
  'Forms reach clients in the subset of the specification, as every client can draw it: what the subset has no word for is written with the words it has, or in the description of the field.'
const complete = 'The member `resultType`, which revision 2026-07-28 demands, is added where a server left it out.'

function inSubset(form: string, gateway: string): Listed {
  return { where: `stdio: form of ${form}`, step: 'questions', gateway, reason: subset }
}

function withoutType(step: string): Listed {
  const gateway = '"resultType":"complete"'
  return { where: 'stdio: newest without result types', step, client: '2026', gateway, reason: complete }
}

export const listed: readonly Listed[] = [
  { where: 'stdio: 4 MiB and a byte', step: 'arrives', gateway: '"not"', reason: limit },
  { where: 'http: 4 MiB and a byte in a stream', step: 'arrives', gateway: '"not"', reason: limit },
  { where: 'http: 4 MiB and a byte in JSON', step: 'arrives', gateway: '"not"', reason: limit },
  { where: 'stdio: notifies before it is open', step: 'notifications', gateway: '[]', reason: early },
  { where: 'http: notifies in the stream of initialize', step: 'notifications', gateway: '[]', reason: early },
  {
    where: 'stdio: unknown notifications',
    step: 'notifications',
    client: '2026',
    gateway: '[]',
    reason:
      'In revision 2026-07-28 a client receives only the kinds of notifications that it subscribed to, and this is none of them.',
  },
  {
    where: 'stdio: unknown requests',
    step: 'questions',
    gateway: '[]',
    reason:
      'A request that no revision has for clients is refused by the gateway with -32601, as the official clients do.',
  },
  {
    where: 'stdio: bom',
    step: 'use',
    gateway: '"Used."',
    reason: 'A byte order mark before the first message is passed over; the official client never opens this server.',
  },
  {
    where: 'stdio: answers in a batch',
    step: 'use',
    gateway: '"Used."',
    reason: 'Batches are read, as 2025-03-26 says; on a pipe the official client drops them.',
  },
  {
    where: 'stdio: extra members beside the result',
    step: 'use',
    gateway: '"Used."',
    reason:
      'Members of a reply that JSON-RPC does not have are passed over; the official client drops the whole reply.',
  },
  {
    where: 'http: wrong content type',
    step: 'use',
    gateway: '"Used."',
    reason: 'A reply that is JSON is read whatever its content type says; the official client refuses it.',
  },
  {
    where: 'http: errors with status 500',
    step: 'unknown tool',
    gateway: 'Unknown tool',
    reason:
      'The error that a server sends with an HTTP status is passed on; the official client only reports the status.',
  },
  ...['tools/list', 'resources/list', 'resources/read', 'echo'].map(withoutType),
  inSubset('Python SDK', '"nights":{"maximum":30,"minimum":1'),
  inSubset('FastMCP for Python, choices', '"items":{"enum":["ui","api","docs"],"type":"string"}'),
  inSubset('mcp-use', '"ratio":{"description":"Must be more than 0.","minimum":0,"type":"number"}'),
  {
    where: '2025 client: sends unknown messages',
    step: 'odd notification',
    gateway: '"status":400',
    reason:
      'A message without an id whose method is not a notification’s is refused: it may be a request that lost its id.',
  },
  ...['call', 'anything'].map((step) => ({
    where: '2025 client: accepts only JSON',
    step,
    gateway: '"status":200',
    reason:
      'A client that does not accept both kinds of response is answered all the same; the official server refuses it.',
  })),
  {
    where: '2025 client: sends malformed bodies',
    step: 'no message',
    gateway: '-32600',
    reason: 'JSON that is no message is an invalid request by JSON-RPC; the official server calls it a parse error.',
  },
]
