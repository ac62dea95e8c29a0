import { describe, expect, test } from 'vitest'
import { field } from '../ask/field.ts'
import { createAssent } from '../assent.ts'
import { callTool } from './call-tool.ts'
import { scriptedPerson } from './person.ts'

const { interactive } = createAssent({ name: 'acme' })

const deploy = interactive<[{ env: string }]>(
  async ({ env }, { ask, step }) => {
    const region = await ask.choose('Which region?', { eu: 'Europe', us: 'United States' })
    const replicas = await ask.number('How many replicas?', { min: 1, max: 50 })
    await ask.approve('Deploy', { env, region, replicas })
    return `Deployed ${await step('deploy', () => `${env}-${region}-${replicas}`)}`
  },
  { name: 'deploy' },
)

describe.each(['2025-11-25', '2026-07-28'] as const)('%s', (revision) => {
  test('[TESTING-1] [TESTING-3] a person answers question by question, and the transcript has it', async () => {
    const person = scriptedPerson().accepts('eu').accepts({ number: 4 }).accepts('approve')
    const call = await callTool(deploy, { env: 'test' }, { person, revision })

    expect(call).toMatchObject({
      text: 'Deployed test-eu-4',
      refused: undefined,
      runs: revision === '2025-11-25' ? 1 : 4,
    })
    expect(call.transcript.map(({ question }) => question.message.split('\n')[0])).toEqual([
      'Which region?',
      'How many replicas?',
      'Approve: Deploy',
    ])
    expect(call.transcript.map(({ answer }) => answer)).toEqual([
      { action: 'accept', content: { choice: 'eu' } },
      { action: 'accept', content: { number: 4 } },
      { action: 'accept', content: { decision: 'approve' } },
    ])
  })

  test('[TESTING-1] a person declines, dismisses, or answers what does not fit', async () => {
    const endings = { declined: scriptedPerson().declines(), cancelled: scriptedPerson().dismisses() }
    for (const [code, person] of Object.entries(endings)) {
      expect((await callTool(deploy, { env: 'test' }, { person, revision })).refused).toBe(code)
    }
    for (const person of [scriptedPerson().accepts('mars'), scriptedPerson().answersWith({ action: 'maybe' })]) {
      expect((await callTool(deploy, { env: 'test' }, { person, revision })).refused).toBe('validation_failed')
    }
  })

  test('[TESTING-1] a client without capabilities asks no person', async () => {
    const call = await callTool(deploy, { env: 'test' }, { revision, shows: { form: false, url: false } })
    expect(call).toMatchObject({ refused: 'not_supported', transcript: [] })
  })

  test('[TESTING-1] a person who never answers leaves the call open, or the tool times out first', async () => {
    const open = await callTool(
      deploy,
      { env: 'test' },
      { person: scriptedPerson().neverAnswers(), revision, timeoutMs: 100 },
    )
    expect(open).toMatchObject({ result: undefined, text: '', transcript: [{ answer: undefined }] })

    const brief = interactive(async ({ ask }) => ask.text('Quick?', { waitMs: 1_000 }))
    const late = await callTool(brief, undefined, {
      person: scriptedPerson().neverAnswers(),
      revision,
      timeoutMs: 20_000,
    })
    expect(late.refused).toBe('timed_out')
    expect(late.transcript).toHaveLength(1)
  })

  test('[TESTING-1] of several questions at once one can stay without an answer', async () => {
    const tool = interactive(async ({ ask }) => {
      const { a, b } = await ask.all({ a: ask.text('A?'), b: ask.text('B?', { waitMs: 1_000 }).catch(() => 'nothing') })
      return `${a} ${b}`
    })
    const person = scriptedPerson().accepts('yes').neverAnswers()
    const call = await callTool(tool, undefined, { person, revision, timeoutMs: 20_000 })
    expect(call.text).toBe('yes nothing')
    expect(call.transcript).toHaveLength(2)
  })

  test('[TESTING-2] a question that is not in the script fails the test, whatever the tool makes of it', async () => {
    const person = scriptedPerson().accepts('eu')
    await expect(callTool(deploy, { env: 'test' }, { person, revision })).rejects.toThrow(
      'The tool asked "How many replicas?", but the script ends after 1 answer.',
    )
    await expect(callTool(deploy, { env: 'test' }, { revision })).rejects.toThrow('but the script answers nothing')
  })

  test('[TESTING-2] an answer that was never used fails the test', async () => {
    const person = scriptedPerson().declines().accepts(7).neverAnswers()
    await expect(callTool(deploy, { env: 'test' }, { person, revision })).rejects.toThrow(
      'These were never asked for: accepts 7; never answers.\nWhat was asked:\n  1. "Which region?" → {"action":"decline"}',
    )
  })

  test('[TESTING-2] an answer to another question than it was meant for fails the test', async () => {
    const person = scriptedPerson()
      .accepts('eu', { asked: 'How many' })
      .declines({ asked: /replicas/ })
    await expect(callTool(deploy, { env: 'test' }, { person, revision })).rejects.toThrow(
      'The script expected How many next, but the tool asked "Which region?".',
    )
  })

  test('[TESTING-1] [TESTING-2] an approval needs `approves()`, and only an approval accepts it', async () => {
    const bare = scriptedPerson().accepts('eu').accepts(4).accepts()
    expect((await callTool(deploy, { env: 'test' }, { person: bare, revision })).refused).toBe('validation_failed')
    const person = scriptedPerson().approves().accepts(4).approves()
    await expect(callTool(deploy, { env: 'test' }, { person, revision })).rejects.toThrow(
      '"Which region?" is not an approval.',
    )
  })

  test('[TESTING-2] one value for several fields fails the test', async () => {
    const tool = interactive(async ({ ask }) =>
      JSON.stringify(await ask.form('Who?', { a: field.text(), b: field.text() })),
    )
    await expect(callTool(tool, undefined, { person: scriptedPerson().accepts('x'), revision })).rejects.toThrow(
      'The script accepts with "x", but "Who?" has the fields a, b.',
    )
  })

  test('[TESTING-1] an error of the tool is thrown unchanged', async () => {
    const broken = interactive(async () => {
      throw new TypeError('a mistake')
    })
    await expect(callTool(broken, undefined, { revision })).rejects.toThrow('a mistake')
  })
})
