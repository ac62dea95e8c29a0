// The program that real-terminal.test.ts runs: it asks everything once and prints what came back.
import { actionDigest, boolean, choices, form, number, optional, text, toolDefinitionDigest } from '@assent/core'
import { openTerminal } from './terminal.ts'

const terminal = openTerminal()
const asker = { server: 'acme', tool: 'deploy' }
const action = {
  server: 'acme',
  tool: 'deploy',
  definitionDigest: toolDefinitionDigest({ name: 'deploy' }),
  arguments: { env: 'production', replicas: 4 },
}

const release = form({
  name: text({ title: 'Name', minLength: 3 }),
  day: optional(text({ title: 'Day', format: 'date' })),
  tempo: number({ title: 'Tempo', integer: true, min: 60, max: 180, default: 120 }),
  formats: choices({ wav: 'WAV', mp3: 'MP3' }, { title: 'Formats', minItems: 1 }),
  notify: boolean({ title: 'Notify the team?' }),
})

const outcomes = [
  await terminal.ask({ kind: 'form', message: 'Before the release', form: release }, { asker }),
  await terminal.askSecret('The key of the registry', { asker }),
  await terminal.ask({ kind: 'approval', title: 'Deploy', action, digest: actionDigest(action) }, { asker }),
  await terminal.ask(
    { kind: 'form', message: 'Too slow?', form: form({ why: text() }) },
    { asker, decideByMs: Date.now() + 5_000 },
  ),
]
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
