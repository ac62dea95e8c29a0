import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import {
  type Caller,
  type ConnectedHandler,
  connectionKinds,
  type Person,
  type Question,
} from '../connections.suite.ts'
import { sdkLimits } from '../limits.ts'

let open: Caller | undefined
afterEach(async () => {
  vi.useRealTimers()
  await open?.close()
  open = undefined
})

const silent: Person = () => new Promise(() => undefined)
/** For a busy machine. */
const patience = { timeout: 30_000 }

/** SDK 1.x clients ignore the cancellation of request 0, the first of a server; so another question is sent first. */
const first = 'Ready?'
const ready = { action: 'accept', content: { confirmed: true } }

describe.each(connectionKinds.filter(({ revision }) => revision !== '2026-07-28'))('$revision: $name', (way) => {
  async function play(handler: ConnectedHandler, person: Person): Promise<Caller> {
    open = await way.open({ assent: createAssent({ name: 'staged' }), tools: { tool: handler }, person })
    return open
  }

  test('[SDK-14] the timeout is the ask’s own, and after it the question is withdrawn', async () => {
    const withdrawn = vi.fn()
    const caller = await play(
      async (_, { ask }) => {
        await ask.confirm(first)
        return ask.text('Name?', { waitMs: 1_000 })
      },
      ({ message }, signal) => {
        if (message === first) return ready
        signal?.addEventListener('abort', withdrawn)
        return silent({ message: '' })
      },
    )
    const result = await caller.call('tool')
    expect(result.meta).toMatchObject({ 'assent/refusal': { code: 'timed_out' } })
    expect(result.text).toContain('No person answered "Name?" in time')
    await vi.waitFor(() => expect(withdrawn).toHaveBeenCalled(), patience)
  })

  test('[SDK-15] cancelling the call withdraws its question, and the handler gets an error', async () => {
    const codes: unknown[] = []
    const withdrawn = vi.fn()
    const cancelling = new AbortController()
    const caller = await play(
      async (_, { ask }) => {
        await ask.confirm(first)
        return ask.text('Name?').catch((error: { code: string }) => String(codes.push(error.code)))
      },
      ({ message }, signal) => {
        if (message === first) return ready
        signal?.addEventListener('abort', withdrawn)
        setImmediate(() => cancelling.abort())
        return silent({ message: '' })
      },
    )
    await expect(caller.call('tool', undefined, { signal: cancelling.signal })).rejects.toThrow()
    await vi.waitFor(() => expect(codes).toEqual(['cancelled']), patience)
    await vi.waitFor(() => expect(withdrawn).toHaveBeenCalled(), patience)
  })

  test('[SDK-14] questions that are open when the handler ends are withdrawn', async () => {
    const withdrawn = vi.fn()
    let asked: () => void = () => undefined
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const caller = await play(
      async (_, { ask }) => {
        await ask.confirm(first)
        await Promise.race([ask.text('Name?'), isAsked])
        return 'done without it'
      },
      ({ message }, signal) => {
        if (message === first) return ready
        signal?.addEventListener('abort', withdrawn)
        asked()
        return silent({ message: '' })
      },
    )
    expect((await caller.call('tool')).text).toBe('done without it')
    await vi.waitFor(() => expect(withdrawn).toHaveBeenCalled(), patience)
  })

  test('[SDK-19] labels travel in the shape that the revision defines', async () => {
    const asked: Question[] = []
    const caller = await play(
      async (_, { ask }) => ask.choose('Which?', { eu: 'Europe', us: 'United States' }),
      (question) => {
        asked.push(question)
        return { action: 'accept', content: { choice: 'us' } }
      },
    )
    expect((await caller.call('tool')).text).toBe('us')
    // Both 2025 revisions define `enumNames`, so it is used if the revision is unknown.
    const shape =
      way.revision === '2025-06-18' || way.isUnknown === true
        ? { enum: ['eu', 'us'], enumNames: ['Europe', 'United States'] }
        : {
            oneOf: [
              { const: 'eu', title: 'Europe' },
              { const: 'us', title: 'United States' },
            ],
          }
    expect(asked[0]?.requestedSchema?.properties.choice).toMatchObject(shape)
  })

  test('[ANSWER-1] an answer that `validate` refuses is asked for again, with the reason', async () => {
    const asked: string[] = []
    const caller = await play(
      async (_, { ask }) => ask.text('Name?', { validate: (name) => (name === 'root' ? 'that name is taken.' : true) }),
      ({ message }) => {
        asked.push(message)
        return { action: 'accept', content: { text: asked.length === 1 ? 'root' : 'ada' } }
      },
    )
    expect((await caller.call('tool')).text).toBe('ada')
    expect(asked).toEqual(['Name?', 'Name?\n\nYour last answer was not accepted: that name is taken.'])
  })

  test('[ANSWER-5] an answer that does not fit is an error with the reason, and is not asked again', async () => {
    const asked: string[] = []
    const caller = await play(
      async (_, { ask }) => String(await ask.number('Tempo?', { min: 60, max: 180 })),
      ({ message }) => {
        asked.push(message)
        return { action: 'accept', content: { number: 200 } }
      },
    )
    const result = await caller.call('tool')
    expect(result.meta).toMatchObject({ 'assent/refusal': { code: 'validation_failed' } })
    expect(result.text).toMatch(/^The answer to "Tempo\?" is not valid: number:? must be (?:180 or less|<= 180)/i)
    expect(asked).toEqual(['Tempo?'])
  })

  test('[SDK-19] what the revision cannot express is not asked', async () => {
    const caller = await play(
      async (_, { ask }) => (await ask.chooseMany('Which?', ['a', 'b', 'c'])).join(' '),
      () => ({ action: 'accept', content: { choices: ['a', 'c'] } }),
    )
    const result = await caller.call('tool')
    if (way.revision === '2025-06-18' && way.isUnknown !== true)
      expect(result.meta).toMatchObject({ 'assent/refusal': { code: 'not_supported' } })
    else expect(result.text).toBe('a c')
  })
})

