// Hostile streams: server-sent events and lines, mutated and split anywhere, compared with parsers that read all at once.
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { Lines } from '../../packages/gateway/src/protocol/lines.ts'
import { readServerEvents } from '../../packages/gateway/src/protocol/sse.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { isSame } from './oracle.ts'
import { pieces, spoiled, spoiledBytes } from './texts.ts'
import { type Score, within } from './watch.ts'

const ends = ['\n', '\r\n', '\r']
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export async function eventStream(random: SeededRandom, score: Score, pool: readonly string[]): Promise<void> {
  const end = random.pick(ends)
  const text = Array.from({ length: 1 + random.int(3) }, () => {
    const lines = [
      `data: ${random.pick(pool)}`,
      ': x',
      'id: 7',
      'retry: 5',
      'data',
      'event: message',
      'dat\u00e4: 1',
      ': \u{1f30d}',
    ]
    return [...Array.from({ length: random.int(3) }, () => random.pick(lines)), lines[0], '', ''].join(end)
  }).join('')
  const whole = random.int(3) === 0 ? spoiled(random, text, pool) : text
  const bytes = random.int(4) === 0 ? spoiledBytes(random, Buffer.from(whole)) : Buffer.from(whole)
  const meant = eventsOf(bytes)
  score.count('event stream')
  try {
    const read = await within(10_000, dataOf(pieces(random, bytes)))
    if (read === undefined) return score.hang('event stream', whole)
    if (meant === undefined || !isSame(read.value, meant))
      score.mistake('events were read wrongly', whole, read.value, meant)
  } catch (error) {
    if (meant !== undefined) score.crash('event stream', whole, error)
  }
}

async function dataOf(chunks: Buffer[]): Promise<string[]> {
  const data: string[] = []
  for await (const event of readServerEvents(Readable.from(chunks) as never)) data.push(event.data)
  return data
}

/** A simple parser for the grammar of the HTML standard. Undefined if the relevant bytes are not UTF-8. */
function eventsOf(bytes: Buffer): string[] | undefined {
  const text = decoded(bytes)
  if (text === undefined) return undefined
  const events: string[] = []
  let data: string[] = []
  let isAny = false
  const lines = text.split(/\r\n|\n|\r/)
  // The last event is incomplete.
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (isAny) events.push(data.join('\n'))
      data = []
      isAny = false
      continue
    }
    isAny = true
    if (line === 'data') data.push('')
    else if (line.startsWith('data:')) data.push(line.slice(line.charAt(5) === ' ' ? 6 : 5))
  }
  return events
}

/** A character that is cut off by the end of the stream is no error: it is part of no complete event. */
function decoded(bytes: Buffer): string | undefined {
  const cut = [0, 1, 2, 3].find((length) => {
    const tail = bytes.subarray(bytes.length - length)
    return (length === 0 || isBeginning(tail)) && isUtf8(bytes.subarray(0, bytes.length - length))
  })
  return cut === undefined ? undefined : decoder.decode(bytes.subarray(0, bytes.length - cut))
}

function isBeginning(tail: Buffer): boolean {
  const [first = 0, ...others] = tail
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return tail.length < length && others.every((byte) => byte >= 0x80 && byte < 0xc0)
}

export function lineStream(random: SeededRandom, score: Score, pool: readonly string[]): void {
  const text = Array.from({ length: 1 + random.int(4) }, () => random.pick(pool)).join(
    random.pick(['\n', '\r\n', '\n\n', '\r']),
  )
  const bytes = spoiledBytes(random, Buffer.from(random.int(2) === 0 ? text : spoiled(random, text, pool)))
  const read = score.handle('lines', text, () => {
    const lines = new Lines()
    return [...pieces(random, bytes).flatMap((piece) => lines.push(piece)), lines.rest()]
  })
  const meant = bytes
    .toString('latin1')
    .split('\n')
    .map((line) => lineOf(Buffer.from(line, 'latin1')))
  if (read !== undefined && !isSame(read, meant))
    score.mistake('lines were read wrongly', bytes.toString('hex'), read, meant)
}

function lineOf(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes).replace(/\r$/, '')
  } catch {
    return undefined
  }
}
