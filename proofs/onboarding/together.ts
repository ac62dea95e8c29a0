// Processes that migrate the same repository at once, and skips without a person.

import { createRepository, treeDigest } from '../../packages/onboarding/src/fixtures/fixture.suite.ts'
import { monorepo } from '../../packages/onboarding/src/fixtures/repositories.corpus.ts'
import { runAction } from '../../packages/onboarding/src/run-action.suite.ts'
import { type ProcessResult, runInProcess } from '../../packages/onboarding/src/run-in-process.suite.ts'

/** Long enough for every process to have started on a busy machine. */
const headStartMs = 5_000

interface Together {
  readonly rounds: number
  won: number
  more: number
  readonly wrong: string[]
}

export async function comeTogether(rounds: number, processes: number): Promise<Together> {
  const result: Together = { rounds, won: 0, more: 0, wrong: [] }
  for (let round = 0; round < rounds; round++) {
    const placed = await createRepository(monorepo)
    const { root } = placed
    const old = await treeDigest(root)
    for (const action of ['propose', 'approve'] as const) await runAction({ root, action })
    let ended = await migrateAtOnce(root, processes)
    // On a slow disk they may all give up because of each other. Then nothing was done, and they try again.
    for (let again = 0; again < 5 && ended.every(({ code }) => code === 'BUSY'); again++)
      ended = await migrateAtOnce(root, processes)
    const winners = ended.filter(({ status }) => status === 'completed').length
    if (winners === 1) result.won += 1
    else result.wrong.push(`${winners} of ${processes} migrated: ${ended.map(({ code }) => code).join(', ')}`)
    if (winners > 1) result.more += 1
    for (const { status, code } of ended) if (status === 'crashed') result.wrong.push(`a process crashed: ${code}`)
    if ((await runAction({ root, action: 'rollback' })).status !== 'rolled_back' || (await treeDigest(root)) !== old) {
      result.wrong.push('the old tree was not restored after a race')
    }
    await placed.remove()
  }
  return result
}

function migrateAtOnce(root: string, processes: number): Promise<ProcessResult[]> {
  const beginAtMs = Date.now() + headStartMs
  return Promise.all(Array.from({ length: processes }, () => runInProcess({ root, action: 'migrate', beginAtMs })))
}

export async function skipAlone(): Promise<{ tried: number; refused: number; wrong: string[] }> {
  const result = { tried: 0, refused: 0, wrong: [] as string[] }
  for (const generation of ['2025-11-25', '2026-07-28'] as const) {
    for (const before of [[], ['analyze'], ['propose'], ['propose', 'approve']] as const) {
      const placed = await createRepository(monorepo)
      for (const action of before) await runAction({ root: placed.root, action })
      result.tried += 1
      const { code } = await runAction({ root: placed.root, action: 'skip', canAsk: false, generation })
      const { status } = await runAction({ root: placed.root, action: 'status' })
      if (code === 'USER_APPROVAL_REQUIRED' && status !== 'skipped') result.refused += 1
      else result.wrong.push(`skip without a person on ${generation}: ${code}, ${status}`)
      await placed.remove()
    }
  }
  return result
}
