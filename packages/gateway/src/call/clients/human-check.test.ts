import { type Field, form, number, text } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { answeredByPerson, drawingProblem } from './human-check.ts'
import { knownClients } from './known-clients.ts'
import { holdableMs } from './request-timeouts.ts'
import { type ClientTraits, carefulTraits, drawsNothing, drawsPortable } from './traits.ts'
import { traitsOf } from './traits-of.ts'

const decline = (afterMs: number) => ({ action: 'decline', hasContent: false, afterMs }) as const
const accept = (afterMs: number, hasContent: boolean) => ({ action: 'accept', hasContent, afterMs }) as const

describe('the table', () => {
  test('[CLIENT-1] a client is found by its declared name, and an unknown client gets the careful traits', () => {
    expect(traitsOf({ name: 'Visual Studio Code - Insiders', version: '1.130.0' }).title).toBe('VS Code')
    expect(traitsOf({ name: 'codex-mcp-client' }).title).toBe('Codex')
    for (const info of [{}, { name: 7 }, { name: 'claude-codex' }, { name: '' }, { name: 'constructor' }]) {
      expect(traitsOf(info as never)).toBe(carefulTraits)
    }
  })

  test('[CLIENT-1] a row for some versions applies only to those, also for unusual version strings', () => {
    const [row] = knownClients
    if (row === undefined) throw new Error('The table is empty.')
    const table = [
      { ...row, title: 'old', names: ['x'], before: '2.1.76' },
      { ...row, title: 'middle', names: ['x'], from: '2.1.76', before: '3' },
      { ...row, title: 'any', names: ['x'] },
    ]
    const titleOf = (version: string) => traitsOf({ name: 'x', version }, table).title

    expect(['2.1.75', '2.1', '2.1.76', '2.10.0', '2.99.1-beta', '3.0', '3'].map(titleOf)).toEqual([
      'old',
      'old',
      'middle',
      'middle',
      'middle',
      'any',
      'any',
    ])
    expect(['', 'latest', '99999999999999999999', '-1'].map(titleOf)).toEqual(['any', 'any', 'any', 'any'])
  })

  test('[CLIENT-1] no row is hidden by one before it', () => {
    for (const row of knownClients) {
      for (const name of row.names) expect(traitsOf({ name: name.replace('*', 'x') }).title).toBe(row.title)
    }
  })
})

describe('answers of a person', () => {
  test('[CLIENT-2] a "no" that arrives faster than a person can read does not count, whichever client sent it', () => {
    for (const traits of [carefulTraits, ...knownClients]) {
      expect(answeredByPerson(traits, decline(5), 300)).toBe(false)
      expect(answeredByPerson(traits, { ...decline(299), action: 'cancel' }, 300)).toBe(false)
    }
  })

  test('[CLIENT-2] a "no" counts sooner if only a person sends it, later if a program may, never if only a program does', () => {
    const countsAfter = (no: ClientTraits['no']) =>
      [300, 1_199, 1_200, 600_000].filter((afterMs) =>
        answeredByPerson({ ...carefulTraits, no }, decline(afterMs), 300),
      )

    expect(countsAfter('person')).toEqual([300, 1_199, 1_200, 600_000])
    expect(countsAfter('either')).toEqual([1_200, 600_000])
    expect(countsAfter('program')).toEqual([])
  })

  test('[CLIENT-3] a yes without content counts later if the client is known to send it automatically', () => {
    const careless = { ...carefulTraits, acceptsEmptyFormByItself: true }
    expect(answeredByPerson(careless, accept(1_199, false), 300)).toBe(false)
    expect(answeredByPerson(careless, accept(1_200, false), 300)).toBe(true)
    expect(answeredByPerson(careless, accept(300, true), 300)).toBe(true)
    expect(answeredByPerson({ ...careless, acceptsEmptyFormByItself: false }, accept(300, false), 300)).toBe(true)
  })

  test('[CLIENT-6] an answer that precedes its question by another replica’s clock counts as given at once', () => {
    expect(answeredByPerson(carefulTraits, accept(-3, true), 0)).toBe(true)
    expect(answeredByPerson(carefulTraits, accept(-3, true), 300)).toBe(false)
  })

  test("[CLIENT-6] a yes that arrives faster than a person can read is not a person's, whichever client sent it", () => {
    for (const traits of [carefulTraits, ...knownClients]) {
      for (const hasContent of [true, false]) {
        expect(answeredByPerson(traits, accept(-5, hasContent), 300)).toBe(false)
        expect(answeredByPerson(traits, accept(299, hasContent), 300)).toBe(false)
        expect(answeredByPerson(traits, accept(1_200, hasContent), 300)).toBe(true)
      }
    }
  })
})

describe('drawing', () => {
  const asked = form({ name: text(), replicas: number() })

  test('[CLIENT-4] a form that the client cannot show is found before it is sent, and the reason names the client', () => {
    expect(drawingProblem(carefulTraits, asked)).toBeUndefined()
    expect(drawingProblem({ ...carefulTraits, form: drawsPortable }, asked)).toContain('a number')
    expect(drawingProblem({ ...carefulTraits, form: drawsPortable }, form({ name: text() }))).toBeUndefined()
    expect(drawingProblem({ ...carefulTraits, form: drawsNothing }, asked)).toContain('shows no forms')
    const kinds: readonly Field['kind'][] = ['text', 'number']
    expect(drawingProblem({ ...carefulTraits, form: { kinds, fieldsMost: 1 } }, asked)).toContain('1 fields at most')
  })
})

describe('timeouts', () => {
  const traits = (name: string) => traitsOf({ name }).patience
  const quiet = { progress: false, over: 'http' } as const

  test('[CLIENT-5] a call is answered before its client times out, unless the timeout is extended', () => {
    for (const { title, patience } of [carefulTraits, ...knownClients]) {
      for (const over of ['http', 'stdio'] as const) {
        const heldMs = holdableMs(patience, { progress: false, over })
        if (Number.isFinite(heldMs)) expect(heldMs, title).toBeLessThan(patience.quietMs ?? 0)
      }
    }
    expect(holdableMs(carefulTraits.patience, quiet)).toBe(50_000)
    expect(holdableMs(carefulTraits.patience, { ...quiet, progress: true })).toBe(50_000)
  })

  test('[CLIENT-5] what extends one client’s timeout does not extend another’s', () => {
    expect(holdableMs(traits('claude-code'), quiet)).toBe(290_000)
    expect(holdableMs(traits('claude-code'), { ...quiet, progress: true })).toBe(Number.POSITIVE_INFINITY)
    expect(holdableMs(traits('Visual Studio Code'), quiet)).toBe(Number.POSITIVE_INFINITY)
    expect(holdableMs(traits('Visual Studio Code'), { ...quiet, over: 'stdio' })).toBe(Number.POSITIVE_INFINITY)
    expect(holdableMs(traits('Zed'), { ...quiet, progress: true })).toBe(50_000)
    expect(holdableMs({ quietMs: 2_000, extendedBy: 'nothing' }, quiet)).toBe(1_000)
  })
})
