// A replica of this proof: it writes asks, decisions and notes as fast as it can and runs a sequencer. It reports what the store
// has confirmed. The supervisor kills it, and changes its clock.

import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyRing, isAssentError } from '@assent/core'
import { openPostgres } from '@assent/store'
import { accept, aForm, anApproval, ann, ben, inEurope } from '../../packages/store/src/contract/drafts.suite.ts'
import { skewClock } from '../../test/cluster/skewed-clock.ts'
import { retried } from '../../test-kit/retried.ts'

export interface WriterStart {
  readonly name: string
  readonly url: string
  readonly schema: string
  readonly secret: string
}

export type ToWriter = { readonly start: WriterStart } | { readonly skewMs: number } | { readonly stop: true }

export type FromWriter =
  /** The number of entries about a subject that the store has confirmed. */
  | { readonly confirmed: string; readonly entries: number }
  | { readonly integrated: number }
  | { readonly problem: string }
  | { readonly stopped: true }

export const tenant = 'acme'
/** Written in one step: all or none. */
export const notesAtOnce = 100
const lanes = 6
/** Of the work: most entries are notes, which are the cheapest. */
const notesShare = 0.5
const pauseMs = 50

let isStopping = false

process.on('message', (message: ToWriter) => {
  if ('start' in message) void write(message.start)
  if ('skewMs' in message) skewClock(message.skewMs)
  if ('stop' in message) isStopping = true
})
// The supervisor has ended.
process.on('disconnect', () => process.exit(1))

function report(message: FromWriter): void {
  process.send?.(message)
}

async function write({ name, url, schema, secret }: WriterStart): Promise<void> {
  const keys = createKeyRing([{ id: 'proof', secret: Buffer.from(secret, 'base64') }])
  const onIntegrated = ({ entries }: { entries: number }) => report({ integrated: entries })
  const store = await retried(() => openPostgres(url, { keys, schema, connections: lanes + 1, onIntegrated }))
  const sequencer = store.startSequencer([tenant], (error) => {
    if (!isAssentError(error, 'store_unavailable')) report({ problem: `${name}: ${String(error)}` })
  })
  const confirmed = (subject: string, entries: number) => report({ confirmed: subject, entries })

  const notes = async (subject: string) => {
    const list = Array.from({ length: notesAtOnce }, (_, at) => ({ subject, body: { at } }))
    await store.audit.append(tenant, list)
    confirmed(subject, notesAtOnce)
  }
  const question = async () => {
    const { id } = await store.asks.raise(aForm({ tenant }))
    confirmed(id, 1)
    await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
    confirmed(id, 2)
  }
  const approval = async () => {
    const { id } = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 2, { tenant }))
    confirmed(id, 1)
    for (const [at, person] of [ann, ben].entries()) {
      await store.asks.answer({ tenant, id, person, via: 'inbox', answer: accept })
      confirmed(id, at + 2)
    }
    const grant = await store.grants.read(tenant, id)
    if (grant !== undefined) await store.grants.use({ ...grant, usedBy: 'proof' })
  }
  const lane = async (number: number) => {
    for (let turn = 0; !isStopping; turn++) {
      try {
        if (Math.random() < notesShare) await notes(`${name}-${number}-${turn}`)
        else await (turn % 2 === 0 ? question() : approval())
      } catch (error) {
        // Killed or restarting: whether it was stored is unknown.
        if (!isAssentError(error, 'store_unavailable')) report({ problem: `${name}: ${String(error)}` })
        await sleep(pauseMs)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
  await sequencer.stop()
  await store.close()
  // After everything that was reported before.
  process.send?.({ stopped: true } satisfies FromWriter, () => process.exit(0))
}
