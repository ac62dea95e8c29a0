// Approvals of whole tools, and of arguments that the person changed first.

import { actionDigest, toolDefinitionDigest } from '@assent/core'
import { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import { z } from 'zod'
import { type ApprovedInteraction, approved } from './approved.ts'
import { field } from './ask/field.ts'
import { createAssent, interactive } from './assent.ts'
import { verifyReceipt } from './index.ts'
import type { Interaction } from './interaction.ts'
import { callTool } from './testing/call-tool.ts'
import { type ScriptedPerson, scriptedPerson } from './testing/person.ts'

const assent = createAssent({ name: 'files' })
const person = scriptedPerson

interface Removal {
  path: string
  count: number
}

describe.each(['2025-11-25', '2026-07-28'] as const)('on %s', (revision) => {
  const given: Removal = { path: '/tmp/a', count: 2 }

  function call(tool: (given: Removal, interaction: Interaction) => Promise<string>, who: ScriptedPerson, shows = {}) {
    const handler = assent.interactive<[Removal]>(tool, { name: 'remove' })
    return callTool(handler, given, { person: who, revision, shows, timeoutMs: 100 })
  }

  describe('a tool that needs an approval', () => {
    test('[APPROVED-1] runs once, after a yes, with what was shown', async () => {
      const remove = vi.fn(async ({ path }: Removal) => `removed ${path}`)
      const tool = approved(remove, {
        title: ({ path }) => `Remove ${path}`,
        describe: ({ count }) => `${count} files`,
      })
      const { text, transcript } = await call(tool, person().approves({ asked: /Remove \/tmp\/a[\s\S]*says: 2 files/ }))
      expect(text).toBe('removed /tmp/a')
      expect(transcript).toHaveLength(1)
      expect(remove).toHaveBeenCalledTimes(1)
      expect(remove.mock.calls[0]?.[0]).toEqual(given)
    })

    test.each<[string, ScriptedPerson, object, string]>([
      ['a decline', person().declines(), {}, 'declined'],
      ['a dismissal', person().dismisses(), {}, 'cancelled'],
      ['an accept without a decision', person().accepts(), {}, 'validation_failed'],
      ['a client that cannot ask', person(), { form: false }, 'not_supported'],
    ])('[APPROVED-1] does not run after %s', async (_, who, shows, code) => {
      const remove = vi.fn(async () => 'removed')
      expect((await call(approved(remove, { title: 'Remove' }), who, shows)).refused).toBe(code)
      expect(remove).not.toHaveBeenCalled()
    })

    test('[APPROVED-2] runs at once where `when` is false, and only then', async () => {
      const remove = vi.fn(async () => 'removed')
      const tool = (when: () => unknown) => approved(remove, { title: 'Remove', when: when as () => boolean })
      expect(
        (
          await call(
            tool(() => false),
            person(),
          )
        ).text,
      ).toBe('removed')
      expect(
        (
          await call(
            tool(async () => false),
            person(),
          )
        ).text,
      ).toBe('removed')
      remove.mockClear()
      for (const value of [true, undefined, null, 0, '', 'false']) {
        expect(
          (
            await call(
              tool(() => value),
              person().declines(),
            )
          ).refused,
          String(value),
        ).toBe('declined')
      }
      const broken = () => {
        throw new Error('no database')
      }
      await expect(call(tool(broken), person())).rejects.toThrow('no database')
      expect(remove).not.toHaveBeenCalled()
    })

    test.each([true, false])(
      '[APPROVED-5] gets frozen arguments and returns JSON, with and without an approval: %s',
      async (needed) => {
        const seen: unknown[] = []
        const tool = approved(
          async (removal: { readonly path: string; readonly owner: { readonly name: string } }) => {
            const { owner } = removal
            seen.push(Object.isFrozen(removal), Object.isFrozen(owner))
            return { at: new Date(0), note: undefined, name: owner.name }
          },
          { title: 'Remove', when: () => needed },
        )
        const sent = { path: '/tmp/a', owner: { name: 'Ada' } }
        const handler = assent.interactive<[typeof sent], unknown, unknown>(
          async (args, interaction) => {
            const result = await tool(args, interaction)
            expectTypeOf(result).toEqualTypeOf<{ at: string; name: string }>()
            expect(Object.isFrozen(args)).toBe(false)
            return JSON.stringify([result, Object.keys(result)])
          },
          { name: 'remove' },
        )
        const who = needed ? person().approves() : person()
        const { text } = await callTool(handler, sent, { person: who, revision })
        expect(JSON.parse(text)).toEqual([{ at: '1970-01-01T00:00:00.000Z', name: 'Ada' }, expect.any(Array)])
        expect(JSON.parse(text)[1]).toHaveLength(2)
        expect(seen).toEqual([true, true])
      },
    )

    test('[APPROVED-2] a condition that changes between two rounds skips no approval', async () => {
      let calls = 0
      const remove = vi.fn(async () => 'removed')
      const tool = approved(remove, { title: 'Remove', when: () => calls++ === 0 })
      expect((await call(tool, person().declines())).refused).toBe('declined')
      expect(remove).not.toHaveBeenCalled()
    })
  })

  describe('arguments that may be edited', () => {
    const editable = ['path'] as const
    const gated = (ran: (approvedArguments: unknown) => void, how: object = { editable }) => {
      return async (args: Removal, { gate }: Interaction) => {
        const { receipt } = await gate({ title: 'Remove', arguments: args, ...how }, (allowed) => {
          ran(allowed)
          return 'ok'
        })
        const { publicKey } = assent.receipts
        const verified = verifyReceipt(receipt, publicKey)
        return verified.ok ? verified.statement.actionDigest : 'not verified'
      }
    }
    const digestOf = (args: object) =>
      actionDigest({
        server: 'files',
        tool: 'remove',
        definitionDigest: toolDefinitionDigest({ name: 'remove' }),
        arguments: args as never,
      })

    test('[APPROVED-3] the person changes them, then approves: this runs, and the receipt covers exactly it', async () => {
      const ran = vi.fn()
      const who = person()
        .accepts({ path: '/tmp/b' }, { asked: /^Remove\n\nChange what you want/ })
        .approves({ asked: /path: \/tmp\/b\n {2}count: 2|count: 2\n {2}path: \/tmp\/b/ })
      const { text, transcript } = await call(gated(ran), who)
      expect(transcript[0]?.question.fields).toMatchObject({ path: { type: 'string', default: '/tmp/a' } })
      expect(ran).toHaveBeenCalledExactlyOnceWith({ path: '/tmp/b', count: 2 })
      expect(text).toBe(digestOf({ path: '/tmp/b', count: 2 }))
    })

    test.each<[string, ScriptedPerson, string]>([
      ['a decline of the form', person().declines(), 'declined'],
      ['a dismissal of the form', person().dismisses(), 'cancelled'],
      ['an edit of the wrong type', person().accepts({ path: 7 }), 'validation_failed'],
      ['an edit without a required argument', person().accepts({}), 'validation_failed'],
      ['a decline of the result', person().accepts({ path: '/tmp/b' }).declines(), 'declined'],
      ['a dismissal of the result', person().accepts({ path: '/tmp/b' }).dismisses(), 'cancelled'],
      ['an accept of the result without a decision', person().accepts({ path: '/b' }).accepts(), 'validation_failed'],
    ])('[APPROVED-3] nothing runs after %s', async (_, who, code) => {
      const ran = vi.fn()
      expect((await call(gated(ran), who)).refused).toBe(code)
      expect(ran).not.toHaveBeenCalled()
    })

    test('[APPROVED-3] an argument that the form does not have cannot be changed', async () => {
      const ran = vi.fn()
      const edit = { action: 'accept', content: { path: '/tmp/b', count: 9_999, more: 'x' } }
      expect((await call(gated(ran), person().answersWith(edit))).refused).toBe('validation_failed')
      expect(ran).not.toHaveBeenCalled()
    })

    test('[APPROVED-3] an optional field that is left empty keeps its argument', async () => {
      const ran = vi.fn()
      const optional = z.object({ path: z.string().optional() })
      await call(gated(ran, { editable: optional }), person().accepts({}).approves())
      expect(ran).toHaveBeenCalledExactlyOnceWith({ path: '/tmp/a', count: 2 })
    })

    test('[APPROVED-3] a form limits the edits, and a refused one is asked for again with the reason', async () => {
      const ran = vi.fn()
      const limited = z.object({ path: z.string().refine((path) => path.startsWith('/tmp/'), 'only below /tmp') })
      const who = person()
        .accepts({ path: '/etc/passwd' })
        .accepts({ path: '/tmp/c' }, { asked: 'only below /tmp' })
        .approves()
      await call(gated(ran, { editable: limited }), who)
      expect(ran).toHaveBeenCalledExactlyOnceWith({ path: '/tmp/c', count: 2 })
      const never = person().accepts({ path: '/a' }).accepts({ path: '/b' }).accepts({ path: '/c' })
      expect((await call(gated(ran, { editable: limited }), never)).refused).toBe('validation_failed')
      const count = { editable: { count: field.number({ max: 5 }) } }
      expect((await call(gated(ran, count), person().accepts({ count: 6 }))).refused).toBe('validation_failed')
      expect(ran).toHaveBeenCalledTimes(1)
    })

    test('[APPROVED-3] a field with a pattern can be edited, and its pattern holds', async () => {
      const ran = vi.fn()
      const patterned = { editable: { path: field.text({ pattern: '^/tmp/' }) } }
      await call(gated(ran, patterned), person().accepts({ path: '/tmp/d' }).approves())
      expect(ran).toHaveBeenCalledExactlyOnceWith({ path: '/tmp/d', count: 2 })
      expect((await call(gated(ran, patterned), person().accepts({ path: '/etc' }))).refused).toBe('validation_failed')
      const other = { editable: { path: field.text({ pattern: '^/home/' }) } }
      await expect(call(gated(ran, other), person())).rejects.toMatchObject({ code: 'misconfigured' })
      expect(ran).toHaveBeenCalledTimes(1)
    })

    test('[APPROVED-3] an argument that is null is an empty field, which may stay empty', async () => {
      const tool = async (_: Removal, { ask }: Interaction) => {
        const editable = z.object({ note: z.string().nullable(), size: z.number().nullable().default(3) })
        const action: { note: string | null; size: number | null } = { note: null, size: null }
        return JSON.stringify(await ask.approve('Remove', action, { editable }))
      }
      const { text, transcript } = await call(tool, person().accepts({}).approves())
      expect(transcript[0]?.question.fields).toEqual({
        note: expect.not.objectContaining({ default: expect.anything() }),
        size: expect.not.objectContaining({ default: expect.anything() }),
      })
      expect(JSON.parse(text)).toEqual({ note: null, size: null })
      const filled = await call(tool, person().accepts({ note: 'x', size: 1 }).approves())
      expect(JSON.parse(filled.text)).toEqual({ note: 'x', size: 1 })
    })

    test.each<[string, object]>([
      ['a name that is not an argument', { editable: ['paht'] }],
      ['a form for something that is not an argument', { editable: { paht: field.text() } }],
      ['current values that do not fit the form', { editable: { count: field.number({ max: 1 }) } }],
      ['an inherited name', { editable: ['constructor'] }],
    ])('[APPROVED-3] %s is a mistake that reaches no person', async (_, how) => {
      const ran = vi.fn()
      await expect(call(gated(ran, how), person())).rejects.toMatchObject({ code: 'misconfigured' })
      expect(ran).not.toHaveBeenCalled()
    })

    test('[APPROVED-3] a secret is not edited in a form', async () => {
      const tool = async (_: Removal, { ask }: Interaction) =>
        JSON.stringify(await ask.approve('Log in', { password: 'x' }, { editable: ['password'] }))
      await expect(call(tool, person())).rejects.toMatchObject({ code: 'schema_refused' })
    })

    test('[APPROVED-3] ask.approve returns what was approved, and approved() takes the same option', async () => {
      const tool = async (args: Removal, { ask }: Interaction) => {
        const allowed = await ask.approve('Remove', args, { editable })
        expectTypeOf(allowed).toEqualTypeOf<Readonly<Removal>>()
        expect(Object.isFrozen(allowed)).toBe(true)
        return JSON.stringify(allowed)
      }
      const who = () => person().accepts({ path: '/tmp/b' }).approves()
      expect(JSON.parse((await call(tool, who())).text)).toEqual({ path: '/tmp/b', count: 2 })
      const whole = approved(async ({ path }: Removal) => path, { title: 'Remove', editable })
      expect((await call(whole, who())).text).toBe('/tmp/b')
    })
  })
})

test('[APPROVED-1] types follow through the registration, and a tool without arguments is approved by its title', async () => {
  const server = new McpServer({ name: 'files', version: '1' })
  assent.tool(
    server,
    'remove',
    { inputSchema: z.object({ path: z.string() }) },
    approved(
      async ({ path }, { context }) => {
        expectTypeOf(path).toEqualTypeOf<string>()
        expectTypeOf(context.mcpReq.method).toEqualTypeOf<string>()
        return path
      },
      { title: ({ path }) => path },
    ),
  )
  const bare = interactive(
    approved(async ({ signal }: ApprovedInteraction) => String(signal.aborted), { title: 'Run' }),
    { name: 'bare' },
  )
  approved<Removal>(
    async (given) => {
      // @ts-expect-error they are a frozen copy
      given.path = '/'
      return ''
    },
    { title: 'Remove' },
  )
  // @ts-expect-error inside the gate nothing can be asked
  approved(async (_: Removal, { ask }) => ask.text('Name?'), { title: 'Remove' })
  const { text } = await callTool(bare, undefined, { person: person().approves({ asked: 'Run' }) })
  expect(text).toBe('false')
})
