// What clients do with a server. Each play notes what the client sees, step by step.

import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@assent/core'
import type { Caller, CallerOptions, Seen } from '../compare/caller.ts'
import { normalDescription, normalNotification, normalQuestion } from '../compare/normal.ts'
import type { Play } from './case.ts'
import { formOf } from './forms.ts'
import type { Visit } from './visit.ts'

const pauseMs = 300
/** Without the gateway some clients never get a reply and time out. */
const givesUpMs = { direct: 10_000, gateway: 60_000 } as const

function call(caller: Caller, name: string, args: JsonObject = {}): Promise<Seen> {
  return caller.request('tools/call', { name, arguments: args })
}

/** The usual requests of a client. */
export const ordinarily: Play = async (visit) => {
  const caller = await visit.connect()
  visit.note('description', normalDescription(caller.described))
  visit.seen('tools/list', await caller.request('tools/list'))
  visit.seen('resources/list', await caller.request('resources/list'))
  visit.seen('resources/read', await caller.request('resources/read', { uri: 'note://1' }))
  visit.seen('echo', await call(caller, 'echo', { text: 'Grüße ✓ \u{1F98A}' }))
  visit.seen('unknown tool', await call(caller, 'no-such-tool'))
}

/** Records only whether a call succeeds, for servers whose replies clients interpret differently. */
export const use: Play = async (visit) => {
  visit.seen('use', await useOnce(visit, { timeoutMs: givesUpMs[visit.route] }))
}

async function useOnce(visit: Visit, options: CallerOptions = {}): Promise<Seen> {
  try {
    const caller = await visit.connect(options)
    return await call(caller, 'echo', { text: 'Used.' })
  } catch (error) {
    return { broken: String(error) }
  }
}

/** A client that reconnects after a failure. */
export const insistently: Play = async (visit) => {
  let seen: Seen = { broken: 'not tried' }
  for (let attempt = 0; attempt < 4 && 'result' in seen === false; attempt++) {
    if (attempt > 0) await sleep(pauseMs * 2)
    seen = await useOnce(visit)
  }
  visit.seen('use', seen)
}

/** Several calls with pauses; the client reconnects if it has lost its connection. */
export function repeatedly(count: number): Play {
  return async (visit) => {
    let caller = await visit.connect()
    for (let index = 0; index < count; index++) {
      let seen = await call(caller, 'echo', { text: `Call ${index}` })
      if (!('result' in seen)) {
        caller = await visit.connect()
        seen = await call(caller, 'echo', { text: `Call ${index}` })
      }
      visit.seen(`call ${index}`, seen)
      await sleep(pauseMs)
    }
  }
}

/** One call changes what the next one finds. */
export const withState: Play = async (visit) => {
  const caller = await visit.connect()
  visit.seen('before', await call(caller, 'whoami'))
  visit.seen('login', await call(caller, 'login', { user: 'ann' }))
  visit.seen('after', await call(caller, 'whoami'))
  visit.seen('list between', await caller.request('tools/list'))
  visit.seen('still', await call(caller, 'whoami'))
}

/** One call waits for what another one does at the same time. */
export const twoAtOnce: Play = async (visit) => {
  const caller = await visit.connect()
  visit.seen('login', await call(caller, 'login', { user: 'ann' }))
  const waiting = call(caller, 'wait', { key: 'gate' })
  await sleep(pauseMs)
  const [whoami, open] = await Promise.all([call(caller, 'whoami'), call(caller, 'open', { key: 'gate' })])
  visit.seen('whoami', whoami)
  visit.seen('open', open)
  visit.seen('wait', await waiting)
}

export const followLinks: Play = async (visit) => {
  const caller = await visit.connect()
  const links = await call(caller, 'links')
  visit.seen('links', links)
  const { content = [] } = ('result' in links ? links.result : {}) as { content?: { uri?: string }[] }
  for (const { uri } of content) {
    if (uri !== undefined) visit.seen(`read ${uri}`, await caller.request('resources/read', { uri }))
  }
}

/** How a result of this many bytes arrives. */
export function large(bytes: number): Play {
  return async (visit) => {
    const caller = await visit.connect()
    const seen = await call(caller, 'large', { bytes })
    const { content = [] } = ('result' in seen ? seen.result : {}) as { content?: { text?: string }[] }
    visit.note('arrives', 'result' in seen ? content[0]?.text?.length : 'not')
    const namesLimit = 'error' in seen && seen.error.message.includes('message_size')
    visit.note('the error names the limit if it does not arrive', 'result' in seen || namesLimit)
    visit.seen('the next call', await call(caller, 'echo', { text: 'Still here.' }))
  }
}

export const crash: Play = async (visit) => {
  const before = await visit.connect()
  visit.seen('before', await call(before, 'echo', { text: 'Before.' }))
  visit.seen('crash', await call(before, 'crash'))
  await before.close().catch(() => undefined)
  const after = await visit.connect()
  visit.seen('after', await call(after, 'echo', { text: 'After.' }))
  visit.note('effects', visit.effects())
}

export const oddErrors: Play = async (visit) => {
  const caller = await visit.connect()
  for (const code of [42, -1, 1_000_000_000, -32_099, -31_999, 0]) {
    visit.seen(`code ${code}`, await call(caller, 'fail', { code }))
  }
}

/** Notifications received during a call. */
export const listening: Play = async (visit) => {
  const caller = await visit.connect()
  const ended = caller.generation === '2026' ? await caller.watch([]) : undefined
  visit.seen('echo', await call(caller, 'echo', { text: 'Listening.' }))
  await sleep(pauseMs)
  visit.note('notifications', caller.notifications.map(normalNotification).filter(isNotAcknowledgement))
  visit.note('questions', caller.questions.map(normalQuestion))
  await ended?.()
}

function isNotAcknowledgement(notification: unknown): boolean {
  return (notification as { method: string }).method !== 'notifications/subscriptions/acknowledged'
}

/** Fills in a form with the answer of its definition. */
export function fill(form: string): Play {
  return async (visit) => {
    const { content } = await formOf(form)
    const caller = await visit.connect({ answer: () => ({ action: 'accept', content: content as JsonObject }) })
    visit.seen('ask', await call(caller, 'ask', { form }))
    visit.note('questions', caller.questions.map(normalQuestion))
  }
}

export const declineAndCancel: Play = async (visit) => {
  for (const action of ['decline', 'cancel']) {
    const caller = await visit.connect({ answer: () => ({ action }) })
    visit.seen(action, await call(caller, 'ask', { form: 'Go SDK' }))
  }
}
