// Edits of a stored action after the person signed it, by a program of the same account: it can write the database and read
// the key, so it makes our own signatures (MACs) for what it wrote. What the person signed stays the same.
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import {
  type Ask,
  actionDigest,
  askTerms,
  newId,
  type Question,
  signAsk,
  signVote,
  toolDefinitionDigest,
} from '@assent/core'
import { openSqlite } from '@assent/store'
import type { SeededRandom } from '../../test-kit/random.ts'
import { openPresenceEnv, type PresenceEnv, tenant } from './test-env.ts'

const accept = { action: 'accept' } as const

export interface EditedActions {
  readonly tried: number
  readonly succeeded: readonly string[]
  /** Whether `audit verify` reported a row from which the requirement of a passkey was removed. */
  readonly isRemovalDetected: boolean
}

export async function editedActions(random: SeededRandom, each: number): Promise<EditedActions> {
  const env = await openPresenceEnv()
  try {
    const succeeded: string[] = []
    for (let time = 0; time < each; time++) {
      if (await editBeforeAnswer(env, random)) succeeded.push('an action edited after it was signed')
      if (await editAfterAnswer(env, random)) succeeded.push('an action edited after it was accepted')
    }
    const before = await env.store.record.verify(tenant)
    if (!before.ok) throw new Error(before.problems[0].problem)
    await removeRequirement(env)
    const after = await env.store.record.verify(tenant)
    return { tried: 2 * each, succeeded, isRemovalDetected: !after.ok }
  } finally {
    await env.close()
  }
}

async function editBeforeAnswer(env: PresenceEnv, random: SeededRandom): Promise<boolean> {
  const ask = await env.raise({ question: rollout('staging') })
  const signed = await env.sign(ask, accept)
  const edited = { ...ask, question: rollout('production') }
  return withRow(env, ask, edited, random, async () => {
    await env.answer(ask, signed, accept)
    return releases(env, edited)
  })
}

async function editAfterAnswer(env: PresenceEnv, random: SeededRandom): Promise<boolean> {
  const ask = await env.raise({ question: rollout('staging') })
  if (!(await env.answer(ask, await env.sign(ask, accept), accept))) throw new Error('The person could not accept.')
  const settled = await env.store.asks.read(tenant, ask.id)
  if (settled === undefined) throw new Error('The ask is gone.')
  const edited = { ...settled, question: rollout('production') }
  return withRow(env, settled, edited, random, () => releases(env, edited))
}

/** The attacker removes the requirement and the passkey's signature as well. This is detected, and not prevented. */
async function removeRequirement(env: PresenceEnv): Promise<void> {
  const ask = await env.raise({ question: rollout('staging') })
  await env.answer(ask, await env.sign(ask, accept), accept)
  const settled = (await env.store.asks.read(tenant, ask.id)) as Ask
  const { needsPresence: _, ...free } = settled
  write(env, { ...free, question: rollout('production') } as Ask, 'none')
}

/** Whether a process that reads the files now would let the edited action run. */
async function releases({ keys, files }: PresenceEnv, { id, question }: Ask): Promise<boolean> {
  const store = await openSqlite(files.database, { keys })
  try {
    const read = await store.asks.read(tenant, id)
    const isChanged = JSON.stringify(read?.question) === JSON.stringify(question)
    return isChanged && read?.state.kind === 'settled' && read.state.answer.action === 'accept'
  } finally {
    await store.close()
  }
}

/** With the edited row, whose signatures are ours, or those of the row before. Afterwards the row is as it was. */
async function withRow(env: PresenceEnv, ask: Ask, edited: Ask, random: SeededRandom, attempt: () => Promise<boolean>) {
  write(env, edited, random.int(4) === 0 ? 'as before' : 'ours')
  try {
    return await attempt()
  } finally {
    write(env, ask, 'ours')
  }
}

function write({ keys, files }: PresenceEnv, ask: Ask, signatures: 'ours' | 'as before' | 'none'): void {
  const { id, question, state } = ask
  const database = new DatabaseSync(files.database, { timeout: 5_000 })
  try {
    const digest = question.kind === 'approval' ? question.digest : null
    database.prepare('update asks set question = ?, digest = ? where id = ?').run(JSON.stringify(question), digest, id)
    if (signatures === 'as before') return
    database.prepare('update asks set signature = ? where id = ?').run(signAsk(keys, askTerms(ask)), id)
    const vote = state.kind === 'settled' ? state : undefined
    if (vote === undefined) return
    const { presence, ...unsigned } = vote
    const kept = signatures === 'none' ? unsigned : { ...unsigned, ...(presence && { presence }) }
    const made = signVote(keys, askTerms(ask), kept)
    database.prepare('update asks set decision_signature = ? where id = ?').run(made, id)
    if (signatures === 'none')
      database.prepare('update asks set needs_presence = null, presence = null where id = ?').run(id)
  } finally {
    database.close()
  }
}

function rollout(env: string): Question {
  const action = {
    server: 'deploy',
    tool: 'rollout',
    definitionDigest: toolDefinitionDigest({ name: 'rollout' }),
    arguments: { env, build: newId('ask', Date.now(), randomBytes) },
  }
  return { kind: 'approval', title: 'Roll out', action, digest: actionDigest(action) }
}
