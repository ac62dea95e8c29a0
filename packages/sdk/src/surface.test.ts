import { randomBytes } from 'node:crypto'
import { createKeyRing, unseal } from '@assent/core'
import { expect, test, vi } from 'vitest'
import type { Description } from './ask/describe.ts'
import { createAssent } from './assent.ts'
import type { Interaction } from './interaction.ts'
import { callDigest } from './request.ts'
import { accept, answerAll, type RoundHandler, roundsOf } from './rounds.suite.ts'
import type { Secrets } from './server/secrets.ts'
import type { AssentSettings } from './server/server-context.ts'
import type { Reply, Surface } from './surface.ts'
import { onSurface } from './surface-context.ts'

function surfaceOf(name: Surface['name'], put: (description: Description) => Reply): Surface {
  return { name, refuses: () => undefined, put: async (description) => put(description) }
}

async function run(
  surface: Surface,
  handler: (interaction: Interaction) => Promise<string>,
  settings: AssentSettings = {},
) {
  const wrapped = createAssent(settings).interactive<[], unknown, unknown>(handler)
  return (await wrapped(onSurface(surface))) as { content: [{ text: string }]; _meta?: object }
}

test('[SDK-22] a handler asks on a surface and continues with the answer', async () => {
  const surface = surfaceOf('terminal', ({ kind }) => ({ kind: 'answered', answer: accept({ [kind]: 'typed' }) }))
  const handler = async ({ ask, step }: Interaction) =>
    `${await ask.text('Name?')} ${await step('n', () => 1)} ${await ask.secret('Password?')}`
  expect((await run(surface, handler)).content[0].text).toBe('typed 1 typed')
})

test('[SDK-17] [SDK-22] a surface that fails or disconnects is not a no', async () => {
  const codes: string[] = []
  const handler = async ({ ask }: Interaction) => {
    const answer = await ask.confirm('Sure?').catch((error: { code: string }) => codes.push(error.code))
    return String(answer)
  }
  await run({ ...surfaceOf('client', () => ({ kind: 'gone', why: 'x' })) }, handler)
  await run(
    surfaceOf('client', () => {
      throw new Error('broken')
    }),
    handler,
  )
  await run(
    surfaceOf('client', () => ({ kind: 'unsupported', why: 'x' })),
    handler,
  )
  expect(codes).toEqual(['channel_closed', 'channel_closed', 'not_supported'])
})

test('[SDK-4] [SDK-22] an ask that names its surface is not put on another one', async () => {
  const put = vi.fn((): Reply => ({ kind: 'answered', answer: accept({ text: 'x' }) }))
  const handler = async ({ ask }: Interaction) => ask.text('Name?', { surface: 'inbox' })
  expect((await run(surfaceOf('terminal', put), handler))._meta).toMatchObject({
    'assent/refusal': { code: 'not_supported' },
  })
  const play = roundsOf(createAssent().interactive, async (_, interaction) => handler(interaction))
  expect((await play()).code).toBe('not_supported')
  expect(put).not.toHaveBeenCalled()
})

test('[SDK-18] a link is put as a link, and accepting it means only that the person will open it', async () => {
  const play = roundsOf(createAssent().interactive, async (_, { ask }) =>
    String(await ask.url('Sign in?', 'https://example.com/in')),
  )
  const { questions } = await play()
  expect(Object.values(questions)).toEqual([{ mode: 'url', message: 'Sign in?', url: 'https://example.com/in' }])
  expect((await answerAll(play, { 'Sign in?': accept() })).text).toBe('undefined')
  expect((await answerAll(play, { 'Sign in?': accept({ done: true }) })).code).toBe('validation_failed')
})

const asksForPassword: RoundHandler = async (_, { ask }) => {
  const password = await ask.secret('What is the password?')
  const name = await ask.text('And the name?')
  return `${password.length} ${name}`
}

test('[SDK-18] without a page for it, no person is asked for a secret', async () => {
  const play = roundsOf(createAssent().interactive, asksForPassword)
  expect(await play()).toMatchObject({ code: 'not_supported', questions: {} })
})

