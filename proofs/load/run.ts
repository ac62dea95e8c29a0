// Proof: questions are delivered without delay while others hold thousands of useless connections open.
//
// Questions are asked and answered in turns, with the attackers and without them, because the machine may be busy: both
// figures are reported, and the first is compared with the second if the machine itself is slow.
import type { Measurement } from '../../scripts/measurement.ts'
import { GatewayProcess } from '../hostile/child.ts'
import { callOf, nextTicket, send } from '../hostile/http.ts'
import { Servers } from '../hostile/servers.ts'
import { Score } from '../hostile/watch.ts'
import { Durations } from '../schema/watch.ts'
import { Attackers } from './attack.ts'

const goalMs = 150
const together = 4

export const run: Measurement = async ({ quick }) => {
  const [slow, idle, questions, turns] = quick ? [200, 50, 80, 1] : [2_000, 500, 600, 3]
  const servers = new Servers()
  const score = new Score()
  const gateway = new GatewayProcess('http', await servers.start(), score)
  const [calm, attacked] = [new Durations(), new Durations()]
  try {
    await gateway.ready()
    await ask(gateway.url, score, new Durations(), 40)
    for (let turn = 0; turn < turns; turn++) {
      await ask(gateway.url, score, calm, questions)
      const attackers = await Attackers.start(gateway.url, slow, idle)
      await ask(gateway.url, score, attacked, questions)
      console.log(`load: turn ${turn + 1}: ${attackers.summary}, gateway ${Math.round(gateway.mostBytes / 2 ** 20)} MB`)
      if (!(await attackers.isComplete())) score.mistake('too few attackers were connected', attackers.summary)
      await attackers.stop()
    }
  } finally {
    await gateway.stop()
    servers.stop()
  }
  const [p99, calmP99] = [attacked.quantileMs(0.99), calm.quantileMs(0.99)]
  console.log(
    `load: a question and its answer: p50 ${attacked.quantileMs(0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  )
  console.log(
    `load: the same without attackers: p50 ${calm.quantileMs(0.5).toFixed(1)} ms, p99 ${calmP99.toFixed(1)} ms`,
  )
  // The turns without attackers show whether the machine is slow; the quick form checks only for breakage.
  const isQuick = p99 < goalMs || p99 < (quick ? 5 : 2) * calmP99
  return {
    reached: isQuick && score.crashes + score.hangs + score.wrong === 0,
    figure: `load: ${slow.toLocaleString('en')} slow connections and ${idle} idle streams: p99 ${p99.toFixed(0)} ms, without them ${calmP99.toFixed(0)} ms; ${score.crashes} crashes, ${score.wrong + score.hangs} questions lost`,
  }
}

/** Questions as people get them: the call returns one, the answer ends it. */
async function ask(url: string, score: Score, into: Durations, count: number): Promise<void> {
  const one = async () => {
    const ticket = nextTicket()
    const startedAt = performance.now()
    const asked = await send(url, callOf('new__ask', ticket))
    const { requestState } = JSON.parse(asked?.text || '{}').result ?? {}
    const yes = { question: { action: 'accept', content: { region: 'eu' } } }
    const done = await send(url, callOf('new__ask', ticket, { requestState, inputResponses: yes }))
    into.add(performance.now() - startedAt)
    if (done?.status !== 200) score.mistake('a question was lost', done)
  }
  for (let left = count; left > 0; left -= together) await Promise.all(Array.from({ length: together }, one))
}
