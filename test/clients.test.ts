// Tests how a run of a real client is judged, and what is read from its recording. The runs are `npm run clients`.
import type { AskView } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { clients } from '../clients/catalog.ts'
import { factsOf } from '../clients/facts.ts'
import { judge } from '../clients/judge.ts'
import { measuredOf, readMeasured } from '../clients/measured.ts'
import { initCommand, type Played, type PlayedStep } from '../clients/play.ts'
import type { Recorded } from '../clients/recorder.ts'
import { scenarios } from '../clients/steps.ts'
import { knownClients } from '../packages/gateway/src/call/clients/known-clients.ts'
import { knownClient } from '../packages/gateway/src/call/clients/traits-of.ts'
import { commandLine, everyCommand } from '../packages/gateway/src/program/program.ts'
import { initClients } from '../packages/gateway/src/setup/init/clients.ts'

const [client = never()] = clients
const [answers = never(), away = never()] = scenarios(true)
const scenario = { ...answers, steps: [...answers.steps, ...away.steps] }

function never(): never {
  throw new Error('There is no client or no scenario.')
}

/** A run in which everything went well, with changes to one step. */
function aRun(at: number, change: Partial<PlayedStep> = {}, more: Partial<Played> = {}): Played {
  const steps = scenario.steps.map((step, index): PlayedStep => {
    const ask = { id: `ask_${index}`, headline: '?', asker: { server: 'agent', tool: step.call.tool } } as AskView
    const answeredAt = step.answer === undefined ? {} : { answeredAt: 1_000 }
    const well = { step, ask, ...answeredAt, result: { text: step.reads.join(' '), at: 2_000 } }
    return index === at ? { ...well, ...change } : well
  })
  const answered = new Set(steps.flatMap(({ step, ask }) => (step.answer === undefined || !ask ? [] : [ask.id])))
  return { client, scenario, steps, recording: [], ended: [], answered, turns: 5, missing: 0, code: 0, ...more }
}

const settled = (id: string, via: string) => ({ id, headline: '?', state: { kind: 'settled', via } }) as AskView

describe('the verdict on a run', () => {
  test('[HOUSE-19] a run in which every answer is the person’s passes', () => {
    expect(judge(aRun(0, {}, { ended: [settled('ask_0', 'terminal')] }))).toEqual({ reasons: [], withoutPerson: 0 })
  })

  test.each([
    ['a question that is not in the inbox', { ask: undefined }],
    ['a question of another tool', { ask: { id: 'ask_0', asker: { server: 'agent', tool: 'other' } } }],
    ['an answer that is not recorded', { problem: 'It has ended.' }],
    ['an answer that does not reach the model', { result: undefined }],
    ['a result that lacks the answer', { result: { text: 'done', at: 2_000 } }],
  ])('[HOUSE-19] %s fails', (_, change) => {
    expect(judge(aRun(0, change as Partial<PlayedStep>)).reasons).not.toEqual([])
  })

  test('[HOUSE-19] a result before the person answered is an answer without the person', () => {
    expect(judge(aRun(0, { answeredAt: 3_000 }))).toMatchObject({ withoutPerson: 1 })
  })

  test.each([
    ['in the client', [settled('ask_0', 'client')]],
    ['in place of a person who was away', [settled('ask_3', 'terminal')]],
  ])('[HOUSE-19] an ask that is answered %s is an answer without the person', (_, ended) => {
    expect(judge(aRun(0, {}, { ended }))).toMatchObject({ withoutPerson: 1 })
  })

  test.each([
    ['a code', 1],
    ['no end', undefined],
  ])('[HOUSE-19] a client that ends with %s fails', (_, code) => {
    expect(judge({ ...aRun(0), code }).reasons).toHaveLength(1)
  })

  test('[HOUSE-19] a client that ends too early fails for every question that is left', () => {
    const run = aRun(0)
    expect(judge({ ...run, steps: run.steps.slice(0, 1) }).reasons).toHaveLength(scenario.steps.length - 1)
  })
})

test('[HOUSE-19] every client has the names of `assent init` and of the table of known clients', () => {
  for (const { id, title } of clients) {
    expect(initClients.find((one) => one.id === id)?.title).toBe(title)
    expect(knownClients.some((one) => one.title === title)).toBe(true)
  }
})

test('[HOUSE-19] the command that sets a client up has only options of `assent init`', () => {
  const program = commandLine(
    { out: () => undefined, err: () => undefined, variables: {}, isOutColoured: false, isErrColoured: false },
    () => undefined,
  )
  const init = everyCommand(program).find((command) => command.name() === 'init') ?? never()
  const { operands, unknown } = init.parseOptions([...initCommand(client).slice(1)])

  expect(initCommand(client)[0]).toBe('init')
  expect({ operands, unknown }).toEqual({ operands: [client.id], unknown: [] })
})

