import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AssentError, isAssentError } from '@assent/core'
import { describe, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import { sdkLimits } from '../limits.ts'
import { accept, answerAll, type Retry, type RoundHandler, roundsOf } from '../rounds.suite.ts'
import type { AssentSettings } from '../server/server-context.ts'

const minuteMs = 60_000

function staged(handler: RoundHandler, settings: Parameters<typeof createAssent>[0] = {}) {
  return roundsOf(createAssent(settings).interactive, handler)
}

/** Lets the time pass after which a handler that does not repeat itself is stopped. */
async function stalled<Value>(play: () => Promise<Value>): Promise<Value> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const playing = play()
    await vi.advanceTimersByTimeAsync(0)
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(sdkLimits.repeatWithinMs)
    return await playing
  } finally {
    vi.useRealTimers()
  }
}

describe('a pause', () => {
  test('[SDK-9] runs nothing that follows it: no line, no catch, no finally, no step', async () => {
    const reached: string[] = []
    const play = staged(async (_, { ask, step }) => {
      reached.push('top')
      try {
        await ask.text('Name?')
        reached.push('after')
      } catch (error) {
        reached.push(`caught ${error}`)
      } finally {
        reached.push('finally')
      }
      await step('work', () => reached.push('work'))
      return 'done'
    })

    const first = await play()
    expect(Object.values(first.questions)).toMatchObject([{ message: 'Name?' }])
    expect(reached).toEqual(['top'])
    const last = await play(undefined, { state: first.state, answers: { 'ask-1': accept({ text: 'Ada' }) } })
    expect(last.text).toBe('done')
    expect(reached).toEqual(['top', 'top', 'after', 'finally', 'work'])
  })

  test('[SDK-9] ends the round even when the handler returns or throws in the meantime', async () => {
    const returns = staged(async (_, { ask }) => Promise.race([ask.text('Name?'), Promise.resolve('too early')]))
    expect((await returns()).state).toBeDefined()
    const throws = staged(async (_, { ask }) => {
      await Promise.all([ask.text('Name?'), Promise.reject(new Error('elsewhere'))])
      return ''
    })
    expect((await throws()).state).toBeDefined()
  })

  test('[SDK-8] [SDK-9] collects every question that is reached at once, and waits for running steps', async () => {
    const worked = vi.fn()
    const play = staged(async (_, { ask, step }) => {
      const branch = async () => {
        await step('slow', async () => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          worked()
          return 'slept'
        })
        return ask.text('After the step?')
      }
      const [a, b, c] = await Promise.all([ask.text('A?'), branch(), ask.text('C?')])
      return `${a}${b}${c}`
    })
    const first = await play()
    expect(Object.values(first.questions).map(({ message }) => message)).toEqual(['A?', 'C?', 'After the step?'])
    const answers = {
      'A?': accept({ text: 'a' }),
      'After the step?': accept({ text: 'b' }),
      'C?': accept({ text: 'c' }),
    }
    expect((await answerAll(play, answers)).text).toBe('abc')
    expect(worked).toHaveBeenCalledTimes(2)
  })

  test('[SDK-9] a question that the client did not answer is asked again, until its deadline', async () => {
    let nowMs = 1_000_000
    const play = staged(async (_, { ask }) => ask.text('Name?', { waitMs: minuteMs }), { nowMs: () => nowMs })
    const first = await play()
    nowMs += minuteMs - 1
    const second = await play(undefined, { state: first.state, answers: {} })
    expect(Object.keys(second.questions)).toEqual(['ask-1'])
    nowMs += 1
    const third = await play(undefined, { state: second.state, answers: { 'ask-1': accept({ text: 'late' }) } })
    expect(third.code).toBe('timed_out')
  })
})

