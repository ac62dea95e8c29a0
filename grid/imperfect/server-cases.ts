// The imperfect servers.

import type { Case, Play } from './case.ts'
import { formNames } from './forms.ts'
import type { HttpQuirkName } from './http-quirks.ts'
import {
  crash,
  declineAndCancel,
  fill,
  followLinks,
  insistently,
  large,
  listening,
  oddErrors,
  ordinarily,
  repeatedly,
  twoAtOnce,
  use,
  withState,
} from './plays.ts'
import type { StdioQuirkName } from './stdio-quirks.ts'

type Options = Pick<Case, 'quick'> & { readonly named?: string }

const limitBytes = 4 * 1024 * 1024
/** What a message of the result needs beside the text. */
const roomBytes = 300
const quick = { quick: true } as const

function stdio(quirk: StdioQuirkName, play: Play, { named, ...options }: Options = {}): Case {
  const server = quirk.startsWith('newest') ? '2026' : '2025'
  return { name: `stdio: ${named ?? quirk}`, server, quirk, transport: 'stdio', play, ...options }
}

function http(quirk: HttpQuirkName, play: Play, { named, ...options }: Options = {}): Case {
  const server = quirk.startsWith('newest') ? '2026' : '2025'
  return { name: `http: ${named ?? quirk}`, server, quirk, transport: 'http', play, ...options }
}

const onStdio: readonly Case[] = [
  stdio('ordinary', ordinarily),
  stdio('ignores unknown methods', ordinarily, quick),
  stdio('prints first', ordinarily, quick),
  stdio('prints between', ordinarily),
  stdio('exits once', insistently, quick),
  stdio('starts in 8 s', ordinarily),
  stdio('starts in 3 s', ordinarily),
  stdio('ordinary', withState, { named: 'keeps state between calls' }),
  stdio('ordinary', twoAtOnce, { named: 'two calls share their state', ...quick }),
  stdio('ordinary', followLinks, { named: 'resource links' }),
  stdio('ordinary', large(limitBytes + 1), { named: '4 MiB and a byte', ...quick }),
  stdio('ordinary', large(limitBytes - roomBytes), { named: 'just under 4 MiB' }),
  stdio('only 2024-11-05', ordinarily, quick),
  stdio('only 2025-03-26', ordinarily),
  stdio('answers in a batch', use),
  stdio('pings in calls', listening),
  stdio('notifies before it is open', listening),
  stdio('unknown notifications', listening),
  stdio('unknown requests', listening),
  stdio('crlf', ordinarily),
  stdio('bom', use),
  stdio('writes in pieces', ordinarily),
  stdio('string ids', ordinarily),
  stdio('extra fields', ordinarily),
  stdio('extra members beside the result', use),
  stdio('nulls', ordinarily, quick),
  stdio('result without content', ordinarily),
  stdio('ordinary', oddErrors, { named: 'error codes out of range' }),
  stdio('large stderr', ordinarily),
  stdio('ordinary', crash, { named: 'crashes in a call', ...quick }),
  stdio('refuses a second initialize', ordinarily),
  stdio('newest', ordinarily, { named: 'newest, by hand' }),
  stdio('newest prints first', ordinarily),
  stdio('newest with crlf', ordinarily),
  stdio('newest starts in 3 s', ordinarily),
  stdio('newest with extra fields', ordinarily),
  stdio('newest with nulls', ordinarily),
  stdio('newest without result types', ordinarily),
]

const onHttp: readonly Case[] = [
  http('ordinary', ordinarily),
  http('unauthorized', use, quick),
  http('wrong content type', use),
  http('content type with charset', ordinarily),
  http('closes idle connections', repeatedly(4)),
  http('closes every connection', repeatedly(4)),
  http('slow headers', ordinarily),
  http('json in pieces', ordinarily),
  http('json with bom', ordinarily),
  http('redirects with 307', ordinarily, quick),
  http('redirects with 308', ordinarily),
  http('session expires', repeatedly(4)),
  http('refuses DELETE', ordinarily),
  http('refuses GET', ordinarily),
  http('GET without headers', ordinarily),
  http('noisy stream', ordinarily, quick),
  http('only json', ordinarily),
  http('everything in streams', ordinarily),
  http('no sessions', ordinarily),
  http('one session only', ordinarily),
  http('ordinary', withState, { named: 'keeps state between calls', ...quick }),
  http('ordinary', twoAtOnce, { named: 'two calls share their state' }),
  http('ordinary', large(limitBytes + 1), { named: '4 MiB and a byte in a stream' }),
  http('only json', large(limitBytes + 1), { named: '4 MiB and a byte in JSON' }),
  http('notifies in the stream of initialize', listening),
  http('pings in calls', listening),
  http('notifications get 200', ordinarily),
  http('errors with status 500', ordinarily),
  http('answers in a batch', ordinarily),
  http('string ids', ordinarily),
  http('nulls', ordinarily),
  http('newest', ordinarily, { named: 'newest, by hand' }),
  http('newest with charset', ordinarily),
  http('newest in pieces', ordinarily),
  http('newest closes idle connections', repeatedly(4)),
  http('newest redirects with 307', ordinarily),
  {
    name: 'http: first HTTP transport',
    server: '2025',
    quirk: 'first HTTP transport',
    transport: 'sse',
    play: ordinarily,
    quick: true,
  },
]

const forms: readonly Case[] = [
  ...formNames.map((form) =>
    stdio('speaks 2025-11-25', fill(form), { named: `form of ${form}`, ...(form === 'Python SDK' ? quick : {}) }),
  ),
  stdio('speaks 2025-11-25', declineAndCancel, { named: 'form declined and cancelled' }),
]

export const serverCases: readonly Case[] = [...onStdio, ...onHttp, ...forms]
