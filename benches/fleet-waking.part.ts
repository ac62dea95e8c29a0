// How soon a caller that is held at one replica hears what its person answered at another: by NATS, by LISTEN/NOTIFY, and
// with every signal lost, when only the poll is left.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { Pair, Resumed } from './fleet-resume.part.ts'
import type { FleetStage } from './fleet-stage.part.ts'
import { generations } from './relay-words.part.ts'
import { quantile } from './store-figures.part.ts'

export interface WakingSize {
  readonly forMs: number
  /** Callers at each pair, half of them of each revision. */
  readonly callers: number
}

/** From the answer's sending to the moment its caller hears, by what wakes. */
export type Waking = Readonly<Record<'nats' | 'notify' | 'poll', { readonly p50Ms: number; readonly p99Ms: number }>>

const natsUrl = process.env.ASSENT_TEST_NATS ?? 'nats://127.0.0.1:4222'
/** What openPostgres polls at unless told; people take any part of it. */
const pollMs = 2_000
const holdMs = 25_000

export async function waking(
  stage: FleetStage,
  size: WakingSize,
  seed: number,
  say: (line: string) => void,
): Promise<Waking> {
  const wakes = { nats: natsUrl, notify: undefined, poll: `nats://127.0.0.1:${await unusedPort()}` }
  const pairs: Pair[] = []
  for (const [wake, url] of Object.entries(wakes)) {
    const [first, second] = await stage.start(2, { holdMs, ...(url === undefined ? {} : { wake: url }) })
    if (first === undefined || second === undefined) throw new Error('A pair is two.')
    pairs.push({ wake, heldAt: first.url, answeredAt: second.url })
    if (wake === 'nats') await stage.invite(first, size.callers * Object.keys(wakes).length)
  }
  const people = size.callers * pairs.length
  const all = await stage.do<Resumed[]>({ kind: 'resume', people, pairs, forMs: size.forMs, thinkMs: pollMs, seed })
  const told = (wake: keyof typeof wakes) => {
    const samples = all.filter((one) => one.wake === wake)
    for (const client of generations)
      sayOne(
        wake,
        client,
        samples.filter((one) => one.client === client),
        say,
      )
    const heard = samples.map(({ heardMs }) => heardMs)
    return { p50Ms: quantile(heard, 0.5), p99Ms: quantile(heard, 0.99) }
  }
  return { nats: told('nats'), notify: told('notify'), poll: told('poll') }
}

const names = { nats: 'by NATS', notify: 'by LISTEN/NOTIFY', poll: 'by the poll alone' }

function sayOne(
  wake: keyof typeof names,
  client: string,
  samples: readonly Resumed[],
  say: (line: string) => void,
): void {
  const spread = (of: (sample: Resumed) => number) => {
    const values = samples.map(of)
    return `${quantile(values, 0.5).toFixed(1)} / ${quantile(values, 0.99).toFixed(1)}`
  }
  say(
    `woken ${names[wake]}, ${client} caller, ${samples.length} answers, p50 / p99 in ms: acknowledged ${spread((one) => one.acknowledgedMs)}, server goes on ${spread((one) => one.continuedMs)}, caller hears ${spread((one) => one.heardMs)}, that is after the acknowledgement ${spread((one) => one.heardMs - one.acknowledgedMs)}`,
  )
}

/** Where nothing listens: every signal is lost, as when the broker is away. */
async function unusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
