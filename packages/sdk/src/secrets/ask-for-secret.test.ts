import { describe, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
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

describe('the page of a secret is released', () => {
  const both = async ({ ask }: Interaction) => (await Promise.all([ask.text('Name?'), ask.secret('Key?')])).join(' ')
  const declined = { action: 'decline' }
  const never = () => new Promise<string>(() => undefined)

  test('[SDK-37] when another ask ends the call while the person enters the secret, on 2026-07-28', async () => {
    const { secrets, release } = pages()
    const waiting = { ...secrets, value: never }
    const play = roundsOf(createAssent({ secrets: waiting, log: false }).interactive, (_, given) => both(given))
    const { state } = await play()
    const last = await play(undefined, { state, answers: { 'ask-1': declined, 'ask-2': accept() } })
    expect(last.code).toBe('declined')
    expect(release).toHaveBeenCalledExactlyOnceWith('Key? 1')
  })

  test('[SDK-37] when another ask ends the call while the person enters the secret, on 2025', async () => {
    const { secrets, release } = pages()
    const surface: Surface = {
      name: 'client',
      refuses: () => undefined,
      put: async ({ question }) => ({
        kind: 'answered',
        answer: question.kind === 'url' ? accept() : await new Promise((resolve) => setImmediate(resolve, declined)),
      }),
    }
    const waiting = { ...secrets, value: never }
    const handler = createAssent({ secrets: waiting, log: false }).interactive<[], unknown, unknown>(both)
    expect(await handler(onSurface(surface))).toMatchObject({ isError: true })
    await vi.waitFor(() => expect(release).toHaveBeenCalledExactlyOnceWith('Key? 1'))
  })

  test('[SDK-37] when the handler makes a mistake before it reaches the secret again', async () => {
    const { secrets, release } = pages()
    let runs = 0
    const play = roundsOf(createAssent({ secrets, log: false }).interactive, async (_, { ask, step }) => {
      if (++runs > 1) await step('', () => 1)
      return ask.secret('Key?')
    })
    const { state } = await play()
    await expect(play(undefined, { state, answers: { 'ask-1': accept() } })).rejects.toThrow()
    expect(release).toHaveBeenCalledExactlyOnceWith('Key? 1')
  })

  test('[SDK-37] when it opens after its call has failed', async () => {
    const { secrets, release } = pages()
    const opening = Promise.withResolvers<void>()
    const open: Secrets['open'] = async (request) => {
      await opening.promise
      return secrets.open(request)
    }
    const play = roundsOf(
      createAssent({ secrets: { ...secrets, open }, log: false }).interactive,
      async (_, { ask }) => {
        await Promise.all([ask.secret('Key?'), Promise.reject(new Error('no disk'))])
        return ''
      },
    )
    await expect(play()).rejects.toThrow('no disk')
    expect(release).not.toHaveBeenCalled()
    opening.resolve()
    await vi.waitFor(() => expect(release).toHaveBeenCalledExactlyOnceWith('Key? 1'))
  })
})
