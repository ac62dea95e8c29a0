import { generateKeyPairSync } from 'node:crypto'
import { actionDigest, type JsonObject, toolDefinitionDigest } from '@assent/core'
import { describe, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import { verifyReceipt } from '../index.ts'
import type { Interaction } from '../interaction.ts'
import { accept, type RoundHandler, roundsOf } from '../rounds.suite.ts'
import { approvingAnswer, definition, options, runLiveGate } from './live-gate.suite.ts'

describe('a gate', () => {
  test('[GATE-1] runs after a yes, with the approved arguments, and gives the result and a receipt', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const given = { env: 'production', replicas: 4 }
    let receipt = ''
    const ran = vi.fn(async ({ env }: JsonObject) => `deployed to ${env}`)
    const { text } = await runLiveGate(
      async ({ gate }) => {
        const gated = await gate({ title: 'Deploy', arguments: given }, ran)
        receipt = gated.receipt
        return gated.value
      },
      () => accept(),
      { signing: { keyId: 'k1', privateKey } },
    )
    expect(text).toBe('deployed to production')
    expect(ran).toHaveBeenCalledExactlyOnceWith(given, expect.objectContaining({ attempt: 1, receipt }))
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
    ['content that was not shown', accept({ sure: true }), 'validation_failed'],
    ['an accept in another case', { action: 'Accept' }, 'validation_failed'],
  ])('[GATE-2] stays closed after %s', async (_, answer, code) => {
    const ran = vi.fn()
    const result = await runLiveGate(
      async ({ gate }) => String((await gate({ title: 'Deploy', arguments: {} }, ran)).value),
      () => answer,
    )
    expect(result.code).toBe(code)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-2] stays closed when no person can be asked, the surface fails, or the wait is over', async () => {
    const ran = vi.fn()
    const handler = async ({ gate }: Interaction) =>
      String((await gate({ title: 'Deploy', arguments: {}, waitMs: 1_000 }, ran)).value)
    const broken = () => {
      throw new Error('gone')
    }
    expect((await runLiveGate(handler, broken)).code).toBe('channel_closed')
    expect((await runLiveGate(handler, () => new Promise(() => undefined))).code).toBe('timed_out')
    const play = roundsOf(createAssent().interactive, async (_, interaction) => handler(interaction))
    expect((await play(undefined, { elicitation: { url: {} } })).code).toBe('not_supported')
    expect(ran).not.toHaveBeenCalled()
  })

  test.each<[string, (given: { env: unknown; list: unknown[] }) => void]>([
    ['another value', (given) => Object.assign(given, { env: 'production' })],
    ['a number instead of text', (given) => Object.assign(given, { env: 1 })],
    ['an added member', (given) => Object.assign(given, { force: true })],
    ['a removed member', (given) => Reflect.deleteProperty(given, 'env')],
    ['an added item', (given) => given.list.push(1)],
    [
      'a getter that returns another value',
      (given) => Object.defineProperty(given, 'env', { get: () => 'test', enumerable: true }),
    ],
    ['a value that is not JSON', (given) => Object.assign(given, { env: undefined })],
  ])('[GATE-3] stays closed when the action was changed after it was approved: %s', async (_, change) => {
    const ran = vi.fn()
    const given = { env: '1', list: [] as unknown[] }
    const result = runLiveGate(
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

  test('[GATE-3] stays closed when the tool was redefined after the approval', async () => {
    const ran = vi.fn()
    let description = 'Deploys'
    const result = await runLiveGate(
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

  test('[GATE-3] the work gets a frozen copy of the arguments', async () => {
    const given = { tags: ['a'] }
    const result = await runLiveGate(
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

  test('[GATE-4] a yes opens it once: an old state with the same yes runs nothing again', async () => {
    const ran = vi.fn(() => 'ran')
    const handler: RoundHandler = async (_, { ask, gate }) => {
      const { value } = await gate({ title: 'Deploy', arguments: {} }, ran)
      return `${value} ${await ask.text('Anything else?')}`
    }
    const play = roundsOf(createAssent().interactive, handler)
    const first = await play()
    const yes = { state: first.state, answers: { 'ask-1': approvingAnswer } }
    const [second, third] = [await play(undefined, yes), await play(undefined, yes)]
    expect(Object.keys(second.questions)).toEqual(['ask-2'])
    expect(third.code).toBe('grant_refused')
    expect(third.text).toContain('Nothing was run: the approval was used before.')
    const last = { state: second.state, answers: { 'ask-2': accept({ text: 'no' }) } }
    expect((await play(undefined, last)).text).toBe('ran no')
    expect((await play(undefined, last)).text).toBe('ran no')
    expect(ran).toHaveBeenCalledTimes(1)
  })

  test('[GATE-4] of concurrent retries, one runs it', async () => {
    const ran = vi.fn(async () => new Promise((resolve) => setTimeout(() => resolve('ran'), 5)))
    const play = roundsOf(createAssent().interactive, async (_, { gate }) =>
      String((await gate({ title: 'Deploy', arguments: {} }, ran)).value),
    )
    const { state } = await play()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => play(undefined, { state, answers: { 'ask-1': approvingAnswer } })),
    )
    expect(all.filter(({ text }) => text === 'ran')).toHaveLength(1)
    expect(all.filter(({ code }) => code === 'grant_refused')).toHaveLength(19)
    expect(ran).toHaveBeenCalledTimes(1)
  })

  test('[GATE-5] a yes that was not used in time opens nothing', async () => {
    const ran = vi.fn()
    let nowMs = 1_000_000
    const { code } = await runLiveGate(
      async ({ gate }) => String((await gate({ title: 'Deploy', arguments: {}, useWithinMs: 1 }, ran)).value),
      () => accept(),
      { nowMs: () => nowMs++ },
    )
    expect(code).toBe('grant_refused')
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-6] the person is shown the action itself, with the claim of the server set apart', async () => {
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

  test('[GATE-6] an action that is too long to show is not asked about', async () => {
    const play = roundsOf(createAssent().interactive, async (_, { gate }) => {
      await gate({ title: 'Deploy', arguments: { text: 'x'.repeat(10_000) } }, () => 1)
      return ''
    })
    await expect(play()).rejects.toMatchObject({ code: 'limit_exceeded' })
  })

  test('[GATE-7] an error of the work is stored like its result: it is not run again', async () => {
    const ran = vi.fn(() => {
      throw new Error('no space')
    })
    const play = roundsOf(createAssent().interactive, async (_, { ask, gate }) => {
      const failed = await gate({ title: 'Deploy', arguments: {} }, ran).catch((error: Error) => error.message)
      return `${failed} ${await ask.text('Anything else?')}`
    })
    const first = await play()
    const second = await play(undefined, { state: first.state, answers: { 'ask-1': approvingAnswer } })
    const last = await play(undefined, { state: second.state, answers: { 'ask-2': accept({ text: '!' }) } })
    expect(last.text).toBe('no space !')
    expect(ran).toHaveBeenCalledTimes(1)
  })
})