describe('a paused handler', () => {
  test('[SDK-9] is released: nothing of it is held between rounds', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const held: WeakRef<object>[] = []
    const play = staged(async (_, { ask, step }) => {
      const mine = { large: new Array(1_000).fill(0) }
      held.push(new WeakRef(mine))
      await step('one', () => 1)
      await Promise.all([ask.text('Name?'), ask.text('Size?')])
      return String(mine.large.length)
    })
    for (let n = 0; n < 50; n++) expect((await play()).state).toBeDefined()
    await new Promise((resolve) => setTimeout(resolve, 10))
    collect()
    expect(held.filter((each) => each.deref() !== undefined).length).toBeLessThan(5)
  })
})

describe('order', () => {
  test('[SDK-10] a handler that asks something else than before is stopped with both named, whatever it catches', async () => {
    const questions = ['Which colour?', 'Which size?']
    const work = vi.fn()
    const play = staged(async (_, { ask, step }) => {
      const answer = await ask.text(questions.shift() ?? '').catch(() => 'caught')
      await step('work', work)
      return answer
    })
    const first = await play()
    const second = await stalled(() =>
      play(undefined, { state: first.state, answers: { 'ask-1': accept({ text: 'x' }) } }),
    )
    expect(second.code).toBe('out_of_order')
    expect(second.text).toContain('asked "Which colour?" before and asks "Which size?" now')
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-10] concurrent branches may take turns differently in each round', async () => {
    let waitMs = 30
    const play = staged(async (_, { ask, step }) => {
      const slow = async () => {
        await new Promise((resolve) => setTimeout(resolve, waitMs))
        return `${await ask.text('Slow one?')} ${await ask.text('Slow two?')}`
      }
      const stepping = async () => {
        const n = await step('n', () => 1)
        return `${n} ${await ask.text('Stepping one?')} ${await ask.text('Stepping two?')}`
      }
      const [a, b, c] = await Promise.all([slow(), stepping(), ask.text('Quick?')])
      waitMs = 1
      return `${a} ${b} ${c}`
    })
    const named = ['Slow one?', 'Slow two?', 'Stepping one?', 'Stepping two?', 'Quick?']
    const answers = Object.fromEntries(named.map((name) => [name, accept({ text: name.replace('?', '') })]))
    expect((await answerAll(play, answers)).text).toBe('Slow one Slow two 1 Stepping one Stepping two Quick')
  })

  test('[SDK-10] the same question asked several times has an answer each, in turn', async () => {
    const play = staged(async (_, { ask }) => {
      const said: string[] = []
      while (said.at(-1) !== 'stop') said.push(await ask.text('Next?'))
      return said.join(' ')
    })
    let round = await play()
    for (const text of ['a', 'b', 'a', 'stop']) {
      const [key = ''] = Object.keys(round.questions)
      round = await play(undefined, { state: round.state, answers: { [key]: accept({ text }) } })
    }
    expect(round.text).toBe('a b a stop')
  })

  test('[SDK-10] a server can set how long a handler may take to repeat itself', async () => {
    let max = 5
    const play = staged(async (_, { ask }) => String(await ask.number('How many?', { max: max++ })), {
      repeatWithinMs: 5,
    })
    const first = await play()
    const second = await play(undefined, { state: first.state, answers: { 'ask-1': accept({ number: 6 }) } })
    expect(second.code).toBe('out_of_order')
    for (const repeatWithinMs of [0, 1.5, 2 ** 31])
      expect(() => createAssent({ repeatWithinMs })).toThrow(expect.objectContaining({ code: 'misconfigured' }))
  })

  test('[SDK-10] the same words with other options, bounds or kind are another question', async () => {
    let max = 5
    const play = staged(async (_, { ask }) => String(await ask.number('How many?', { max: max++ })))
    const first = await play()
    const second = await stalled(() =>
      play(undefined, { state: first.state, answers: { 'ask-1': accept({ number: 6 }) } }),
    )
    expect(second.code).toBe('out_of_order')
  })
})