describe('the facts in a recording', () => {
  const line = (at: number, from: 'client' | 'server', message: object): Recorded => ({
    at,
    from,
    text: JSON.stringify(message),
  })
  const started: Recorded = { at: 0, started: { folder: '/', variables: ['HOME', 'PATH', 'LANG'] } }

  test('[HOUSE-19] with sessions', () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'one', version: '1.2' },
    }
    const recording = [
      started,
      line(1, 'client', { id: 0, method: 'initialize', params }),
      line(2, 'client', { id: 1, method: 'tools/call', params: { _meta: { progressToken: 1 } } }),
      line(10, 'server', { id: 'q', method: 'elicitation/create', params: {} }),
      line(14, 'client', { id: 'q', result: { action: 'decline' } }),
      line(20, 'server', { id: 1, result: {} }),
    ]

    expect(factsOf(recording)).toEqual({
      name: 'one',
      version: '1.2',
      revision: '2025-06-18',
      capabilities: { elicitation: {} },
      wantsProgress: true,
      ownAnswers: [{ action: 'decline', count: 1, slowestMs: 4 }],
      longestCallMs: 18,
      variables: 1,
    })
  })

  test('[HOUSE-19] stateless, and a client that falls back to sessions', () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'one', version: '1.2' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    }
    const discover = line(1, 'client', { id: 0, method: 'server/discover', params: { _meta } })
    const call = line(2, 'client', { id: 1, method: 'tools/call', params: { _meta } })
    const asked = line(3, 'server', { id: 1, result: { resultType: 'input_required', inputRequests: { a: {} } } })
    const again = { _meta, inputResponses: { a: { action: 'cancel' } } }
    const answer = line(8, 'client', { id: 2, method: 'tools/call', params: again })
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'one', version: '1.2' } }
    const fallback = line(9, 'client', { id: 3, method: 'initialize', params: initialize })

    expect(factsOf([started, discover, call, asked, answer])).toMatchObject({
      revision: '2026-07-28',
      capabilities: { elicitation: {} },
      ownAnswers: [{ action: 'cancel', count: 1, slowestMs: 5 }],
    })
    expect(factsOf([started, discover, fallback])).toMatchObject({ revision: '2025-11-25', tried: '2026-07-28' })
    expect(factsOf([started])).toBeUndefined()
  })
})

describe('what was measured', () => {
  test('[HOUSE-19] is of the versions that are run, and fits the table of known clients', () => {
    const measured = readMeasured()
    expect(measured.map(({ title, version }) => [title, version])).toEqual(
      clients.map(({ title, version }) => [title, version]),
    )
    for (const { title, name, version, declares, answersByItself } of measured) {
      const known = knownClient({ name, version }) ?? never()
      expect(known.title).toBe(title)
      // A client that declares nothing is never asked.
      expect(known.form.kinds.length > 0, `${title} shows forms`).toBe(declares.includes('form'))
      expect(known.showsLinks, `${title} shows links`).toBe(declares.includes('url'))
      if (declares.length > 0 && known.no === 'person') expect(answersByItself).toEqual([])
      expect(answersByItself).not.toContain('accept')
    }
  })

  test('[HOUSE-19] is taken from all runs of a client', () => {
    const facts = {
      name: 'one',
      version: '1.2',
      revision: '2025-11-25',
      capabilities: { elicitation: {} },
      wantsProgress: true,
      ownAnswers: [{ action: 'decline', count: 2, slowestMs: 4 }],
      longestCallMs: 1_900,
      variables: 0,
    }
    const slow = { ...facts, ownAnswers: [{ action: 'cancel', count: 1, slowestMs: 4 }], longestCallMs: 150_200 }
    const links = { ...facts, capabilities: { elicitation: { url: {} } }, tried: '2026-07-28' }

    expect(measuredOf(client, [facts, slow])).toEqual({
      title: client.title,
      version: '1.2',
      name: 'one',
      revision: '2025-11-25',
      declares: ['form'],
      answersByItself: ['cancel', 'decline'],
      wantsProgress: true,
      longestCallS: 150,
    })
    expect(measuredOf(client, [links])).toMatchObject({ declares: ['url'], tried: '2026-07-28' })
    expect(measuredOf(client, [{ ...facts, capabilities: {} }])).toMatchObject({ declares: [] })
    expect(() => measuredOf(client, [])).toThrow('never connected')
  })
})
