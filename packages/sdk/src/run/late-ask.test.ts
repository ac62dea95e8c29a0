// Asks without a caller: the handler has ended, or its call was cancelled.

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { until } from '../../../../test-kit/until.ts'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import type { LogEntry } from '../observe/hooks.ts'
import type { Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'
import { callTool } from '../testing/call-tool.ts'
import { scriptedPerson } from '../testing/person.ts'

type Asking = (interaction: Interaction) => Promise<unknown>

const asking: [string, Asking][] = [
  ['ask.text', ({ ask }) => ask.text('Name?')],
  ['ask.elicit', ({ ask }) => ask.elicit('Name?', { type: 'object', properties: { name: { type: 'string' } } })],
  ['ask.secret', ({ ask }) => ask.secret('Name?')],
  ['gate', ({ gate }) => gate({ title: 'Name?', arguments: {} }, () => 1)],
]

describe.each(['2025-11-25', '2026-07-28'] as const)('on %s', (revision) => {
  test.each(asking)('[SDK-39] after its handler has returned, %s never settles, and is logged', async (_, ask) => {
    const log = vi.fn((_entry: LogEntry) => undefined)
    const asked = vi.fn()
    const open = vi.fn()
    const settled = vi.fn()
    const secrets = { open, value: vi.fn() }
    const assent = createAssent({ log, on: { asked, answered: asked }, secrets })
    const handler = async (interaction: Interaction) => {
      void sleep(5).then(() => ask(interaction).then(settled, settled))
      return 'done'
    }
    const tool = assent.interactive(handler, { name: 'tool' })
    const { text } = await callTool(tool, undefined, { person: scriptedPerson(), revision })
    expect(text).toBe('done')
    await until(() => log.mock.calls.length > 0)
    const message =
      'The handler had already ended when "Name?" was asked, so no person was asked. ' +
      'Await every ask before the handler returns.'
    await sleep(5)
    expect(log.mock.calls).toEqual([[{ level: 'error', handler: undefined, code: 'misconfigured', message }]])
    expect([asked, open, settled].flatMap((called) => called.mock.calls)).toEqual([])
  })

  test('[SDK-39] an ask of code that nothing awaits does not end the process', async () => {
    const rejected = vi.fn()
    process.on('unhandledRejection', rejected)
    closeAfterTest(() => void process.off('unhandledRejection', rejected))
    const log = vi.fn()
    const unawaited = async ({ ask }: Interaction) => {
      await sleep(5)
      await ask.text('Name?')
    }
    const tool = createAssent({ log }).interactive(async (interaction) => {
      void unawaited(interaction)
      return 'done'
    })
    await callTool(tool, undefined, { person: scriptedPerson(), revision })
    await until(() => log.mock.calls.length > 0)
    await sleep(5)
    expect(rejected).not.toHaveBeenCalled()
  })

  test('[SDK-39] what a branch asks after another one was declined is not logged as a mistake', async () => {
    const log = vi.fn()
    const over = vi.fn()
    const tool = createAssent({ log }).interactive(async ({ ask }) => {
      const slow = async () => {
        await sleep(20)
        over()
        return ask.text('Size?')
      }
      await Promise.all([ask.text('Name?'), slow()])
      return 'done'
    })
    await callTool(tool, undefined, { person: scriptedPerson().declines(), revision })
    await until(() => over.mock.calls.length > 0)
    await sleep(5)
    expect(log.mock.calls.filter(([{ code }]) => code === 'misconfigured')).toEqual([])
  })
})

function onSilentSurface(signal: AbortSignal) {
  const put = vi.fn<Surface['put']>(() => new Promise(() => undefined))
  return { put, context: onSurface({ name: 'terminal', refuses: () => undefined, put }, { signal }) }
}

test('[SDK-39] a question that a cancelled call had open says so, and so does one that the handler asks afterwards', async () => {
  const log = vi.fn()
  const cancelling = new AbortController()
  const { put, context } = onSilentSurface(cancelling.signal)
  const messages: string[] = []
  const tool = createAssent({ log }).interactive(async ({ ask }) => {
    const note = (error: Error) => messages.push(error.message)
    const first = ask.text('Name?').catch(note)
    setImmediate(() => cancelling.abort())
    await first
    await ask.text('Age?').catch(note)
    // No person dismissed it, so this is no answer.
    await ask.elicit('Size?', { type: 'object', properties: { size: { type: 'string' } } }).catch(note)
    return 'done'
  })
  await tool(context)
  expect(messages).toEqual(
    ['Name?', 'Age?', 'Size?'].map((question) => `The caller cancelled the call, so "${question}" was not answered.`),
  )
  expect(put).toHaveBeenCalledTimes(1)
  expect(log).not.toHaveBeenCalled()
})

test('[SDK-39] a question that is open when its handler ends says that', async () => {
  const { context } = onSilentSurface(new AbortController().signal)
  const late = Promise.withResolvers<Error>()
  const tool = createAssent().interactive(async ({ ask }) => {
    const asked = ask.text('Name?')
    asked.catch(late.resolve)
    await Promise.race([asked, sleep(5)])
    return 'done'
  })
  await tool(context)
  expect(await late.promise).toMatchObject({
    code: 'cancelled',
    message: 'The handler ended before "Name?" was answered.',
  })
})