describe('mistakes in a handler', () => {
  const swallowing = (mistake: (interaction: Interaction) => Promise<unknown>): RoundHandler => {
    return async (_, interaction) => {
      await mistake(interaction).catch(() => undefined)
      return 'swallowed'
    }
  }

  test.each<[string, (interaction: Interaction) => Promise<unknown>]>([
    ['two steps of one name', async ({ step }) => [await step('a', () => 1), await step('a', () => 2)]],
    ['a step without a name', async ({ step }) => step('', () => 1)],
    ['a question inside a step', async ({ ask, step }) => step('a', () => ask.text('Name?'))],
    [
      'too many questions at once',
      async ({ ask }) => Promise.all(Array.from({ length: 17 }, (_, n) => ask.text(`${n}?`))),
    ],
  ])('[SDK-11] cannot be turned into a result by a catch: %s', async (_, mistake) => {
    await expect(staged(swallowing(mistake))()).rejects.toThrow(AssentError)
  })

  test('[SDK-29] a result that JSON cannot represent fails its step, and is not tried again', async () => {
    const work = vi.fn(() => 1n)
    const play = staged(async (_, { ask, step }) => {
      const failed = await step('big', work).catch((error: unknown) => isAssentError(error, 'step_failed'))
      await ask.text('Name?')
      return String(failed)
    })
    expect((await answerAll(play, { 'Name?': accept({ text: 'x' }) })).text).toBe('true')
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-33] a step whose result is declared too large for the state is not run', async () => {
    const work = vi.fn(() => 'x')
    const play = staged(async (_, { ask, step }) => {
      await step('big', work, { maxResultChars: sdkLimits.journalChars })
      return ask.text('Name?')
    })
    await expect(play()).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('The step "big" was not run'),
    })
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-12] a journal that would be too large to send ends the call', async () => {
    const play = staged(async (_, { ask, step }) => {
      await step('big', () => 'x'.repeat(sdkLimits.journalChars))
      return ask.text('Name?')
    })
    await expect(play()).rejects.toMatchObject({ code: 'limit_exceeded' })
  })

  test('[SDK-12] the number of asks and steps of a call is limited, and a step without a place is not run', async () => {
    const work = vi.fn()
    const play = staged(async (_, { step }) => {
      for (let n = 0; n <= sdkLimits.entries; n++) await step(`step ${n}`, work)
      return ''
    })
    await expect(play()).rejects.toMatchObject({ code: 'limit_exceeded' })
    expect(work).toHaveBeenCalledTimes(sdkLimits.entries)
  })

  test('[SDK-33] steps that run at once share the room of the state: one that would not fit beside another is not run', async () => {
    const work = vi.fn(async () => 'x'.repeat(90_000))
    const play = staged(async (_, { ask, step }) => {
      await Promise.all(['a', 'b'].map((name) => step(name, work, { maxResultChars: 100_000 })))
      return ask.text('Name?')
    })
    await expect(play()).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('The step "b" was not run'),
    })
    expect(work).toHaveBeenCalledTimes(1)
  })
})

