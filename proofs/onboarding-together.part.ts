// Processes that migrate the same repository at once, and skips without a person.

import { place, treeDigest } from '../packages/tools/src/onboarding/fixtures/fixture.suite.ts'
import { monorepo } from '../packages/tools/src/onboarding/fixtures/repositories.corpus.ts'
import { runApart } from '../packages/tools/src/onboarding/killed.suite.ts'
import { rehearse } from '../packages/tools/src/onboarding/rehearsal.suite.ts'

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
    const placed = await place(monorepo)
    const { root } = placed
    const old = await treeDigest(root)
    for (const action of ['propose', 'approve'] as const) await rehearse({ root, action })
    const beginAtMs = Date.now() + headStartMs
    const ended = await Promise.all(
      Array.from({ length: processes }, () => runApart({ root, action: 'migrate', beginAtMs })),
    )
    const winners = ended.filter(({ status }) => status === 'completed').length
    if (winners === 1) result.won += 1
    else result.wrong.push(`${winners} of ${processes} migrated: ${ended.map(({ code }) => code).join(', ')}`)
    if (winners > 1) result.more += 1
    for (const { status, code } of ended) if (status === 'crashed') result.wrong.push(`a process crashed: ${code}`)
    if ((await rehearse({ root, action: 'rollback' })).status !== 'rolled_back' || (await treeDigest(root)) !== old) {
      result.wrong.push('the old tree did not come back after a race')
    }
    await placed.remove()
  }
  return result
}

export async function skipAlone(): Promise<{ tried: number; refused: number; wrong: string[] }> {
  const result = { tried: 0, refused: 0, wrong: [] as string[] }
  for (const generation of ['2025-11-25', '2026-07-28'] as const) {
    for (const before of [[], ['analyze'], ['propose'], ['propose', 'approve']] as const) {
      const placed = await place(monorepo)
      for (const action of before) await rehearse({ root: placed.root, action })
      result.tried += 1
      const { code } = await rehearse({ root: placed.root, action: 'skip', canAsk: false, generation })
      const { status } = await rehearse({ root: placed.root, action: 'status' })
      if (code === 'USER_APPROVAL_REQUIRED' && status !== 'skipped') result.refused += 1
      else result.wrong.push(`skip without a person on ${generation}: ${code}, ${status}`)
      await placed.remove()
    }
  }
  return result
}
