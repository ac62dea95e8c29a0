import { freePort } from '../../test-kit/listen.ts'
import { generations } from '../relay/words.ts'
import { quantile } from '../store/figures.ts'
import type { Pair, Resumed } from './resume.ts'
import type { ClusterEnv } from './test-env.ts'

export interface WakingSize {
  readonly forMs: number
  /** Callers per pair, half of them of each revision. */
  readonly callers: number
}

/** From sending the answer to the caller's reply, by kind of notification. */
export type Waking = Readonly<Record<'nats' | 'notify' | 'poll', { readonly p50Ms: number; readonly p99Ms: number }>>

const natsUrl = process.env.ASSENT_TEST_NATS ?? 'nats://127.0.0.1:4222'
/** The default poll interval of openPostgres; people take up to this long. */
const pollMs = 2_000
const holdMs = 25_000

export async function waking(
  testEnv: ClusterEnv,
  size: WakingSize,
  seed: number,
  say: (line: string) => void,
): Promise<Waking> {
  const wakes = { nats: natsUrl, notify: undefined, poll: `nats://127.0.0.1:${await freePort()}` }
  const pairs: Pair[] = []
  for (const [wake, url] of Object.entries(wakes)) {
    const [first, second] = await testEnv.start(2, { holdMs, ...(url === undefined ? {} : { wake: url }) })
    if (first === undefined || second === undefined) throw new Error('A pair needs two replicas.')
    pairs.push({ wake, heldAt: first.url, answeredAt: second.url })
    if (wake === 'nats') await testEnv.invite(first, size.callers * Object.keys(wakes).length)
  }
  const people = size.callers * pairs.length
  const all = await testEnv.do<Resumed[]>({ kind: 'resume', people, pairs, forMs: size.forMs, thinkMs: pollMs, seed })
  const quantiles = (wake: keyof typeof wakes) => {
    const samples = all.filter((one) => one.wake === wake)
    for (const client of generations)
      sayOne(
        wake,
        client,
        samples.filter((one) => one.client === client),
        say,
      )
    const received = samples.map(({ receivedMs }) => receivedMs)
    return { p50Ms: quantile(received, 0.5), p99Ms: quantile(received, 0.99) }
  }
  return { nats: quantiles('nats'), notify: quantiles('notify'), poll: quantiles('poll') }
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
    `notified ${names[wake]}, ${client} caller, ${samples.length} answers, p50 / p99 in ms: acknowledged ${spread((one) => one.acknowledgedMs)}, server continues ${spread((one) => one.continuedMs)}, caller receives ${spread((one) => one.receivedMs)}, after the acknowledgement ${spread((one) => one.receivedMs - one.acknowledgedMs)}`,
  )
}