describe('state', () => {
  const keys = [{ id: 'k1', secret: randomBytes(32) }]
  const refusals: string[] = []
  const work = vi.fn(() => 'ran')
  const assent = createAssent({ keys, onRefused: (reason) => refusals.push(reason) })
  const handler: RoundHandler = async (_, { ask, step }) => {
    const name = await ask.text('Name?')
    return `${await step('work', work)} ${name}`
  }
  const play = roundsOf(assent.interactive, handler)
  const answers = { 'ask-1': accept({ text: 'x' }) }

  test('[SDK-13] opens for the same person, tool and arguments, also in another process with the same keys', async () => {
    const { state } = await play({ env: 'a', n: 1 }, { sub: 'ann' })
    const elsewhere = roundsOf(createAssent({ keys }).interactive, handler)
    expect((await elsewhere({ n: 1, env: 'a' }, { sub: 'ann', state, answers })).text).toBe('ran x')
  })

  test.each<[string, string, () => Promise<{ code: string | undefined }>]>([
    [
      'another person',
      'other-principal',
      async () => play({ env: 'a' }, { sub: 'eve', answers, state: (await play({ env: 'a' }, { sub: 'ann' })).state }),
    ],
    [
      'a caller without a token',
      'other-principal',
      async () => play({ env: 'a' }, { answers, state: (await play({ env: 'a' }, { sub: 'ann' })).state }),
    ],
    [
      'other arguments',
      'other-request',
      async () => play({ env: 'b' }, { answers, state: (await play({ env: 'a' })).state }),
    ],
    [
      'another spelling of a number',
      'other-request',
      async () => play({ env: '1' }, { answers, state: (await play({ env: 1 })).state }),
    ],
    [
      'another set',
      'other-request',
      async () => play({ env: new Set(['b']) }, { answers, state: (await play({ env: new Set(['a']) })).state }),
    ],
    [
      'another tool',
      'other-request',
      async () =>
        roundsOf(assent.interactive, handler, { name: 'other' })(
          { env: 'a' },
          { answers, state: (await play({ env: 'a' })).state },
        ),
    ],
    [
      'another handler without a name',
      'other-request',
      async () =>
        roundsOf(
          assent.interactive,
          async (_, { ask }) => ask.text('Name?'),
          {},
        )({ env: 'a' }, { answers, state: (await roundsOf(assent.interactive, handler, {})({ env: 'a' })).state }),
    ],
    [
      'other keys',
      'unknown-key',
      async () =>
        roundsOf(createAssent({ onRefused: (reason) => refusals.push(reason) }).interactive, handler)(
          { env: 'a' },
          { answers, state: (await play({ env: 'a' })).state },
        ),
    ],
    [
      'a changed state',
      'tampered',
      async () => {
        // In the middle, because a changed last character can make the state malformed instead of tampered.
        const { state = '' } = await play({ env: 'a' })
        const middle = state.length >> 1
        const changed = state[middle] === 'A' ? 'B' : 'A'
        return play({ env: 'a' }, { answers, state: state.slice(0, middle) + changed + state.slice(middle + 1) })
      },
    ],
    ['a text that is not a state', 'malformed', () => play({ env: 'a' }, { answers, state: 'eyJyb3VuZCI6MX0' })],
  ])('[SDK-13] does not open for %s, and nothing runs', async (_, reason, attempt) => {
    work.mockClear()
    refusals.length = 0
    expect((await attempt()).code).toBe('state_refused')
    expect(refusals).toEqual([reason])
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-13] a function without source text must be named', () => {
    const bound = handler.bind(undefined)
    expect(() => assent.interactive(bound as never)).toThrow('{ name }')
    expect(assent.interactive(bound as never, { name: 'bound' })).toBeTypeOf('function')
  })

  test('[SDK-13] arguments without a digest are refused at once', async () => {
    await expect(play({ env: new AbortController() })).rejects.toMatchObject({ code: 'misconfigured' })
  })

  test('[SDK-13] the principal is the one that the server passes, else the subject of the token, else the token', async () => {
    const retried = async (first: Retry, second: Retry, settings: AssentSettings = {}) => {
      const again = roundsOf(createAssent(settings).interactive, handler)
      return (await again({ env: 'a' }, { ...second, answers, state: (await again({ env: 'a' }, first)).state })).code
    }
    expect(await retried({ sub: 'ann', token: 'old' }, { sub: 'ann', token: 'fresh' })).toBeUndefined()
    expect(await retried({ token: 'one' }, { token: 'one' })).toBeUndefined()
    expect(await retried({ token: 'one' }, { token: 'two' })).toBe('state_refused')
    expect(await retried({ sub: 'ann' }, { sub: 'eve' }, { principal: () => 'us all' })).toBeUndefined()
    await expect(retried({}, {}, { principal: () => undefined })).rejects.toMatchObject({ code: 'misconfigured' })
  })
})
