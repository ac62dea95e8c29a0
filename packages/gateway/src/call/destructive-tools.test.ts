import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { DestructiveTools } from './destructive-tools.ts'
import type { InputRequest } from './model.ts'

const form: InputRequest = { kind: 'form', message: 'Sure?', schema: {}, params: {} }
const sampling: InputRequest = { kind: 'sampling', params: {} }

function isMarked(tools: DestructiveTools, name?: string, server = 'disk', method = 'tools/call'): boolean {
  const { one, two } = tools.marked(
    server,
    { method, params: name === undefined ? {} : { name } },
    { one: form, two: sampling },
  )
  expect(two).toBe(sampling)
  expect(one).toMatchObject(form)
  return one !== undefined && 'isInDestructiveTool' in one
}

function tool(name: string, annotations?: Record<string, unknown>) {
  return { name, inputSchema: {}, ...(annotations === undefined ? {} : { annotations }) } as never
}

test('[CARD-15] only an explicit hint makes a tool destructive', () => {
  const tools = new DestructiveTools()
  const plain = [
    tool('none'),
    tool('empty', {}),
    tool('no', { destructiveHint: false }),
    tool('text', { destructiveHint: 'true' }),
  ]
  tools.listed('disk', 'tools/list', [...plain, tool('wipe', { destructiveHint: true }), null, { annotations: {} }])

  const names = ['none', 'empty', 'no', 'text', 'wipe', 'unknown']
  expect(names.filter((name) => isMarked(tools, name))).toEqual(['wipe'])
})

test('[CARD-15] a hint counts for calls of this tool at this server', () => {
  const tools = new DestructiveTools()
  tools.listed('disk', 'tools/list', [tool('wipe', { destructiveHint: true })])
  tools.listed('disk', 'prompts/list', [tool('ask', { destructiveHint: true })])

  expect(isMarked(tools, 'wipe', 'other')).toBe(false)
  expect(isMarked(tools, 'wipe', 'disk', 'prompts/get')).toBe(false)
  expect(isMarked(tools)).toBe(false)
  expect(isMarked(tools, 'ask')).toBe(false)
})

test('[CARD-15] the approval of a call is not marked here: it has the mark of the definition that judged the call', () => {
  const tools = new DestructiveTools()
  tools.listed('disk', 'tools/list', [tool('wipe', { destructiveHint: true })])
  const approval = {
    title: 'Wipe',
    definitionDigest: '',
    policySetDigest: '',
    policies: [],
    requirements: [],
    declines: 1,
  }
  const wanted = { one: { ...form, approval } }

  expect(tools.marked('disk', { method: 'tools/call', params: { name: 'wipe' } }, wanted)).toEqual(wanted)
})

test('[CARD-15] the last definition counts, and a long list is cut', () => {
  closeAfterTest(setLimits(relayLimits, { destructiveTools: 2 }))
  const tools = new DestructiveTools()
  const destructive = ['a', 'b', 'c'].map((name) => tool(name, { destructiveHint: true }))
  tools.listed('disk', 'tools/list', destructive)
  tools.listed('disk', 'tools/list', [tool('a')])

  expect(['a', 'b', 'c'].map((name) => isMarked(tools, name))).toEqual([false, true, false])
})
