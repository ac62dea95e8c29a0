// A client process: connects and calls on command, lets the scripted person answer, reports every event.
//
// Its first argument is the SDK generation that it uses. It checks nothing.

import type { Connection } from './connection.ts'
import type { Call, Command, Outcome, Report } from './messages.ts'
import { Person } from './person.ts'

const generation = process.argv[2]
// Only the one that is needed: a client that is started to be killed should start fast.
const { connect } =
  generation === '2026' ? await import('./client-2026-07-28.ts') : await import('./client-2025-11-25.ts')
const connections = new Map<string, Connection>()
const person = new Person(
  (shown) => report({ event: 'asked', shown }),
  (connection, callId) => report({ event: 'strayed', connection, callId }),
)

function report(what: Report): void {
  process.send?.(what)
}

async function open(command: Extract<Command, { do: 'connect' }>): Promise<void> {
  const { connection, to } = command
  const listener = {
    answer: (question: Parameters<Person['answer']>[1]) => person.answer(connection, question),
    completed: (elicitationId: string) => report({ event: 'completed', connection, elicitationId }),
  }
  const made = await connect(to, listener, command.options)
  connections.set(connection, made)
  report({ event: 'connected', connection, revision: made.revision() })
}

async function make(call: Call): Promise<Outcome> {
  const connection = connections.get(call.connection)
  if (connection === undefined) return { kind: 'error', code: 'grid', message: `no connection ${call.connection}` }
  const { callId, build } = call.release
  switch (call.via) {
    case 'tool':
      return { kind: 'result', text: firstText(await connection.tool(call.name, { ...call.release })) }
    case 'prompt':
      return { kind: 'result', text: firstText(await connection.prompt(call.name, { callId, build })) }
    case 'resource':
      return { kind: 'result', text: firstText(await connection.resource(`grid://release/${callId}/${build}`)) }
  }
}

/** The text that the server sent back, wherever this kind of result has it. */
function firstText(result: unknown): string {
  const { content, messages, contents } = result as Record<string, { text?: string; content?: { text?: string } }[]>
  return content?.[0]?.text ?? messages?.[0]?.content?.text ?? contents?.[0]?.text ?? JSON.stringify(result)
}

function failure(error: unknown): Outcome {
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
  return { kind: 'error', code: String(code), message: String(message ?? error), data }
}

async function disconnect(connection: string): Promise<void> {
  await connections.get(connection)?.close()
  connections.delete(connection)
  report({ event: 'disconnected', connection })
}

process.on('message', (command: Command) => {
  switch (command.do) {
    case 'connect':
      open(command).catch((error: unknown) =>
        report({ event: 'failed', connection: command.connection, message: String(error) }),
      )
      return
    case 'call': {
      const { call } = command
      person.expect(call)
      void make(call)
        .catch(failure)
        .then((outcome) => report({ event: 'ended', callId: call.release.callId, outcome }))
      return
    }
    case 'release':
      person.release(command.callId)
      return
    case 'disconnect':
      void disconnect(command.connection)
  }
})
// The grid process has ended.
process.on('disconnect', () => process.exit())