test('[SDK-18] a secret is entered on a page that is opened once, and its value is in no state', async () => {
  const secret = 'correct horse battery staple'
  const pages: Secrets = {
    open: vi.fn(async () => ({ id: 's1', url: 'https://assent.example.com/s/s1' })),
    value: vi.fn(async () => secret),
  }
  const key = { id: 'k1', secret: randomBytes(32) }
  const states: string[] = []
  const { interactive } = createAssent({ secrets: pages, keys: [key] })
  const play = roundsOf(interactive, asksForPassword)
  const done = await answerAll(
    async (args, retry) => {
      const round = await play(args, retry)
      if (round.state !== undefined) states.push(round.state)
      return round
    },
    { 'What is the password?': accept(), 'And the name?': accept({ text: 'Ada' }) },
  )
  expect(done.text).toBe(`${secret.length} Ada`)
  expect(pages.open).toHaveBeenCalledTimes(1)
  expect(states).toHaveLength(2)
  const binding = {
    principal: 'local',
    purpose: 'journal',
    requestDigest: callDigest('tool', 'tool', [{ env: 'test' }]),
  }
  const journals = states.map((state) => unseal(createKeyRing([key]), state, { ...binding, nowMs: Date.now() }))
  expect(JSON.stringify(journals)).toContain('And the name?')
  expect(JSON.stringify(journals)).not.toContain(secret)
})

test('[SDK-18] a person who does not enter it has cancelled', async () => {
  const pages: Secrets = {
    open: async () => ({ id: 's1', url: 'https://assent.example.com/s/s1' }),
    value: async () => Promise.reject(new Error('closed')),
  }
  const play = roundsOf(createAssent({ secrets: pages }).interactive, asksForPassword)
  expect((await answerAll(play, { 'What is the password?': accept() })).code).toBe('cancelled')
  expect((await answerAll(play, { 'What is the password?': { action: 'decline' } })).code).toBe('declined')
})

test('[SDK-14] [SDK-22] a question that the handler does not wait for is withdrawn when it ends, without an unhandled rejection', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const withdrawn = vi.fn()
  const surface: Surface = {
    name: 'terminal',
    refuses: () => undefined,
    put: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          withdrawn()
          reject(new Error('withdrawn'))
        })
      }),
  }
  const result = await run(surface, async ({ ask }) => {
    await Promise.race([ask.text('Name?').then(String), new Promise((resolve) => setImmediate(resolve))])
    return 'done'
  })
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', unhandled)
  expect(result.content[0].text).toBe('done')
  expect(withdrawn).toHaveBeenCalledTimes(1)
  expect(unhandled).not.toHaveBeenCalled()
})

test('[SDK-12] [SDK-22] more open questions than allowed end the call, also if the handler catches that', async () => {
  const put = vi.fn((): Promise<Reply> => new Promise(() => undefined))
  const surface: Surface = { name: 'terminal', refuses: () => undefined, put }
  const asking = run(surface, async ({ ask }) => {
    const asks = Array.from({ length: 17 }, (_, n) => ask.text(`Question ${n}?`))
    await Promise.race(asks).catch(() => undefined)
    return 'done'
  })
  await expect(asking).rejects.toMatchObject({ code: 'limit_exceeded' })
  expect(put).toHaveBeenCalledTimes(16)
})

test('[SDK-11] [SDK-22] the work of a step cannot ask', async () => {
  const surface = surfaceOf('terminal', () => ({ kind: 'answered', answer: accept({ text: 'x' }) }))
  const asking = run(surface, async ({ ask, step }) => step('name', () => ask.text('Name?')))
  await expect(asking).rejects.toMatchObject({ code: 'misconfigured' })
})

test('[SDK-14] [SDK-22] a surface that ends a question by itself reports a timeout', async () => {
  const surface: Surface = { ...surfaceOf('client', () => ({ kind: 'expired' })), graceMs: 1_000 }
  const result = await run(surface, async ({ ask }) => ask.text('Name?'))
  expect(result._meta).toMatchObject({ 'assent/refusal': { code: 'timed_out' } })
})

test('[SDK-15] [SDK-22] a call that was cancelled before it asks is not asked', async () => {
  const put = vi.fn((): Reply => ({ kind: 'gone', why: 'x' }))
  const wrapped = createAssent().interactive<[], unknown, unknown>(async ({ ask }) => ask.text('Name?'), {
    name: 'tool',
  })
  const result = await wrapped(onSurface(surfaceOf('terminal', put), { signal: AbortSignal.abort() }))
  expect(result).toMatchObject({ _meta: { 'assent/refusal': { code: 'cancelled' } } })
  expect(put).not.toHaveBeenCalled()
})
