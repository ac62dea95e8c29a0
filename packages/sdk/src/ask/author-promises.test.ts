import { AssentError } from '@assent/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import { accept, roundsOf } from '../rounds.suite.ts'
import type { Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'
import { AuthorPromises } from './author-promises.ts'

const unhandled = vi.fn()
beforeEach(() => {
  unhandled.mockClear()
  process.on('unhandledRejection', unhandled)
})
afterEach(() => {
  process.off('unhandledRejection', unhandled)
})

/** Unhandled rejections are reported after the microtasks of a turn. */
const nextTurns = () => new Promise((resolve) => setTimeout(resolve, 5))

type Handler = (interaction: Interaction) => Promise<string>
const answersOf: Readonly<Record<string, unknown>> = {
  'Name?': { action: 'decline' },
  'Size?': accept({ text: 'xl' }),
  'Go?': accept({ decision: 'approve' }),
}

interface Result {
  readonly text: string
  readonly code?: string
}

async function live(handler: Handler, onError = vi.fn()): Promise<Result> {
  const surface: Surface = {
    name: 'client',
    refuses: () => undefined,
    put: async ({ question }, { signal }) => {
      const answer = answersOf[question.kind === 'approval' ? question.title : question.message]
      if (answer !== undefined) return { kind: 'answered', answer: question.kind === 'approval' ? accept() : answer }
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ kind: 'gone', why: 'withdrawn' }), { once: true }),
      )
    },
  }
  const wrapped = createAssent({ log: onError }).interactive<[], unknown, unknown>(handler, { name: 'tool' })
  try {
    const result = (await wrapped(onSurface(surface))) as { content: [{ text: string }]; _meta?: object }
    return { text: result.content[0].text }
  } catch (error) {
    return { text: (error as Error).message, code: (error as AssentError).code }
  } finally {
    await nextTurns()
  }
}

async function replayed(handler: Handler, onError = vi.fn()): Promise<Result> {
  const play = roundsOf(createAssent({ log: onError }).interactive, (_, interaction) => handler(interaction))
  try {
    let round = await play()
    for (let rounds = 0; round.state !== undefined && rounds < 5; rounds++) {
      const answers = Object.entries(round.questions).flatMap(([key, { message }]) => {
        const answer = answersOf[message.split('\n')[0]?.replace('Approve: ', '') ?? '']
        return answer === undefined ? [] : [[key, answer]]
      })
      round = await play(undefined, { state: round.state, answers: Object.fromEntries(answers) })
    }
    return { text: round.text }
  } catch (error) {
    return { text: (error as Error).message, code: (error as AssentError).code }
  } finally {
    await nextTurns()
  }
}

const ways = [
  ['2025', live],
  ['2026-07-28', replayed],
] as const

