// The walk in docs/guide/onboarding.md, made anew: a repository, a client, a person who says yes, and a clock that stands.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { conflicting } from '../../packages/tools/src/onboarding/fixtures/repositories.corpus.ts'
import { agreeing, staged } from '../../packages/tools/src/onboarding/stage.suite.ts'

const keep = { C1: 'AGENTS.md:5', C2: 'AGENTS.md:6', C3: 'AGENTS.md:11', C4: 'AGENTS.md:13' }

/** What is said and asked at each step, by the name it has on the page. */
export async function onboardingWalk(): Promise<ReadonlyMap<string, string>> {
  const nowMs = () => Date.parse('2026-11-15T10:00:00.000Z')
  const stage = await staged(conflicting, { generation: '2026-07-28', person: agreeing, nowMs })
  try {
    const said = new Map<string, string>()
    const call = async (action: string, more: Record<string, unknown> = {}) => {
      const { text } = await stage.call(action, more)
      // The one thing that is different each time.
      said.set(action, text.replace(/backup\/[0-9a-f]{18}/g, 'backup/…'))
    }
    await call('analyze')
    await call('propose', { keep })
    for (const action of ['approve', 'migrate', 'rollback']) await call(action)
    for (const [index, action] of ['approve', 'migrate', 'rollback'].entries()) {
      said.set(`${action} asks`, stage.caller.shown[index]?.message ?? '')
    }
    said.set('trace', await traceOf(stage.root))
    return said
  } finally {
    await stage.remove()
  }
}

async function traceOf(root: string): Promise<string> {
  const folder = join(root, '.copilot-state/elicitation-traces')
  const name = (await readdir(folder)).find((each) => each.endsWith('-migrate.json')) ?? ''
  const trace = JSON.parse(await readFile(join(folder, name), 'utf8'))
  return `${name}\n\n${JSON.stringify({ ...trace, message: 'Change 2 files of this repository now? …' }, null, 2)}`
}
