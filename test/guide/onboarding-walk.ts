// Regenerates the walkthrough of docs/guides/onboarding.md: a repository, a client, a person who accepts, a fixed clock.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { conflicting } from '../../packages/onboarding/src/fixtures/repositories.corpus.ts'
import { acceptAll, createTestEnv } from '../../packages/onboarding/src/test-env.suite.ts'

const keep = { C1: 'AGENTS.md:5', C2: 'AGENTS.md:6', C3: 'AGENTS.md:11', C4: 'AGENTS.md:13' }

/** The messages of each step, by their names on the page. */
export async function onboardingWalk(): Promise<ReadonlyMap<string, string>> {
  const nowMs = () => Date.parse('2026-11-15T10:00:00.000Z')
  const env = await createTestEnv(conflicting, { generation: '2026-07-28', person: acceptAll, nowMs })
  try {
    const said = new Map<string, string>()
    const call = async (action: string, more: Record<string, unknown> = {}) => {
      const { text } = await env.call(action, more)
      // The only value that differs between runs.
      said.set(action, text.replace(/backup\/[0-9a-f]{18}/g, 'backup/…'))
    }
    await call('analyze')
    await call('propose', { keep })
    for (const action of ['approve', 'migrate', 'rollback']) await call(action)
    for (const [index, action] of ['approve', 'migrate', 'rollback'].entries()) {
      said.set(`${action} asks`, env.caller.shown[index]?.message ?? '')
    }
    said.set('trace', await traceOf(env.root))
    return said
  } finally {
    await env.remove()
  }
}

async function traceOf(root: string): Promise<string> {
  const folder = join(root, '.copilot-state/elicitation-traces')
  const name = (await readdir(folder)).find((each) => each.endsWith('-migrate.json')) ?? ''
  const trace = JSON.parse(await readFile(join(folder, name), 'utf8'))
  return `${name}\n\n${JSON.stringify({ ...trace, message: 'Change 2 files of this repository now? …' }, null, 2)}`
}
