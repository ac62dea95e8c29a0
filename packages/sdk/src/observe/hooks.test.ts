import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import { callTool } from '../testing/call-tool.ts'
import { type ScriptedPerson, scriptedPerson } from '../testing/person.ts'
import type { Hooks, LogEntry } from './hooks.ts'
import { storeThatCannotFinish } from './store.suite.ts'

function observing() {
  const events: unknown[][] = []
  const note = (name: string) => (event: object) => void events.push([name, event])
  const on: Hooks = {
    asked: note('asked'),
    answered: note('answered'),
    stepped: note('stepped'),
    refused: note('refused'),
    diverged: note('diverged'),
  }
  const log: LogEntry[] = []
  const assent = createAssent({ name: 'acme', on, log: (entry) => void log.push(entry) })
  return { assent, events, log, names: () => events.map(([name]) => name) }
}

describe.each(['2025-11-25', '2026-07-28'] as const)('on %s', (revision) => {
  const call = (
    { assent }: ReturnType<typeof observing>,
    handler: (interaction: Interaction) => Promise<string>,
    person: ScriptedPerson = scriptedPerson(),
  ) => callTool(assent.interactive(handler, { name: 'deploy' }), undefined, { person, revision })

  test('[OBSERVE-1] every ask, answer and step is reported once, in order, however often the handler runs', async () => {
    const observed = observing()
    await call(
      observed,
      async ({ ask, step }) => {
        await ask.text('Name?')
        await step('build', () => 1)
        await ask.confirm('Sure?', { risk: 'notable' })
        await ask.text('Name?')
        return 'done'
      },
      scriptedPerson().accepts('very private').declines().accepts('x'),
    )
    expect(observed.names()).toEqual(['asked', 'answered', 'stepped', 'asked', 'answered', 'asked', 'answered'])
    const call1 = { handler: 'deploy', callId: expect.stringMatching(/^call_/) }
    expect(observed.events[0]).toEqual(['asked', { ...call1, kind: 'text', question: 'Name?', risk: 'harmless' }])
    expect(observed.events[2]).toEqual([
      'stepped',
      { ...call1, step: 'build', outcome: 'done', durationMs: expect.any(Number) },
    ])
    expect(observed.events[4]).toMatchObject([
      'answered',
      { ...call1, kind: 'confirm', risk: 'notable', outcome: 'declined', askId: expect.stringMatching(/^ask_/) },
    ])
    expect(JSON.stringify(observed.events)).not.toContain('private')
    expect(observed.log).toEqual([])
  })

  test('[OBSERVE-1] a refusal that the handler did not catch is reported with its code', async () => {
    const observed = observing()
    await call(observed, async ({ ask }) => ask.text('Name?'), scriptedPerson().declines())
    expect(observed.events.at(-1)).toMatchObject(['refused', { handler: 'deploy', code: 'declined' }])
    expect(observed.log).toEqual([])
  })

  test('[OBSERVE-1] a failed step is reported as failed', async () => {
    const observed = observing()
    const broken = () => {
      throw new Error('no disk')
    }
    await call(observed, async ({ step }) => step('build', broken).then(String, () => 'caught'))
    expect(observed.events).toMatchObject([['stepped', { step: 'build', outcome: 'failed' }]])
  })

  test.each<[string, string, (interaction: Interaction) => Promise<string>]>([
    ['misconfigured', 'needs a name of at most', async ({ step }) => String(await step('', () => 1))],
    ['misconfigured', 'first argument of a gate is', async ({ gate }) => String(await (gate as () => unknown)())],
    ['schema_refused', 'The fields of this form are missing', async ({ ask }) => ask.form('Who?', undefined as never)],
    ['misconfigured', 'needs a name of at most', async ({ step }) => String(await step((() => 1) as never, () => 1))],
    ['misconfigured', 'needs a name of at most', async ({ step }) => String(await step(undefined as never, () => 1))],
    [
      'schema_refused',
      'cannot be asked as a form',
      async ({ ask }) => String(await ask.form('?', z.object({ a: z.object({}) }))),
    ],
  ])('[OBSERVE-2] the mistake %s reaches the author’s log', async (code, message, handler) => {
    const observed = observing()
    await call(observed, handler).catch(() => undefined)
    expect(observed.log).toMatchObject([
      { level: 'error', handler: 'deploy', code, message: expect.stringContaining(message) },
    ])
  })

  test('[OBSERVE-3] a hook or a log that throws changes nothing', async () => {
    const fail = () => {
      throw new Error('hook is broken')
    }
    const log = vi.fn<(entry: LogEntry) => void>()
    const assent = createAssent({ on: { asked: fail, answered: fail, stepped: fail }, log })
    const tool = assent.interactive(async ({ ask, step }) => `${await ask.text('Name?')} ${await step('s', () => 1)}`, {
      name: 'tool',
    })
    const person = scriptedPerson().accepts('Ada')
    expect((await callTool(tool, undefined, { person: person.again(), revision })).text).toBe('Ada 1')
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ code: 'hook_failed' }))
    log.mockImplementation(fail)
    expect((await callTool(tool, undefined, { person, revision })).text).toBe('Ada 1')
  })

  test('[OBSERVE-3] an async hook or log that rejects is no unhandled rejection', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    const fail = async () => Promise.reject(new Error('hook is broken'))
    const log = vi.fn<(entry: LogEntry) => Promise<void>>(fail)
    const tool = createAssent({ on: { answered: fail }, log }).interactive(({ ask }) => ask.text('Name?'), {
      name: 'tool',
    })
    expect((await callTool(tool, undefined, { person: scriptedPerson().accepts('Ada'), revision })).text).toBe('Ada')
    await new Promise((resolve) => setImmediate(resolve))
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ code: 'hook_failed' }))
    expect(unhandled).not.toHaveBeenCalled()
  })

  test('[OBSERVE-1] what a person wrote is in no event and no log entry', async () => {
    const observed = observing()
    const tool = observed.assent.interactive(({ ask }) => ask.text('Name?'), { name: 'tool' })
    const person = scriptedPerson().declines({ comment: 'my private reason' })
    const { text } = await callTool(tool, undefined, { person, revision })
    expect(text).toContain('my private reason')
    expect(observed.names()).toContain('refused')
    expect(JSON.stringify([observed.events, observed.log])).not.toContain('private')
  })
})

