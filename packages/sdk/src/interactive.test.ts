import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { field } from './ask/field.ts'
import { createAssent } from './assent.ts'
import { type Caller, type ConnectedHandler, connectionKinds, type Person, type Question } from './connections.suite.ts'

let open: Caller | undefined
afterEach(async () => {
  await open?.close()
  open = undefined
})

describe.each(connectionKinds)('$revision: $name', (way) => {
  async function play(handler: ConnectedHandler, person: Person, elicitation?: object | null): Promise<Caller> {
    open = await way.open({
      assent: createAssent({ name: 'staged', unseenAfterMs: 0 }),
      tools: { tool: handler },
      person,
      ...(elicitation === undefined ? {} : { elicitation }),
    })
    return open
  }
  const accept = (content: object) => ({ action: 'accept', content })

  test('[SDK-2] a handler asks one thing after another and continues with the answers', async () => {
    const asked: string[] = []
    const caller = await play(
      async ({ env }, { ask }) => {
        const region = await ask.choose('Which region?', { eu: 'Europe', us: 'United States' })
        const count = await ask.number('How many replicas?', { min: 1, max: 50, integer: true })
        const label = await ask.text('What is it called?', { maxLength: 20 })
        const day = await ask.date('When?')
        const isSure = await ask.confirm('Are you sure?')
        return [env, region, count, label, day, isSure].join(' ')
      },
      ({ message, requestedSchema }) => {
        asked.push(message)
        const [name] = Object.keys(requestedSchema?.properties ?? {})
        const answers: Record<string, unknown> = {
          choice: 'eu',
          number: 4,
          text: 'blue',
          date: '2026-07-28',
          confirmed: true,
        }
        return accept({ [String(name)]: answers[String(name)] })
      },
    )
    expect(await caller.call('tool')).toMatchObject({ text: 'test eu 4 blue 2026-07-28 true', isError: false })
    expect(asked).toEqual(['Which region?', 'How many replicas?', 'What is it called?', 'When?', 'Are you sure?'])
  })

  test('[SDK-2] a form is asked with fields or with a schema, and its content has the schema’s own values', async () => {
    const caller = await play(
      async (_, { ask }) => {
        const one = await ask.form('Who?', { name: field.text(), age: field.optional(field.number()) })
        const two = await ask.form(
          'What?',
          z.object({ mail: z.email(), size: z.enum(['s', 'm']).transform((s) => `size ${s}`) }),
        )
        return `${one.name} ${one.age ?? 'ageless'} ${two.mail} ${two.size}`
      },
      ({ message }) => accept(message === 'Who?' ? { name: 'Ada' } : { mail: 'ada@example.com', size: 'm' }),
    )
    expect((await caller.call('tool')).text).toBe('Ada ageless ada@example.com size m')
  })

  test('[SDK-3] a person’s no is false for confirm and an error for everything else; no choice is an error for all', async () => {
    const endings = ['confirm', 'text', 'confirm', 'text'] as const
    const caller = await play(
      async (_, { ask }) => {
        const endingsSeen: string[] = []
        for (const [index, kind] of endings.entries()) {
          const question = `${index < 2 ? 'decline' : 'cancel'} ${kind}`
          const answer = await (kind === 'confirm' ? ask.confirm(question) : ask.text(question)).catch(
            (error: { code: string }) => error.code,
          )
          endingsSeen.push(String(answer))
        }
        return endingsSeen.join(' ')
      },
      ({ message }) => ({ action: message.split(' ')[0] }),
    )
    expect((await caller.call('tool')).text).toBe('false declined cancelled cancelled')
  })

  test('[SDK-4] what the client did not declare is never sent to it, and the handler gets not_supported', async () => {
    const asked: Question[] = []
    const caller = await play(
      async (_, { ask }) => {
        const code = (error: { code: string }) => error.code
        const one = await ask.text('Name?').catch(code)
        const two = await ask.url('Sign in?', 'https://example.com').catch(code)
        return `${one} ${two} ${await ask.text('Name?', { fallback: 'unknown' })}`
      },
      (question) => {
        asked.push(question)
        return { action: 'accept', content: { text: 'x' } }
      },
      null,
    )
    expect((await caller.call('tool')).text).toBe('not_supported not_supported unknown')
    expect(asked).toEqual([])
  })

  test('[SDK-5] an unhandled no reports what was asked, what happened and what to do next, and keeps its code', async () => {
    const caller = await play(
      async (_, { ask }) => ask.text('Which branch?'),
      () => ({ action: 'decline' }),
    )
    const refused = await caller.call('tool')
    expect(refused).toMatchObject({ isError: true, meta: { 'assent/refusal': { code: 'declined' } } })
    expect(refused.text).toContain('The person declined "Which branch?"')
    expect(refused.text).toContain('Do not try again')
  })

  test('[SDK-6] an answer that does not fit is a no', async () => {
    const work = vi.fn()
    const caller = await play(
      async (_, { ask, step }) => {
        const count = await ask.number('How many?', { max: 5 })
        await step('work', work)
        return String(count)
      },
      () => accept({ number: 6 }),
    )
    const refused = await caller.call('tool')
    expect(refused.meta).toMatchObject({ 'assent/refusal': { code: 'validation_failed' } })
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-7] a step runs once in a call, and its result is the same wherever the handler is', async () => {
    let runs = 0
    const caller = await play(
      async (_, { ask, step }) => {
        const first = await step('first', () => ({ run: ++runs, when: 'now' }))
        const name = await ask.text('Name?')
        const failed = await step('failing', () => {
          runs++
          throw new Error('out of disk')
        }).catch((error: { code: string; message: string }) => `${error.code}: ${error.message}`)
        const again = await ask.confirm('Again?')
        return `${first.run} ${name} ${failed} ${again} ${runs}`
      },
      ({ requestedSchema }) =>
        accept('text' in (requestedSchema?.properties ?? {}) ? { text: 'Ada' } : { confirmed: true }),
    )
    expect((await caller.call('tool')).text).toBe('1 Ada step_failed: out of disk true 2')
  })

  test('[SDK-8] several questions are asked in one round, by ask.all and by plain promises', async () => {
    const caller = await play(
      async (_, { ask }) => {
        const { name, size } = await ask.all({ name: ask.text('Name?'), size: ask.choose('Size?', ['s', 'm']) })
        const [left, right] = await Promise.all([ask.confirm('Left?'), ask.confirm('Right?')])
        return `${name} ${size} ${left} ${right}`
      },
      ({ message }) => {
        const content = { 'Name?': { text: 'Ada' }, 'Size?': { choice: 'm' }, 'Left?': { confirmed: true } }
        const given = content[message as keyof typeof content]
        return given === undefined ? { action: 'decline' } : accept(given)
      },
    )
    expect((await caller.call('tool')).text).toBe('Ada m true false')
  })

  test.each<[string, unknown, string]>([
    ['approve', accept({ decision: 'approve' }), 'ran'],
    ['the decision decline', accept({ decision: 'decline' }), 'declined'],
    ['a bare accept', { action: 'accept' }, 'validation_failed'],
    ['an accept of nothing', accept({}), 'validation_failed'],
    ['an accept of something else', accept({ approved: true }), 'validation_failed'],
    ['approve and another field', accept({ decision: 'approve', sure: true }), 'validation_failed'],
    ['decline', { action: 'decline' }, 'declined'],
    ['cancel', { action: 'cancel' }, 'cancelled'],
  ])(
    '[GATE-9] from a client only the decision "approve" opens a gate or is an approval: %s',
    async (_, answer, outcome) => {
      const work = vi.fn(() => 'ran')
      const caller = await play(
        async ({ env }, { ask, gate }) => {
          if (env === 'gate') return (await gate({ title: 'Deploy', arguments: { env } }, work)).value
          await ask.approve('Deploy', { env })
          return work()
        },
        () => answer,
      )
      for (const env of ['gate', 'ask']) {
        const result = await caller.call('tool', { env })
        if (outcome === 'ran') expect(result.text).toBe('ran')
        else expect(result.meta).toMatchObject({ 'assent/refusal': { code: outcome } })
      }
      expect(work).toHaveBeenCalledTimes(outcome === 'ran' ? 2 : 0)
    },
  )
})