describe('in memory', () => {
  const sdk1 = connectionKinds.find(({ name }) => name === 'SDK 1 in memory')

  test('[SDK-16] while a person thinks, the caller gets progress on its own token', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const reported: number[] = []
    let answer: (value: unknown) => void = () => undefined
    open = await sdk1?.open({
      assent: createAssent(),
      tools: { tool: async (_, { ask }) => ask.text('Name?') },
      person: () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    })
    const result = open?.call('tool', undefined, { onprogress: ({ progress }) => reported.push(progress) })
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), patience)
    await vi.advanceTimersByTimeAsync(3 * sdkLimits.progressEveryMs)
    expect(reported).toEqual([1, 2, 3])
    answer({ action: 'accept', content: { text: 'Ada' } })
    expect((await result)?.text).toBe('Ada')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('[SDK-17] a client that disconnects while it is asked does not count as one that declined', async () => {
    const codes: unknown[] = []
    let leave: () => void = () => undefined
    open = await sdk1?.open({
      assent: createAssent(),
      tools: {
        tool: async (_, { ask, context }) => {
          // The call itself is cancelled when its connection closes, so only the question's own end is checked here.
          expect(context).toBeDefined()
          return ask.text('Name?').catch((error: { code: string }) => String(codes.push(error.code)))
        },
      },
      person: () => {
        setImmediate(leave)
        return silent({ message: '' })
      },
    })
    leave = () => void open?.close()
    await open?.call('tool').catch(() => undefined)
    await vi.waitFor(() => expect(codes).toHaveLength(1), patience)
    expect(['channel_closed', 'cancelled']).toContain(codes[0])
  })

  test('[SDK-4] with SDK 1.x a handler without its server asks no person, and the error shows what to write', async () => {
    const { interactive } = createAssent()
    const wrapped = interactive<[object], unknown, unknown>(async (_, { ask }) => ask.text('Name?'))
    const sendRequest = vi.fn()
    await expect(wrapped({}, { sendRequest, signal: new AbortController().signal })).rejects.toThrow('{ server }')
    expect(sendRequest).not.toHaveBeenCalled()
  })

  test('[SDK-4] a call from an unknown caller asks no person', async () => {
    const { interactive } = createAssent()
    const wrapped = interactive<[object], unknown, unknown>(async (_, { ask }) => ask.text('Name?'))
    for (const context of [undefined, null, {}, { mcpReq: null }, 'x']) {
      await expect(wrapped({}, context)).rejects.toMatchObject({ code: 'misconfigured' })
    }
  })
})