test('[OBSERVE-1] a step whose result cannot be stored is reported as failed, and one that is refused before it runs is not', async () => {
  const on = { stepped: vi.fn() }
  const tool = createAssent({ on, log: false, store: storeThatCannotFinish }).interactive(
    async ({ step }) => {
      await step('charge', () => 'charged')
      return 'done'
    },
    { name: 'tool' },
  )
  await expect(callTool(tool)).rejects.toThrow('database is away')
  expect(on.stepped).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ step: 'charge', outcome: 'failed' }))
  on.stepped.mockClear()
  const unnamed = createAssent({ on, log: false }).interactive(async ({ step }) => String(await step('', () => 1)), {
    name: 'tool',
  })
  for (const revision of ['2025-11-25', '2026-07-28'] as const)
    await expect(callTool(unnamed, undefined, { revision })).rejects.toThrow('A step needs a name')
  expect(on.stepped).not.toHaveBeenCalled()
})

test('[OBSERVE-2] a handler that asks something else than before is reported as diverged, and logged', async () => {
  const observed = observing()
  let runs = 0
  const tool = observed.assent.interactive(async ({ ask }) => ask.text(`Question ${++runs}?`), { name: 'random' })
  await callTool(tool, undefined, { person: scriptedPerson().accepts('x') })
  expect(observed.names()).toContain('diverged')
  expect(observed.log).toMatchObject([{ handler: 'random', code: 'out_of_order' }])
})

test('[OBSERVE-2] without a log, mistakes are written to standard error; `log: false` writes nothing', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const call = async (settings: object) => {
    const tool = createAssent(settings).interactive(async ({ step }) => String(await step('', () => 1)), {
      name: 'tool',
    })
    await callTool(tool).catch(() => undefined)
  }
  await call({ log: false })
  expect(error).not.toHaveBeenCalled()
  await call({})
  expect(error).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^assent: tool: misconfigured: /))
  error.mockRestore()
})
