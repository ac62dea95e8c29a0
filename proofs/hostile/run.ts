// Proof: no message, header, stream, reply or server makes the gateway crash, hang, stall, leak or accept bad input.
//
// Most of a million cases go straight into the gateway's own entry points; the rest over real HTTP and real pipes to a
// gateway in its own process, which reports how long its event loop was blocked and how much memory it uses.
import { warmUp } from '../../packages/gateway/src/call/screen/screen-questions.ts'
import type { Measurement, Verdict } from '../../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { GatewayProcess } from './child.ts'
import { mutatedConfig, soundConfigs } from './config.ts'
import { answers, headers, mutatedMessage, questions } from './functions.ts'
import { giant, giantCall, giants } from './giants.ts'
import { noisyCall, rawCall, soundCall, spoiledCall, spoilers } from './http.ts'
import { answer, rage } from './replies.ts'
import { Servers } from './servers.ts'
import { session } from './sessions.ts'
import { lines } from './stdio.ts'
import { eventStream, lineStream } from './streams.ts'
import { messagePool } from './texts.ts'
import { Score, stallMs } from './watch.ts'

const memoryBytes = 512 * 2 ** 20
const lotSize = 25

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const share = quick ? 1 / 40 : 1
  const score = new Score()
  const { fromClients, fromServers } = messagePool(seed, quick ? 300 : 4_000)
  const pool = [...fromClients, ...fromServers]
  const times = async (count: number, one: () => void | Promise<void>) => {
    for (let left = Math.ceil(count * share); left > 0; left--) await one()
  }

  warmUp()
  for (const [name, make] of giants()) giant(score, name, make)
  await times(510_000, () => mutatedMessage(random, score, pool))
  await times(165_000, () => headers(random, score))
  await times(30_000, () => questions(random, score))
  await times(100_000, () => answers(random, score))
  await times(90_000, () => lineStream(random, score, pool))
  await times(70_000, () => eventStream(random, score, pool))
  await times(5_000, () => session(random, score, pool))
  soundConfigs(score)
  await times(2_000, () => mutatedConfig(random, score))
  score.look()
  const gateways = await overTheWire(random, score, pool, share)

  // In the quick form the machine may be busy: only stalls count that it cannot explain.
  return report(score, gateways, quick ? 4 * stallMs : stallMs)
}

/** The other cases, with real gateways in separate processes. */
async function overTheWire(random: SeededRandom, score: Score, pool: readonly string[], share: number) {
  const servers = new Servers()
  const urls = await servers.start()
  const [http, stdio] = [new GatewayProcess('http', urls, score), new GatewayProcess('stdio', urls, score)]
  try {
    await Promise.all([http.ready(), stdio.ready()])
    const { url } = http
    for (const name of ['new__run', 'old__run']) await soundCall(score, servers, url, name)
    for (const kind of Object.keys(spoilers)) await http.judge(() => spoiledCall(random, score, servers, url, kind))
    for (const [name, make] of giants()) await http.judge(() => giantCall(score, servers, url, name, make()))
    // Sequentially, so that a stall belongs to one message; in small batches that can be repeated.
    const lots = async (count: number, one: (random: SeededRandom) => Promise<void>) => {
      for (let left = Math.ceil(count * share); left > 0 && http.isAlive; left -= lotSize) {
        const lot = random.int(2 ** 31)
        await http.judge(async () => {
          const again = seededRandom(lot)
          for (let i = 0; i < lotSize; i++) await one(again)
        })
      }
    }
    await lots(2_000, (own) => soundCall(score, servers, url, own.pick(['new__run', 'old__run'])))
    await lots(8_000, (own) => spoiledCall(own, score, servers, url))
    await lots(6_000, (own) => noisyCall(own, score, servers, url, pool))
    await lots(3_000, (own) => rawCall(own, score, url))
    await lots(4_000, (own) => rage(own, score, servers, url, pool))
    await lots(4_000, (own) => answer(own, score, servers, url))
    await lines(random, score, servers, stdio, pool, Math.ceil(12_000 * share))
    await soundCall(score, servers, url, 'new__run')
    for (const leak of servers.leaks) score.mistake('a credential of a caller reached a server', leak)
    return [http, stdio]
  } finally {
    await Promise.all([http.stop(), stdio.stop()])
    servers.stop()
  }
}

function report(score: Score, gateways: readonly GatewayProcess[], limitMs: number): Verdict {
  const most = (of: (gateway: GatewayProcess) => number) => Math.max(...gateways.map(of))
  const [ownMs, stoodMs, bytes] = [
    most(({ ownMs }) => ownMs),
    most(({ stoodMs }) => stoodMs),
    most(({ mostBytes }) => mostBytes),
  ]
  for (const [kind, count] of score.kinds) {
    if (!kind.startsWith('giant')) console.log(`hostile: ${count.toLocaleString('en')} × ${kind}`)
  }
  const own = `slowest ${score.own.slowestMs.toFixed(1)} ms of processor time (${score.slowestKind})`
  console.log(`hostile: functions: ${own}, ${score.clock.slowestMs.toFixed(1)} ms by the clock`)
  console.log(
    `hostile: gateways: event loop blocked ${ownMs.toFixed(1)} ms by their own work, ${stoodMs.toFixed(1)} ms by the clock`,
  )
  console.log(`hostile: memory: gateways ${inMegabytes(bytes)}, functions keep ${inMegabytes(score.mostBytes)}`)
  const { crashes, hangs, wrong } = score
  const stalledMs = Math.max(score.own.slowestMs, ownMs)
  return {
    reached: crashes + hangs + wrong === 0 && stalledMs < limitMs && Math.max(bytes, score.mostBytes) < memoryBytes,
    figure:
      `hostile: ${score.tried.toLocaleString('en')} tried, ${crashes} crashes, ${hangs} hangs, ${wrong} wrong verdicts, ` +
      `stalled ${stalledMs.toFixed(0)} ms at most, ${inMegabytes(Math.max(bytes, score.mostBytes))}`,
  }
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`
}
