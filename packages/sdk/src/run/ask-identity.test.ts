import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ConfirmOptions } from '../ask/options.ts'
import { createAssent } from '../assent.ts'
import { accept, roundsOf } from '../rounds.suite.ts'

const yes = accept({ confirmed: true })
const no = { action: 'decline' }

test('[SDK-10] a yes to a question with one reason is not used for another reason', async () => {
  let files = ['a.txt']
  const deleted: string[] = []
  const play = roundsOf(createAssent({ repeatWithinMs: 5, log: () => undefined }).interactive, async (_, { ask }) => {
    for (const file of files) if (await ask.confirm('Delete this file?', { reason: file })) deleted.push(file)
    return 'done'
  })
  const { state } = await play()
  files = ['c.txt']
  expect((await play(undefined, { state, answers: { 'ask-1': yes } })).code).toBe('out_of_order')
  expect(deleted).toEqual([])
})

test.each<[string, ConfirmOptions, ConfirmOptions]>([
  ['reason', { reason: 'a.txt' }, { reason: 'b.txt' }],
  ['risk', { risk: 'destructive' }, { risk: 'notable' }],
])('[SDK-10] asks that differ only by %s keep their answers in any order', async (_, first, second) => {
  let lateMs = [0, 20]
  const play = roundsOf(createAssent().interactive, async (_, { ask }) => {
    const confirm = async (options: ConfirmOptions, afterMs = 0) => {
      await pause(afterMs)
      return ask.confirm('Delete this file?', options)
    }
    return JSON.stringify(await Promise.all([confirm(first, lateMs[0]), confirm(second, lateMs[1])]))
  })
  const one = await play()
  lateMs = [20, 0]
  const two = await play(undefined, { state: one.state, answers: { 'ask-1': yes } })
  const three = await play(undefined, { state: two.state, answers: { 'ask-1': yes, 'ask-2': no } })
  expect([one, two, three].find(({ state }) => state === undefined)?.text).toBe('[true,false]')
})
