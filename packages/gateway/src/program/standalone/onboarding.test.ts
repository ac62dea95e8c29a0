// The tool `onboarding` as `npx assent` serves it: narration by the client's model, and its settings.

import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { aHome, type Home } from './windows.suite.ts'

vi.setConfig({ testTimeout: 120_000 })

async function aRepository(): Promise<Home> {
  const home = await aHome()
  onTestFinished(() => home.close())
  writeFileSync(join(home.project, 'AGENTS.md'), '# A\n\n- Always use pnpm as the package manager.\n')
  writeFileSync(join(home.project, 'CLAUDE.md'), '# A\n\n- Always use npm as the package manager.\n')
  return home
}

test('[ONBOARD-26] the model of a client that offers sampling writes the summary', async () => {
  const home = await aRepository()
  const prompts: string[] = []
  const window = await home.window('2025-11-25', undefined, {}, (params) => {
    prompts.push(JSON.stringify(params))
    if (prompts.length === 3) throw new Error('no model today')
    return 'Two files disagree about the package manager.'
  })
  for (const [action, status] of [
    ['analyze', 'analyzed'],
    ['propose', 'proposed'],
  ] as const) {
    const { data } = await window.call('onboarding', { action })
    expect(data).toMatchObject({
      status,
      narration: { by: 'model', text: 'Two files disagree about the package manager.' },
    })
  }
  const { data } = await window.call('onboarding', { action: 'analyze' })
  expect(data, 'a model that fails').toMatchObject({ status: 'analyzed', narration: { by: 'rules' } })
  expect(prompts).toHaveLength(3)
  expect(prompts[0]).toContain('pnpm')
  expect(prompts[0], 'metadata for our own gateway').not.toContain('assent/ask')
})

test('[ONBOARD-26] a 2026-07-28 client, where sampling is deprecated, is not asked for a summary', async () => {
  const home = await aRepository()
  const window = await home.window('2026-07-28', undefined, {}, () => {
    throw new Error('no model today')
  })
  const { data } = await window.call('onboarding', { action: 'analyze' })
  expect(data).toMatchObject({ status: 'analyzed', narration: { by: 'rules' } })
})

test('[ONBOARD-27] wait, folder and rollback time of onboarding can be set', async () => {
  const home = await aRepository()
  const variables = { ASSENT_ONBOARDING_WAIT: '1s', ASSENT_ONBOARDING_FOLDER: '.assent/onboarding' }
  const window = await home.window('2025-11-25', () => undefined, variables)
  await window.call('onboarding', { action: 'propose' })
  expect(existsSync(join(home.project, '.copilot-state'))).toBe(false)
  expect(readdirSync(join(home.project, '.assent/onboarding'))).toContain('proposal.json')
  const begunAt = performance.now()
  const { data } = await window.call('onboarding', { action: 'approve' })
  expect(data).toMatchObject({ status: 'canceled' })
  expect(performance.now() - begunAt).toBeLessThan(30_000)
})
