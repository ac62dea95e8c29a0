import { expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import { accept, roundsOf } from '../rounds.suite.ts'
import type { Secrets } from '../server/secrets.ts'
import type { Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'

function pages() {
  let opened = 0
  const release = vi.fn(async () => undefined)
  const open = vi.fn(async ({ prompt }: { prompt: string }) => {
    opened++
    return { id: `${prompt} ${opened}`, url: `https://gateway.example/${opened}` }
  })
  const secrets: Secrets = { open, value: async (id) => `value of ${id}`, release }
  return { secrets, open, release }
}

test('[SDK-37] the page of a declined secret is released, on 2025', async () => {
  const { secrets, release } = pages()
  const surface: Surface = {
    name: 'client',
    refuses: () => undefined,
    put: async () => ({ kind: 'answered', answer: { action: 'decline' } }),
  }
  const handler = createAssent({ secrets }).interactive<[], unknown, unknown>(async ({ ask }) => ask.secret('Key?'))
  expect(await handler(onSurface(surface))).toMatchObject({ isError: true })
  expect(release).toHaveBeenCalledExactlyOnceWith('Key? 1')
})

test('[SDK-37] the page of a declined secret is released when the call ends, on 2026-07-28', async () => {
  const { secrets, release } = pages()
  const play = roundsOf(createAssent({ secrets }).interactive, async (_, { ask }) => {
    const key = await ask.secret('Key?').catch(() => 'none')
    return `${key} ${await ask.text('Name?')}`
  })
  const first = await play()
  const second = await play(undefined, { state: first.state, answers: { 'ask-1': { action: 'decline' } } })
  expect(release).not.toHaveBeenCalled()
  const last = await play(undefined, { state: second.state, answers: { 'ask-2': accept({ text: 'Ada' }) } })
  expect(last.text).toBe('none Ada')
  expect(release).toHaveBeenCalledExactlyOnceWith('Key? 1')
})

test('[SDK-28] [SDK-37] a step called "secret 1" is another one than ours, and parallel secrets keep their pages', async () => {
  const { secrets, open } = pages()
  let isSlow = false
  const play = roundsOf(createAssent({ secrets }).interactive, async (_, { ask, step }) => {
    const mine = await step('secret 1', () => 'mine')
    const first = async () => {
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 5))
      return ask.secret('One?')
    }
    const both = await Promise.all([first(), ask.secret('Two?')])
    return `${mine}, ${both.join(', ')}`
  })
  const { state } = await play()
  isSlow = true
  const last = await play(undefined, { state, answers: { 'ask-1': accept(), 'ask-2': accept() } })
  expect(last.text).toBe('mine, value of One? 1, value of Two? 2')
  expect(open).toHaveBeenCalledTimes(2)
})
