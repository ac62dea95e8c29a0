// Hostile lines to a stdio gateway, over a real pipe.

import type { SeededRandom } from '../../test-kit/random.ts'
import type { GatewayProcess } from './child.ts'
import { isSoundMessage, plainly } from './oracle.ts'
import type { Servers } from './servers.ts'
import { envelope, spoiled, spoiledBytes } from './texts.ts'
import { type Score, within } from './watch.ts'

const together = 200

export async function lines(
  random: SeededRandom,
  score: Score,
  servers: Servers,
  gateway: GatewayProcess,
  pool: readonly string[],
  count: number,
): Promise<void> {
  const { stdin, stdout } = gateway.child
  if (stdin === null || stdout === null) throw new Error('The gateway has no pipes.')
  stdin.on('error', () => undefined)
  const waiting = new Map<string, () => void>()
  // Split by LF only: Node's line reader also splits at Unicode separators, which a returned id may contain.
  let rest = ''
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const said = (rest + chunk).split('\n')
    rest = said.pop() ?? ''
    for (const line of said) waiting.get(String(JSON.parse(line).id))?.()
  })
  for (let sent = 0; sent < count && gateway.isAlive; sent += together) {
    const tickets: [ticket: string, text: string][] = []
    for (let i = 0; i < together; i++) {
      const ticket = `s${sent + i}`
      const text =
        random.int(3) === 0 ? spoiled(random, random.pick(pool), pool) : spoiled(random, callLine(ticket), pool)
      const bytes = random.int(3) === 0 ? spoiledBytes(random, Buffer.from(text)) : Buffer.from(text)
      score.count('line on standard input')
      tickets.push([ticket, bytes.toString()])
      stdin.write(Buffer.concat([bytes, Buffer.from('\n')]))
    }
    // A valid line at the end of each batch: its reply shows that everything before it was processed.
    const mark = `mark${sent}`
    const answered = new Promise<void>((resolve) => waiting.set(mark, resolve))
    stdin.write(`${callLine(mark, mark)}\n`)
    if ((await within(60_000, answered)) === undefined) return score.hang('standard input', mark)
    if (servers.ran.get(mark) !== 1) score.mistake('a sound line did not run once', mark)
    for (const [ticket, text] of tickets) {
      if (servers.ran.has(ticket) && !text.split('\n').some((line) => isSoundMessage(plainly(line.trim()))))
        score.mistake('a spoiled line ran a tool', text)
    }
  }
}

function callLine(ticket: string, id = ticket): string {
  const params = { name: 'new__run', arguments: { ticket }, _meta: envelope }
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
}
