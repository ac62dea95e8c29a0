// Every difference that the gateway makes on purpose, with its reason.

import type { Listed } from '../compare/differences.ts'

const limit =
  'A message may have at most 4 MiB (`limits.message_size`). With a larger one the call fails at once, and the error names the limit.'
const early =
  'The gateway does not forward messages that a server sends before its session is open: the gateway opens the session to read the capabilities of the server, and no client is connected to it yet.'
const subset =
  'The gateway sends forms in the subset of JSON Schema that the specification allows, because every client can show it. It expresses other keywords with those of the subset, or in the description of the field.'
const complete = 'The gateway adds the member `resultType`, which revision 2026-07-28 requires, if a server omits it.'

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
      'In revision 2026-07-28 a client receives only the kinds of notifications that it subscribed to, and it did not subscribe to this one.',
  },
  {
    where: 'stdio: unknown requests',
    step: 'questions',
    gateway: '[]',
    reason:
      'The gateway refuses requests that no revision defines for clients with -32601, as the official clients do.',
  },
  {
    where: 'stdio: bom',
    step: 'use',
    gateway: '"Used."',
    reason: 'The gateway ignores a byte order mark before the first message; the official client cannot connect.',
  },
  {
    where: 'stdio: answers in a batch',
    step: 'use',
    gateway: '"Used."',
    reason: 'The gateway reads batches, as 2025-03-26 requires; over stdio the official client drops them.',
  },
  {
    where: 'stdio: extra members beside the result',
    step: 'use',
    gateway: '"Used."',
    reason:
      'The gateway ignores members of a reply that JSON-RPC does not define; the official client drops the reply.',
  },
  {
    where: 'http: wrong content type',
    step: 'use',
    gateway: '"Used."',
    reason: 'The gateway reads a JSON reply with any content type; the official client refuses it.',
  },
  {
    where: 'http: errors with status 500',
    step: 'unknown tool',
    gateway: 'Unknown tool',
    reason:
      'The gateway forwards an error that a server sends with an HTTP status; the official client reports only the status.',
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
      'The gateway refuses a message without an id if its method is not a notification: it may be a request whose id is missing.',
  },
  ...['call', 'anything'].map((step) => ({
    where: '2025 client: accepts only JSON',
    step,
    gateway: '"status":200',
    reason: 'The gateway answers a client that does not accept both kinds of response; the official server refuses it.',
  })),
  {
    where: '2025 client: sends malformed bodies',
    step: 'no message',
    gateway: '-32600',
    reason: 'JSON that is not a message is an invalid request in JSON-RPC; the official server reports a parse error.',
  },
]
