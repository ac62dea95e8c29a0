// The comment on an answer reaches the agent unchanged, for every question and every answer.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { answerMeta } from '@assent/core'
import { afterEach, describe, expect, test } from 'vitest'
import { generations } from '../../../test-kit/mcp/in-memory.ts'
import { createRepository, type TestRepository } from './fixtures/fixture.suite.ts'
import { monorepo } from './fixtures/repositories.corpus.ts'
import { runAction } from './run-action.suite.ts'

let placed: TestRepository | undefined
afterEach(async () => {
  await placed?.remove()
  placed = undefined
})

const before = {
  approve: ['propose'],
  migrate: ['propose', 'approve'],
  rollback: ['propose', 'approve', 'migrate'],
  skip: [],
} as const
function lastTrace(action: string): { readonly response: unknown } {
  const folder = join(placed?.root ?? '', '.copilot-state/elicitation-traces')
  const names = readdirSync(folder).filter((name) => name.endsWith(`-${action}.json`))
  return JSON.parse(readFileSync(join(folder, names.sort().at(-1) ?? ''), 'utf8'))
}

const wrote = 'Not before the release:\nask Ada first.'

describe.each(generations)('on %s', (generation) => {
  async function answeredBy(action: keyof typeof before, answer: (boxes: readonly string[]) => object) {
    placed = await createRepository(monorepo)
    const { root } = placed
    for (const each of before[action]) await runAction({ root, action: each, generation })
    return runAction({ root, action, generation, answer })
  }

  test.each(Object.keys(before) as (keyof typeof before)[])(
    '[ONBOARD-24] the comment on a decline of %s is in the result and in its message',
    async (action) => {
      const { data } = await answeredBy(action, () => ({
        action: 'decline',
        _meta: answerMeta({ comment: wrote }),
      }))
      expect(data).toEqual({ status: 'declined', message: expect.stringContaining(wrote), comment: wrote })
      expect(lastTrace(action).response).toEqual({ action: 'decline', content: { comment: wrote } })
    },
  )

  test.each(Object.keys(before) as (keyof typeof before)[])(
    '[ONBOARD-24] the comment next to an unticked box of %s is in the result too',
    async (action) => {
      const { data } = await answeredBy(action, (boxes) => ({
        action: 'accept',
        content: Object.fromEntries(boxes.map((name) => [name, false])),
        _meta: answerMeta({ comment: wrote }),
      }))
      expect(data).toMatchObject({ status: 'declined', comment: wrote })
    },
  )

  test('[ONBOARD-24] the comment on a dismissal is in the message', async () => {
    const { data } = await answeredBy('migrate', () => ({ action: 'cancel', _meta: answerMeta({ comment: wrote }) }))
    expect(data).toEqual({ status: 'canceled', message: expect.stringContaining(wrote) })
  })

  test('[ONBOARD-24] the comment on a yes is in the result', async () => {
    const { data } = await answeredBy('migrate', (boxes) => ({
      action: 'accept',
      content: Object.fromEntries(boxes.map((name) => [name, true])),
      _meta: answerMeta({ comment: wrote }),
    }))
    expect(data).toMatchObject({ status: 'completed', comment: wrote, message: expect.stringContaining(wrote) })
  })
})
