import { generateKeyPairSync } from 'node:crypto'
import { actionDigest, askLimits, type JsonObject, toolDefinitionDigest } from '@assent/core'
import { describe, expect, test, vi } from 'vitest'
import { AuthorPromises } from '../ask/author-promises.ts'
import type { Run } from '../ask/run.ts'
import { createAssent } from '../assent.ts'
import { verifyReceipt } from '../index.ts'
import type { Interaction } from '../interaction.ts'
import type { InteractiveOptions } from '../interactive.ts'
import { sdkLimits } from '../limits.ts'
import { accept, roundsOf } from '../rounds.suite.ts'
import type { AssentSettings, ServerContext } from '../server/server-context.ts'
import { UsedApprovals } from '../server/used-approvals.ts'
import { createGate } from './gate.ts'
import { definition, runLiveGate } from './live-gate.suite.ts'

describe('an approval', () => {
  /** Moves the clock by `ms` between the answer and the use, while the tool's definition is read the second time. */
  async function usedAfter(ms: number, useWithinMs: number | undefined, settings: AssentSettings = {}) {
    let nowMs = 1_000_000
    let reads = 0
    const ran = vi.fn(() => 'ran')
    const result = await runLiveGate(
      async ({ gate }) => {
        const within = useWithinMs === undefined ? {} : { useWithinMs }
        return (await gate({ title: 'Deploy', arguments: {}, ...within }, ran)).value
      },
      () => accept(),
      { ...settings, nowMs: () => nowMs },
      {
        name: 'deploy',
        definition: () => {
          if (++reads === 2) nowMs += ms
          return definition
        },
      },
    )
    expect(ran).toHaveBeenCalledTimes(result.text === 'ran' ? 1 : 0)
    return result
  }

  test('[GATE-5] a yes is valid until the last millisecond of its time, and not with a clock that went backwards', async () => {
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
    '[GATE-5] an invalid time to use a yes is refused before a person is asked: %d',
    async (useWithinMs) => {
      const person = vi.fn(() => accept())
      const gated = runLiveGate(
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

  test('[GATE-5] the longest time to use a yes can be set', async () => {
    expect((await usedAfter(1, askLimits.useWithinMaxMs)).text).toBe('ran')
  })

  test('[GATE-1] the comment of the person comes with the value; without one the member is absent', async () => {
    const gatedWith = async (answer: object) => {
      let gated: object = {}
      await runLiveGate(
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
    expect(await gatedWith(accept())).toStrictEqual({ value: 1, receipt: expect.any(String) })
  })

  test.each<[string, InteractiveOptions, string, object]>([
    ['its name', { name: 'deploy', definition }, 'deploy', definition],
    ['its definition', { definition }, 'deploy', definition],
    ['its name alone', { name: 'roll' }, 'roll', { name: 'roll' }],
    ['the title', {}, 'Deploy it', { name: 'Deploy it' }],
  ])('[GATE-1] the receipt names the tool by %s', async (_, identity, tool, defined) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    let receipt = ''
    await runLiveGate(
      async ({ gate }) => {
        receipt = (await gate({ title: 'Deploy it', arguments: { env: null } }, () => 1)).receipt
        return ''
      },
      () => accept(),
      { signing: { keyId: 'k1', privateKey } },
      identity,
    )
    const digest = actionDigest({
      server: 'ops',
      tool,
      definitionDigest: toolDefinitionDigest(defined as typeof definition),
      arguments: { env: null },
    })
    expect(verifyReceipt(receipt, publicKey)).toMatchObject({ ok: true, statement: { actionDigest: digest } })
  })

  test('[GATE-1] the receipt has the times of decision and use, the ask and the grant', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    let nowMs = 1_000
    let receipt = ''
    await runLiveGate(
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

  test('[GATE-2] arguments that are not JSON are not asked about, and the error names them', async () => {
    const gated = (given: unknown) =>
      runLiveGate(
        async ({ gate }) => String((await gate({ title: 'Deploy', arguments: given as JsonObject }, () => 1)).value),
        () => accept(),
      )
    await expect(gated({ env: undefined })).rejects.toMatchObject({
      code: 'not_canonical',
      message:
        'This action cannot be approved. This value has no canonical JSON form: undefined is not a JSON type, at "/env". ' +
        'Leave out members that are undefined, and pass dates and instances of classes as text, numbers or plain objects.',
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

  test.each<[string, (gate: Interaction['gate']) => Promise<unknown>, string]>([
    ['work', (gate) => gate({ title: 'Deploy', arguments: {} }, undefined as never), 'is a function: its work.'],
    ['arguments', (gate) => gate({ title: 'Deploy' } as never, () => 1), 'An approval needs arguments'],
  ])('[GATE-2] without %s no person is asked', async (_, gated, message) => {
    const person = vi.fn(() => accept())
    const running = runLiveGate(async ({ gate }) => String(await gated(gate)), person)
    await expect(running).rejects.toMatchObject({ code: 'misconfigured', message: expect.stringContaining(message) })
    expect(person).not.toHaveBeenCalled()
  })

  test.each<[object | undefined, string]>([
    [{ decision: 'Approve' }, 'decision: Choose one of the options.'],
    [undefined, 'decision: This is required.'],
  ])('[GATE-2] an accept without a valid decision is refused with the reason: %j', async (content, why) => {
    const ran = vi.fn()
    const play = roundsOf(createAssent({}).interactive, async (_, { gate }) => {
      return String((await gate({ title: 'Deploy', arguments: {} }, ran)).value)
    })
    const { state } = await play()
    const { text, code } = await play(undefined, { state, answers: { 'ask-1': accept(content) } })
    expect(code).toBe('validation_failed')
    expect(text).toContain(`The answer to "Deploy" is not valid: ${why}`)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-4] an approval is recorded as used for as long as any state could bring it back', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const use = vi.fn((_id: string, _untilMs: number, _nowMs: number) => true)
    const settlement = { askId: `ask_${'0'.repeat(36)}`, ending: { kind: 'accepted' }, atMs: 1_000 }
    const serverContext = {
      usedApprovals: { use },
      nowMs: () => 2_000,
      newId: () => `grant_${'0'.repeat(36)}`,
      useWithinMs: 10_000,
      signing: { keyId: 'k1', privateKey },
      warnGateWithoutStore: () => undefined,
    } as unknown as ServerContext
    for (const [repeatableUntilMs, lastMs] of [
      [9_000, 9_000],
      [500, 2_000],
    ] as const) {
      const run = {
        surface: 'client',
        promises: new AuthorPromises(() => undefined),
        put: async () => ({ ...settlement, repeatableUntilMs }),
        once: async (_: string, work: (context: object) => unknown) => work({ attempt: 1 }),
      } as unknown as Run
      const identity = { server: 'ops', name: 'deploy', definition: undefined }
      const input = { schema: undefined, parsed: undefined, raw: undefined }
      const gate = createGate({ run, serverContext, identity, principal: 'ann', input })
      await gate({ title: 'Deploy', arguments: {} }, () => 1)
      expect(use).toHaveBeenLastCalledWith(settlement.askId, lastMs + 10_000 + sdkLimits.stateGraceMs, 2_000)
    }
  })

  test('[GATE-4] at the limit of recorded approvals, the next use is refused', () => {
    const used = new UsedApprovals(2)
    expect([used.use('a', 10, 0), used.use('b', 20, 0), used.use('c', 30, 0)]).toEqual([true, true, false])
    expect([used.use('a', 10, 11), used.use('c', 30, 11)]).toEqual([false, true])
    expect(sdkLimits.usedGrants).toBeGreaterThan(1_000)
  })

  test('[GATE-4] a used approval is deleted only after its time, and only to make room', () => {
    const full = new UsedApprovals(1)
    expect([full.use('a', 10, 0), full.use('b', 20, 10), full.use('b', 20, 11)]).toEqual([true, false, true])
    const roomy = new UsedApprovals(2)
    expect([roomy.use('a', 10, 0), roomy.use('b', 99, 50), roomy.use('a', 10, 51)]).toEqual([true, true, false])
  })
})
