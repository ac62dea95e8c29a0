// Conductor agents that a project or a person already has.

import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { orchestraConductor } from './conductor.corpus.ts'
import { usesOurTools } from './edit/agent.ts'
import type { Tried } from './edit/change.ts'
import { put, take } from './edit/edit.ts'
import { inverted, spliced } from './edit/splice.ts'
import { aMachine, treeOf } from './machine.suite.ts'
import { conductorAgent } from './text/conductor.ts'

const agent = { kind: 'agent', text: '## Checkpoints\n\nrequest_plan_approval and so on.\n' } as const

function changed(text: string, tried: Tried): string {
  if (tried.kind !== 'change') throw new Error(`${tried.kind}: ${'because' in tried ? tried.because : ''}`)
  return spliced(text, tried.splices)
}

function toolsOf(text: string): unknown {
  return parse(text.replace('\uFEFF', '').split(/^---\r?$/m)[1] ?? '').tools
}

describe('an existing Conductor', () => {
  test.each([
    ['in the project', '.github/agents/Conductor.agent.md', 'project'],
    ['in the root of the project', 'conductor.agent.md', 'project'],
    ['in the profile', '~/.config/Code/User/prompts/Conductor.agent.md', 'user'],
  ] as const)(
    '[INIT-14] %s it gets our tools and our stops, without a second file; undo is exact',
    async (_where, file, scope) => {
      const machine = await aMachine({ [file]: orchestraConductor })
      const before = treeOf(machine)

      const result = await machine.init(['vscode'], { scope, yes: true })

      expect(result).toMatchObject({ code: 0, err: '' })
      expect(result.out).toContain('add our tools, replace 5 of its stops with them')
      const text = machine.read(file)
      expect(toolsOf(text)).toEqual(['runCommands', 'runTasks', 'edit', 'search', 'todos', 'runSubagent', 'assent/*'])
      for (const stop of [
        'Wait for user',
        'Make the git commit',
        'close the task.',
        'wait for user input',
        'explicit user',
      ]) {
        expect(text).not.toContain(stop)
      }
      for (const tool of ['plan_approval', 'phase_commit_approval', 'completion_review']) {
        expect(text).toContain(`all \`request_${tool}\` of the MCP server`)
      }
      expect(text).toContain('6. **Write Plan File**: Once approved')
      const agents = Object.keys(treeOf(machine)).filter((path) => path.endsWith('.agent.md'))
      expect(agents).toHaveLength(1)
      expect((await machine.init(['vscode'], { scope, yes: true })).out).toContain('Everything is set up already')

      await machine.init(['vscode'], { scope, undo: true, yes: true })
      expect(treeOf(machine)).toEqual(before)
    },
  )

  test('[INIT-14] the command starts the agent by the name that it has', async () => {
    const named = orchestraConductor.replace('---\n', "---\nname: 'Maestro'\n")
    const machine = await aMachine({ '.github/agents/my-conductor.agent.md': named })

    await machine.init(['vscode'], { yes: true })

    expect(machine.read('.github/prompts/conductor.prompt.md')).toContain('agent: "Maestro"')
    expect(existsSync(machine.path('.github/agents/Conductor.agent.md'))).toBe(false)
  })

  test('[INIT-6] [INIT-14] one that cannot be parsed is not changed, and no second one is added', async () => {
    const machine = await aMachine({ '.github/agents/Conductor.agent.md': "---\ntools: ['a\n---\nBody\n" })

    const result = await machine.init(['vscode'], { yes: true })

    expect(result.code).toBe(1)
    expect(result.out).toContain('is not valid YAML')
    expect(machine.read('.github/agents/Conductor.agent.md')).toBe("---\ntools: ['a\n---\nBody\n")
  })
})

describe('the patch', () => {
  const layouts: readonly [string, (text: string) => string][] = [
    ['as it is', (text) => text],
    ['with CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['with a byte order mark', (text) => `\uFEFF${text}`],
    ['without a last line end', (text) => text.trimEnd()],
  ]

  test.each(layouts)(
    '[INIT-3] [INIT-4] [INIT-5] %s it is applied once and reversed exactly, also after edits',
    (_title, lay) => {
      const text = lay(orchestraConductor)
      const tried = put(text, agent)
      const after = changed(text, tried)
      if (tried.kind !== 'change') throw new Error('It is a change.')

      expect(toolsOf(after)).toContain('assent/*')
      expect(text.includes('\r\n') && /[^\r]\n/.test(after)).toBe(false)
      expect(put(after, agent)).toEqual({ kind: 'nothing' })
      expect(spliced(after, inverted(tried.splices))).toBe(text)
      const edited = (one: string) => one.replace('You are a CONDUCTOR AGENT.', 'You are OUR conductor.')
      expect(changed(edited(after), take(edited(after), agent, tried.remembered))).toBe(edited(text))
      const spoilt = after.replace('request_phase_commit_approval', 'something_else')
      expect(take(spoilt, agent, tried.remembered)).toMatchObject({ kind: 'theirs' })
    },
  )

  test.each([
    ["tools: ['a', 'b']", ['a', 'b', 'assent/*']],
    ['tools: ["a", "b"] # all', ['a', 'b', 'assent/*']],
    ['tools: []', ['assent/*']],
    ["tools:\n  - 'a'\n  - b\nmodel: m", ['a', 'b', 'assent/*']],
    ["tools: [\n  'a',\n  'b',\n]", ['a', 'b', 'assent/*']],
    ['tools: a, b', 'a, b, assent/*'],
    ["tools: ['a', 'assent/*']", ['a', 'assent/*']],
    ["tools: ['*']", ['*']],
    ['name: n', undefined],
  ])('[INIT-14] the list %j gets our tools', (line, expected) => {
    const text = `---\n${line}\n---\nPlan, then stop.\n`

    expect(toolsOf(changed(text, put(text, agent)))).toEqual(expected)
    expect(usesOurTools(changed(text, put(text, agent)))).toBe(true)
  })

  test('[INIT-14] our own agent and a list that is not understood are not changed', () => {
    expect(put(conductorAgent, agent)).toEqual({ kind: 'nothing' })
    for (const line of ['tools: { a: true }', "tools: 'a, b'", 'tools: [[a]]']) {
      expect(put(`---\n${line}\n---\nBody\n`, agent)).toMatchObject({ kind: 'unclear' })
    }
  })
})
