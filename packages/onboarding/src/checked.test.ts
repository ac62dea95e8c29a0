// For a client that supports it, each question marks the part that Assent checked itself: the plan, the diff, the list.

import { askCapability, readAskMeta, withoutChecked } from '@assent/core'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { expect, test } from 'vitest'
import { createRepository } from './fixtures/fixture.suite.ts'
import { monorepo } from './fixtures/repositories.corpus.ts'
import { acceptAll } from './test-env.suite.ts'
import { onboardingServer } from './test-server.suite.ts'

test('[ONBOARD-25] the plan, its diff and the list of files are marked as checked, and the agent cannot mark its own text', async () => {
  const placed = await createRepository(monorepo)
  const [near, far] = InMemoryTransport.createLinkedPair()
  const serving = serveStdio(onboardingServer({ folder: placed.root, home: placed.home }), { transport: far })
  const seen: { message: string; checked: string }[] = []
  const client = new Client(
    { name: 'gateway', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} }, experimental: { [askCapability]: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    seen.push({ message: params.message, checked: readAskMeta(params)?.checked ?? '' })
    return acceptAll(params as never) as never
  })
  await client.connect(near)
  try {
    for (const action of ['propose', 'approve', 'migrate', 'rollback']) {
      await client.callTool({ name: 'onboarding', arguments: { action } })
    }
    expect(seen).toHaveLength(3)
    const [approve, migrate, rollback] = seen
    for (const { checked } of [approve, migrate].map((one) => one ?? { checked: '' })) {
      expect(checked).toContain('+++ b/AGENTS.md')
      expect(checked).toContain('CLAUDE.md (changed)')
    }
    expect(rollback?.checked).toContain('AGENTS.md: unchanged since the migration')
    expect(withoutChecked(migrate?.message ?? '', migrate?.checked ?? '')).toMatch(
      /^Change \d+ files of this repository now\?/,
    )
    // Nothing but the question itself is outside: all other text is ours too.
    for (const { message, checked } of seen) expect(withoutChecked(message, checked)).toBe(message.split('\n')[0])
  } finally {
    await client.close()
    await serving.close()
    await placed.remove()
  }
})
