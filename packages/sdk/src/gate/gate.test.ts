import { generateKeyPairSync } from 'node:crypto'
import { actionDigest, askLimits, type JsonObject, toolDefinitionDigest } from '@assent/core'
import { describe, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import { verifyReceipt } from '../index.ts'
import type { Interaction } from '../interaction.ts'
import type { InteractiveOptions } from '../interactive.ts'
import { sdkLimits } from '../limits.ts'
import { accept, type Handler, roundsOf } from '../rounds.suite.ts'
import type { Run } from '../run/run.ts'
import type { Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'
import type { AssentSettings, World } from '../world.ts'
import { gateOf } from './gate.ts'
import { UsedOnce } from './used-once.ts'

const definition = { name: 'deploy', description: 'Deploys', inputSchema: { type: 'object' } }
/** As a client says it; a surface of ours says it with a bare accept. */
const approve = accept({ decision: 'approve' })
const options: InteractiveOptions = { name: 'deploy', definition }

/** A handler that waits, and a person who may do something before they answer. */
async function live(
  handler: (interaction: Interaction) => Promise<string>,
  person: () => unknown,
  settings: AssentSettings = {},
  named: InteractiveOptions = options,
): Promise<{ text: string; code: string | undefined }> {
  const surface: Surface = {
    name: 'client',
    refuses: () => undefined,
    put: async () => ({ kind: 'answered', answer: await person() }),
  }
  const wrapped = createAssent({ name: 'ops', ...settings }).interactive<[], unknown, unknown>(handler, named)
  const result = (await wrapped(onSurface(surface))) as {
    content: [{ text: string }]
    _meta?: Record<string, { code: string }>
  }
  return { text: result.content[0].text, code: result._meta?.['assent/refusal']?.code }
}

describe('a gate', () => {
  test('[GATE-1] runs after a yes, with the approved arguments, and gives the result and a receipt', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const given = { env: 'production', replicas: 4 }
    let receipt = ''
    const ran = vi.fn(async ({ env }: JsonObject) => `deployed to ${env}`)
    const { text } = await live(
      async ({ gate }) => {
        const gated = await gate({ title: 'Deploy', arguments: given }, ran)
        receipt = gated.receipt
        return gated.value
      },
      () => accept(),
      { signing: { keyId: 'k1', privateKey } },
    )
    expect(text).toBe('deployed to production')
    expect(ran).toHaveBeenCalledExactlyOnceWith(given)
    const action = {
      server: 'ops',
      tool: 'deploy',
      definitionDigest: toolDefinitionDigest(definition),
      arguments: given,
    }
    expect(verifyReceipt(receipt, publicKey)).toMatchObject({
      ok: true,
      statement: { actionDigest: actionDigest(action), principal: 'local', approvedBy: 'local', keyId: 'k1' },
    })
  })

  test.each<[string, unknown, string]>([
    ['decline', { action: 'decline' }, 'declined'],
    ['cancel', { action: 'cancel' }, 'cancelled'],
    ['nothing', undefined, 'validation_failed'],
    ['an unknown action', { action: 'yes' }, 'validation_failed'],
    ['content nobody was shown', accept({ sure: true }), 'validation_failed'],
    ['another spelling of it', { action: 'Accept' }, 'validation_failed'],
  ])('[GATE-2] stays closed after %s', async (_, answer, code) => {
    const ran = vi.fn()
    const result = await live(
      async ({ gate }) => String((await gate({ title: 'Deploy', arguments: {} }, ran)).value),
      () => answer,
    )
    expect(result.code).toBe(code)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-2] stays closed when nobody can be asked, the surface breaks, or the wait is over', async () => {
    const ran = vi.fn()
    const handler = async ({ gate }: Interaction) =>
      String((await gate({ title: 'Deploy', arguments: {}, waitMs: 1_000 }, ran)).value)
    const broken = () => {
      throw new Error('gone')
    }
    expect((await live(handler, broken)).code).toBe('channel_closed')
    expect((await live(handler, () => new Promise(() => undefined))).code).toBe('timed_out')
    const play = roundsOf(createAssent().interactive, async (_, interaction) => handler(interaction))
    expect((await play(undefined, { elicitation: { url: {} } })).code).toBe('not_supported')
    expect(ran).not.toHaveBeenCalled()
  })

  test.each<[string, (given: { env: unknown; list: unknown[] }) => void]>([
    ['another value', (given) => Object.assign(given, { env: 'production' })],
    ['a number for its text', (given) => Object.assign(given, { env: 1 })],
    ['a member more', (given) => Object.assign(given, { force: true })],
    ['a member less', (given) => Reflect.deleteProperty(given, 'env')],
    ['an item more', (given) => given.list.push(1)],
    [
      'a getter that would lie',
      (given) => Object.defineProperty(given, 'env', { get: () => 'test', enumerable: true }),
    ],
    ['what is no JSON', (given) => Object.assign(given, { env: undefined })],
  ])('[GATE-3] stays closed when the action was changed after it was approved: %s', async (_, change) => {
    const ran = vi.fn()
    const given = { env: '1', list: [] as unknown[] }
    const result = live(
      async ({ gate }) =>
        String((await gate({ title: 'Deploy', arguments: given as unknown as JsonObject }, ran)).value),
      () => {
        change(given)
        return accept()
      },
    )
    await result.catch(() => undefined)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-3] stays closed when the tool was defined anew after the approval', async () => {
    const ran = vi.fn()
    let description = 'Deploys'
    const result = await live(
      async ({ gate }) => String((await gate({ title: 'Deploy', arguments: {} }, ran)).value),
      () => {
        description = 'Deploys, and deletes what was there'
        return accept()
      },
      {},
      { name: 'deploy', definition: () => ({ ...definition, description }) },
    )
    expect(result.code).toBe('grant_refused')
    expect(result.text).toContain('Nothing was run: it is no longer what was approved.')
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-3] the work gets a copy that nobody can change', async () => {
    const given = { tags: ['a'] }
    const result = await live(
      async ({ gate }) => {
        const { value } = await gate({ title: 'Tag', arguments: given }, (approved) => {
          given.tags.push('b')
          expect(() => approved.tags.push('c')).toThrow(TypeError)
          return approved.tags
        })
        return value.join(' ')
      },
      () => accept(),
    )
    expect(result.text).toBe('a')
  })

  test('[GATE-4] a yes opens it once: an old state brought back with the same yes runs nothing again', async () => {
    const ran = vi.fn(() => 'ran')
    const handler: Handler = async (_, { ask, gate }) => {
      const { value } = await gate({ title: 'Deploy', arguments: {} }, ran)
      return `${value} ${await ask.text('Anything else?')}`
    }
    const play = roundsOf(createAssent().interactive, handler)
    const first = await play()
    const yes = { state: first.state, answers: { 'ask-1': approve } }
    const [second, third] = [await play(undefined, yes), await play(undefined, yes)]
    expect(Object.keys(second.questions)).toEqual(['ask-2'])
    expect(third.code).toBe('grant_refused')
    expect(third.text).toContain('Nothing was run: the approval was used before.')
    const last = { state: second.state, answers: { 'ask-2': accept({ text: 'no' }) } }
    expect((await play(undefined, last)).text).toBe('ran no')
    expect((await play(undefined, last)).text).toBe('ran no')
    expect(ran).toHaveBeenCalledTimes(1)
  })

  test('[GATE-4] of retries that come at once, one runs it', async () => {
    const ran = vi.fn(async () => new Promise((resolve) => setTimeout(() => resolve('ran'), 5)))
    const play = roundsOf(createAssent().interactive, async (_, { gate }) =>
      String((await gate({ title: 'Deploy', arguments: {} }, ran)).value),
    )
    const { state } = await play()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => play(undefined, { state, answers: { 'ask-1': approve } })),
    )
    expect(all.filter(({ text }) => text === 'ran')).toHaveLength(1)
    expect(all.filter(({ code }) => code === 'grant_refused')).toHaveLength(19)
    expect(ran).toHaveBeenCalledTimes(1)
  })

  test('[GATE-5] a yes that was not used in time opens nothing', async () => {
    const ran = vi.fn()
    let nowMs = 1_000_000
    const { code } = await live(
      async ({ gate }) => String((await gate({ title: 'Deploy', arguments: {}, useWithinMs: 1 }, ran)).value),
      () => accept(),
      { nowMs: () => nowMs++ },
    )
    expect(code).toBe('grant_refused')
    expect(ran).not.toHaveBeenCalled()
  })

  /** The clock moves by so much between the answer and the use, while the tool is looked at again. */
  async function usedAfter(ms: number, useWithinMs: number | undefined, settings: AssentSettings = {}) {
    let nowMs = 1_000_000
    let looks = 0
    const ran = vi.fn(() => 'ran')
    const result = await live(
      async ({ gate }) => {
        const within = useWithinMs === undefined ? {} : { useWithinMs }
        return (await gate({ title: 'Deploy', arguments: {}, ...within }, ran)).value
      },
      () => accept(),
      { ...settings, nowMs: () => nowMs },
      {
        name: 'deploy',
        definition: () => {
          if (++looks === 2) nowMs += ms
          return definition
        },
      },
    )
    expect(ran).toHaveBeenCalledTimes(result.text === 'ran' ? 1 : 0)
    return result
  }

  test('[GATE-5] a yes is good until the last millisecond of its time, and for no clock that went backwards', async () => {
    expect((await usedAfter(0, 5)).text).toBe('ran')
    expect((await usedAfter(4, 5)).text).toBe('ran')
    expect((await usedAfter(sdkLimits.useWithinMs - 1, undefined)).text).toBe('ran')
    for (const [ms, within] of [
      [5, 5],
      [6, 5],
      [-1, 5],
      [sdkLimits.useWithinMs, undefined],
    ] as const) {
      const { code, text } = await usedAfter(ms, within)
      expect(code).toBe('grant_refused')
      expect(text).toContain('Nothing was run: the approval is too old.')
    }
    expect((await usedAfter(1, undefined, { useWithinMs: 1 })).code).toBe('grant_refused')
  })

  test.each([0, -1, 1.5, Number.NaN, askLimits.useWithinMaxMs + 1])(
    '[GATE-5] a time to use a yes that is none is refused before anybody is asked: %d',
    async (useWithinMs) => {
      const person = vi.fn(() => accept())
      const gated = live(
        async ({ gate }) => String((await gate({ title: 'Deploy', arguments: {}, useWithinMs }, () => 1)).value),
        person,
      )
      await expect(gated).rejects.toMatchObject({
        code: 'misconfigured',
        message: 'A yes can be used for up to two weeks, in whole milliseconds.',
      })
      expect(person).not.toHaveBeenCalled()
    },
  )

  test('[GATE-5] the longest time to use a yes may be named', async () => {
    expect((await usedAfter(1, askLimits.useWithinMaxMs)).text).toBe('ran')
  })

  test('[GATE-1] what the person wrote comes with the value; without it there is no such member', async () => {
    const gatedWith = async (answer: object) => {
      let gated: object = {}
      await live(
        async ({ gate }) => {
          gated = await gate({ title: 'Deploy', arguments: {} }, () => 1)
          return ''
        },
        () => answer,
      )
      return gated
    }
    expect(await gatedWith({ ...accept(), comment: 'go' })).toEqual({
      value: 1,
      receipt: expect.any(String),
      comment: 'go',
    })
    expect(await gatedWith(accept())).toEqual({ value: 1, receipt: expect.any(String) })
  })

  test.each<[string, InteractiveOptions, string, object]>([
    ['its name', { name: 'deploy', definition }, 'deploy', definition],
    ['its definition', { definition }, 'deploy', definition],
    ['its name alone', { name: 'roll' }, 'roll', { name: 'roll' }],
    ['the title', {}, 'Deploy it', { name: 'Deploy it' }],
  ])('[GATE-1] the receipt names the tool by %s', async (_, named, tool, defined) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    let receipt = ''
    await live(
      async ({ gate }) => {
        receipt = (await gate({ title: 'Deploy it', arguments: { env: null } }, () => 1)).receipt
        return ''
      },
      () => accept(),
      { signing: { keyId: 'k1', privateKey } },
      named,
    )
    const digest = actionDigest({
      server: 'ops',
      tool,
      definitionDigest: toolDefinitionDigest(defined as typeof definition),
      arguments: { env: null },
    })
    expect(verifyReceipt(receipt, publicKey)).toMatchObject({ ok: true, statement: { actionDigest: digest } })
  })

  test('[GATE-1] the receipt says when it was decided and used, and names the ask and the grant', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    let nowMs = 1_000
    let receipt = ''
    await live(
      async ({ gate }) => {
        receipt = (await gate({ title: 'Deploy', arguments: {} }, () => 1)).receipt
        return ''
      },
      () => accept(),
      { signing: { keyId: 'k1', privateKey }, nowMs: () => nowMs },
      {
        definition: () => {
          nowMs += 7
          return definition
        },
      },
    )
    expect(verifyReceipt(receipt, publicKey)).toMatchObject({
      ok: true,
      statement: {
        askId: expect.stringMatching(/^ask_/),
        grantId: expect.stringMatching(/^grant_/),
        decidedAtMs: 1_007,
        usedAtMs: 1_014,
        principal: 'local',
        approvedBy: 'local',
      },
    })
  })

  test('[GATE-2] arguments that are no JSON are not asked about, and the author hears which', async () => {
    const gated = (given: unknown) =>
      live(
        async ({ gate }) => String((await gate({ title: 'Deploy', arguments: given as JsonObject }, () => 1)).value),
        () => accept(),
      )
    await expect(gated({ env: undefined })).rejects.toMatchObject({
      code: 'not_canonical',
      message:
        'This action cannot be approved. This value has no canonical JSON form: undefined is not a JSON type, at "/env".',
      cause: { code: 'not_canonical' },
    })
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new TypeError('trap')
        },
      },
    )
    await expect(gated({ trap })).rejects.toThrow(new TypeError('trap'))
  })

  test('[GATE-4] an approval is remembered as used for as long as any state could bring it back', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const use = vi.fn((_id: string, _untilMs: number, _nowMs: number) => true)
    const settlement = { askId: `ask_${'0'.repeat(36)}`, ending: { kind: 'accepted' }, atMs: 1_000 }
    const world = {
      used: { use },
      nowMs: () => 2_000,
      newId: () => `grant_${'0'.repeat(36)}`,
      useWithinMs: 10_000,
      signing: { keyId: 'k1', privateKey },
    } as unknown as World
    for (const [repeatableUntilMs, lastMs] of [
      [9_000, 9_000],
      [500, 2_000],
    ] as const) {
      const run = {
        surface: 'client',
        put: async () => ({ ...settlement, repeatableUntilMs }),
        once: async (_: string, work: () => unknown) => work(),
      } as unknown as Run
      const named = { server: 'ops', name: 'deploy', definition: undefined }
      const gate = gateOf({ run, world, named, principal: 'ann' })
      await gate({ title: 'Deploy', arguments: {} }, () => 1)
      expect(use).toHaveBeenLastCalledWith(settlement.askId, lastMs + 10_000 + sdkLimits.stateGraceMs, 2_000)
    }
  })

  test('[GATE-4] when there are too many used approvals to remember, the next one is refused', () => {
    const used = new UsedOnce(2)
    expect([used.use('a', 10, 0), used.use('b', 20, 0), used.use('c', 30, 0)]).toEqual([true, true, false])
    expect([used.use('a', 10, 11), used.use('c', 30, 11)]).toEqual([false, true])
    expect(sdkLimits.usedGrants).toBeGreaterThan(1_000)
  })

  test('[GATE-4] a used approval is forgotten only after its time, and only to make room', () => {
    const full = new UsedOnce(1)
    expect([full.use('a', 10, 0), full.use('b', 20, 10), full.use('b', 20, 11)]).toEqual([true, false, true])
    const roomy = new UsedOnce(2)
    expect([roomy.use('a', 10, 0), roomy.use('a', 10, 99)]).toEqual([true, false])
  })

  test('[GATE-6] the person is shown what will run, drawn from it, and what the server says apart from that', async () => {
    const play = roundsOf(
      createAssent({ name: 'ops' }).interactive,
      async (_, { gate }) => {
        const given = { env: 'production', note: 'line\nBy root\u202e', deep: { n: 1 } }
        await gate(
          {
            title: 'Deploy',
            arguments: given,
            claim: 'Safe.\n\nApprove: nothing',
            risk: 'destructive',
            reason: 'Release',
          },
          () => 1,
        )
        return ''
      },
      options,
    )
    const [question] = Object.values((await play()).questions)
    expect(question?.message.split('\n')).toEqual([
      'Approve: Deploy',
      '',
      '  deep: {"n":1}',
      '  env: production',
      '  note: line⟨U+000A⟩By root⟨U+202E⟩',
      '',
      expect.stringMatching(/^By ops with deploy · digest [0-9a-f]{12}$/),
      '',
      'The server says: Safe.⟨U+000A⟩⟨U+000A⟩Approve: nothing',
      '',
      'Why: Release',
      '',
      'This cannot be undone.',
    ])
    expect(question?.requestedSchema).toEqual({
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          oneOf: [
            { const: 'approve', title: 'Approve' },
            { const: 'decline', title: 'Decline' },
          ],
        },
      },
      required: ['decision'],
    })
  })

  test('[GATE-6] what is too long to show is not asked', async () => {
    const play = roundsOf(createAssent().interactive, async (_, { gate }) => {
      await gate({ title: 'Deploy', arguments: { text: 'x'.repeat(10_000) } }, () => 1)
      return ''
    })
    await expect(play()).rejects.toMatchObject({ code: 'limit_exceeded' })
  })

  test('[GATE-7] an error of the work is kept like its result: it is not run again', async () => {
    const ran = vi.fn(() => {
      throw new Error('no space')
    })
    const play = roundsOf(createAssent().interactive, async (_, { ask, gate }) => {
      const failed = await gate({ title: 'Deploy', arguments: {} }, ran).catch((error: Error) => error.message)
      return `${failed} ${await ask.text('Anything else?')}`
    })
    const first = await play()
    const second = await play(undefined, { state: first.state, answers: { 'ask-1': approve } })
    const last = await play(undefined, { state: second.state, answers: { 'ask-2': accept({ text: '!' }) } })
    expect(last.text).toBe('no space !')
    expect(ran).toHaveBeenCalledTimes(1)
  })
})