describe.each(ways)('on %s', (_, call) => {
  test.each<[string, (interaction: Interaction) => unknown]>([
    ['gate', ({ gate }) => gate({ title: 'Pay', arguments: {} }, () => 'paid')],
    ['ask.all', ({ ask }) => ask.all({ town: ask.text('Town?') })],
    ['ask.secret', ({ ask }) => ask.secret('Key?')],
    ['ask', ({ ask }) => ask.text('Town?')],
    ['ask.withComment', ({ ask }) => ask.withComment(ask.confirm('Town?'))],
    [
      'a derived promise',
      ({ ask }) =>
        ask
          .text('Name?')
          .then(String)
          .finally(() => undefined),
    ],
    ['step', ({ step }) => step('fails', () => Promise.reject(new Error('no disk')))],
  ])('[SDK-24] a "no" while %s is open ends the call, not the process', async (_, begin) => {
    const result = await call(async (interaction) => {
      const begun = begin(interaction)
      const name = await interaction.ask.text('Name?')
      await begun
      return name
    })
    expect(result.text).toContain('The person declined "Name?"')
    expect(unhandled).not.toHaveBeenCalled()
  })

  test('[SDK-25] a handler that returns without awaiting its ask fails, and nothing more runs', async () => {
    const deleted = vi.fn()
    const result = await call(async ({ ask }) => {
      void ask.approve('Delete all?', { all: true })
      deleted()
      return 'deleted'
    })
    expect(result).toEqual({
      code: 'misconfigured',
      text: 'The ask "Delete all?" was not awaited, so its answer could not count. Write `await` before it.',
    })
    expect(deleted).toHaveBeenCalledTimes(1)
    expect(unhandled).not.toHaveBeenCalled()
  })

  test('[SDK-25] the error for a gate that was not awaited and whose work ran says that it may have run', async () => {
    const ran = Promise.withResolvers<void>()
    const result = await call(async ({ gate }) => {
      void gate({ title: 'Go?', arguments: {} }, () => ran.resolve())
      await ran.promise
      return 'done'
    })
    expect(result).toEqual({
      code: 'misconfigured',
      text: 'The gate "Go?" was approved and its work may have run, but it was not awaited, so its result is lost. Write `await` before it.',
    })
  })

  test.each<[string, (interaction: Interaction, work: () => string) => Promise<unknown>]>([
    ['step', ({ step }, work) => step('delete', work)],
    ['gate', ({ gate }, work) => gate({ title: 'Size?', arguments: {} }, work)],
  ])('[SDK-25] no %s starts after an approval that was not awaited', async (_, begin) => {
    const work = vi.fn(() => 'deleted')
    const result = await call(async (interaction) => {
      void interaction.ask.approve('Delete all?', { all: true })
      await interaction.ask.text('Size?')
      await begin(interaction, work)
      return 'done'
    })
    expect(work).not.toHaveBeenCalled()
    expect(result.text).not.toBe('done')
  })

  test.each<[string, (interaction: Interaction, work: () => string) => Promise<unknown>]>([
    ['step', ({ step }, work) => step('delete', work)],
    ['gate', ({ gate }, work) => gate({ title: 'Go?', arguments: {} }, work)],
  ])('[SDK-25] no %s starts while the approval of a gate is open that was not awaited', async (_, begin) => {
    const work = vi.fn(() => 'deleted')
    const result = await call(async (interaction) => {
      void interaction.gate({ title: 'Unanswered', arguments: {} }, work)
      await begin(interaction, work)
      return 'done'
    })
    expect(work).not.toHaveBeenCalled()
    expect(result.text).not.toBe('done')
  })

  test('[SDK-25] a step runs beside a gate that is awaited together with it, and after one that was approved', async () => {
    const work = vi.fn(() => 'built')
    const result = await call(async ({ ask, gate, step }) => {
      const approved = gate({ title: 'Go?', arguments: {} }, () => 'ran')
      await Promise.all([approved, step('build', work)])
      const later = gate({ title: 'Go?', arguments: { again: true } }, () => 'ran')
      await ask.text('Size?')
      await step('after', work)
      return (await later).value
    })
    expect(result.text).toBe('ran')
    expect(work).toHaveBeenCalledTimes(2)
  })

  test('[SDK-25] a step beside an approval that is awaited together with it runs', async () => {
    const work = vi.fn(() => 'built')
    await call(async ({ ask, step }) => {
      await Promise.all([ask.approve('Go?', {}), step('build', work)])
      return ''
    })
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-25] returning the promise of an ask, or racing it, counts as awaiting it', async () => {
    expect((await call(({ ask }) => ask.text('Size?'))).text).toBe('xl')
    expect((await call(async ({ ask }) => Promise.race([ask.text('Size?')]))).text).toBe('xl')
  })

  test.each<[string, (asked: Promise<unknown>, work: () => void) => unknown]>([
    ['then', (asked, work) => asked.then(work)],
    ['catch', (asked, work) => asked.catch(work)],
    ['finally', (asked, work) => asked.finally(work)],
    ['then and then', (asked, work) => asked.then(String).then(work)],
  ])(
    '[SDK-25] %s alone does not count as awaiting an ask: the promise that it returns has to be awaited',
    async (_, attach) => {
      const result = await call(async ({ ask }) => {
        void attach(ask.text('Town?'), () => undefined)
        return 'done'
      })
      expect(result).toMatchObject({ code: 'misconfigured', text: expect.stringContaining('"Town?" was not awaited') })
      const awaited = await call(async ({ ask }) => {
        await attach(ask.text('Size?'), () => undefined)
        return 'done'
      })
      expect(awaited.text).toBe('done')
      expect(unhandled).not.toHaveBeenCalled()
    },
  )

  test('[SDK-25] no step starts after an approval whose `then` is not awaited, and one beside it does', async () => {
    const work = vi.fn()
    const result = await call(async ({ ask, step }) => {
      void ask.approve('Delete all?', {}).then(() => work('approved'))
      await ask.text('Size?')
      await step('delete', () => work('step'))
      return 'done'
    })
    expect(result.text).not.toBe('done')
    expect(work).not.toHaveBeenCalled()
    await call(async ({ ask, step }) => {
      await Promise.all([ask.approve('Go?', {}).then(String), step('build', () => work('build'))])
      return ''
    })
    expect(work).toHaveBeenCalledExactlyOnceWith('build')
  })

  test.each<[string, (interaction: Interaction, title: string, work: () => string) => Promise<unknown>]>([
    ['ask.withComment', ({ ask }, title) => ask.withComment(ask.approve(title, {}))],
    ['ask.all', ({ ask }, title) => ask.all({ deleted: ask.approve(title, {}) })],
    ['ask.all and then', ({ ask }, title) => ask.all({ deleted: ask.approve(title, {}).then(String) })],
    ['ask.all and withComment', ({ ask }, title) => ask.all({ deleted: ask.withComment(ask.approve(title, {})) })],
    ['ask.all and a gate', ({ ask, gate }, title, work) => ask.all({ deleted: gate({ title, arguments: {} }, work) })],
  ])('[SDK-25] no step starts after an unawaited approval in %s, and one beside it does', async (_, begin) => {
    const work = vi.fn(() => 'deleted')
    const result = await call(async (interaction) => {
      void begin(interaction, 'Delete all?', work)
      await interaction.step('delete', work)
      return 'done'
    })
    expect(work).not.toHaveBeenCalled()
    expect(result.text).toContain('The ask "Delete all?" was not awaited')
    await call(async (interaction) => {
      await Promise.all([begin(interaction, 'Go?', () => ''), interaction.step('build', work)])
      return ''
    })
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-25] a promise of another library that takes an ask over counts as awaiting it', async () => {
    class Adopted {
      readonly #value: Promise<unknown>
      constructor(asked: Promise<unknown>) {
        this.#value = new Promise((resolve, reject) => void asked.then((value) => resolve(value), reject))
      }
      value() {
        return this.#value
      }
    }
    expect((await call(async ({ ask }) => String(await new Adopted(ask.text('Size?')).value()))).text).toBe('xl')
  })

  test('[SDK-26] the stack of a refused ask includes the line of the handler', async () => {
    const stacks: string[] = []
    async function authorsOwnFunction({ ask }: Interaction) {
      await ask.text('Size?')
      try {
        await ask.text('Name?')
      } catch (error) {
        stacks.push(String((error as Error).stack))
      }
      return 'caught'
    }
    await call(authorsOwnFunction)
    expect(stacks.at(-1)).toContain('authorsOwnFunction')
  })

  test('[SDK-27] a rejection that the handler never observed is reported', async () => {
    const onError = vi.fn()
    await call(async ({ ask, step }) => {
      void step('lost', () => Promise.reject(new Error('no disk')))
      await ask.text('Size?')
      return 'done'
    }, onError)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'step_failed', message: 'no disk' }))
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('a rejection of a derived promise', () => {
  const noDisk = () => Promise.reject(new AssentError('step_failed', 'no disk'))
  const chains: readonly [string, (step: Promise<unknown>) => unknown, string][] = [
    ['then', (step) => step.then(String), 'no disk'],
    ['finally', (step) => step.finally(() => undefined), 'no disk'],
    ['then and finally', (step) => step.then(String).finally(() => undefined), 'no disk'],
    ['two of then', (step) => [step.then(String), step.then(Number)], 'no disk'],
    ['catch that throws', (step) => step.catch(() => Promise.reject(new TypeError('typo'))), 'typo'],
    ['then with a second function that throws', (step) => step.then(String, () => JSON.parse('{')), 'JSON'],
  ]

  test.each(chains)(
    '[SDK-27] is reported once if nothing observed it, before and after the end: %s',
    async (...row) => {
      const [, attach, message] = row
      for (const isLate of [false, true]) {
        const onError = vi.fn()
        const promises = new AuthorPromises(onError)
        const failing = Promise.withResolvers<never>()
        attach(promises.guard({ kind: 'step', label: 'lost' }, () => failing.promise))
        if (isLate) promises.end()
        noDisk().catch(failing.reject)
        await nextTurns()
        if (!isLate) promises.end()
        expect(onError).toHaveBeenCalledExactlyOnceWith(
          expect.objectContaining({ message: expect.stringContaining(message) }),
        )
      }
      expect(unhandled).not.toHaveBeenCalled()
    },
  )

  test('[SDK-27] is reported if the function of the author throws after a step that was done', async () => {
    const onError = vi.fn()
    const promises = new AuthorPromises(onError)
    void promises
      .guard({ kind: 'step', label: 'done' }, async () => 1)
      .then(() => Promise.reject(new TypeError('typo')))
    await nextTurns()
    promises.end()
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: 'typo' }))
  })

  test.each<[string, (step: Promise<unknown>) => unknown]>([
    ['it was caught', (step) => step.then(String).catch(() => 'none')],
    ['the handler awaited the step itself', (step) => [step.finally(() => undefined), Promise.allSettled([step])]],
  ])('[SDK-27] is not reported if %s', async (_, attach) => {
    const onError = vi.fn()
    const promises = new AuthorPromises(onError)
    attach(promises.guard({ kind: 'step', label: 'known' }, noDisk))
    await nextTurns()
    promises.end()
    await nextTurns()
    expect(onError).not.toHaveBeenCalled()
  })

  test('[SDK-27] is not reported for an ask that was withdrawn because the handler had ended', async () => {
    const onError = vi.fn()
    const promises = new AuthorPromises(onError)
    const withdrawn = Promise.withResolvers<never>()
    void promises.guard({ kind: 'ask', label: 'Name?' }, () => withdrawn.promise).then(String)
    promises.end()
    withdrawn.reject(new AssentError('cancelled', 'withdrawn'))
    await nextTurns()
    expect(onError).not.toHaveBeenCalled()
  })
})

test('[SDK-27] a step that fails after the handler has ended is reported once', async () => {
  const onError = vi.fn()
  const promises = new AuthorPromises(onError)
  const failing = Promise.withResolvers<never>()
  void promises.guard({ kind: 'step', label: 'late' }, () => failing.promise)
  promises.end()
  expect(onError).not.toHaveBeenCalled()
  failing.reject(new AssentError('step_failed', 'late'))
  await nextTurns()
  expect(onError).toHaveBeenCalledTimes(1)
  expect(unhandled).not.toHaveBeenCalled()
})
