// A person at the inbox, over its HTTP API: signed in once, valid at every replica.

import { randomBytes } from 'node:crypto'
import { type Agent, request as httpRequest } from 'node:http'
import { newId } from '@assent/core'
import { accepted } from '../relay/words.ts'

/** The public URL of the inbox, for all replicas. */
export const inboxUrl = 'https://assent.bench'

/** Exchanges the code of a sign-in link for the session cookie. */
export async function signIn(agent: Agent, origin: string, link: string): Promise<string> {
  const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code')
  const { cookie } = await ask(agent, origin, '/api/sign-in', { body: { code } })
  if (cookie === undefined) throw new Error('A person could not sign in.')
  return cookie
}

export interface Listed {
  readonly id: string
  readonly headline: string
}

/** The asks that wait for this person, newest first. */
export async function listAsks(agent: Agent, origin: string, cookie: string): Promise<Listed[]> {
  const { text } = await ask(agent, origin, '/api/asks', { cookie })
  return (JSON.parse(text) as { asks: Listed[] }).asks
}

export async function acceptAsk(agent: Agent, origin: string, cookie: string, id: string): Promise<void> {
  const decisionId = newId('decision', Date.now(), randomBytes)
  const { text } = await ask(agent, origin, `/api/asks/${id}/answer`, {
    cookie,
    body: { decisionId, answer: accepted },
  })
  const { result } = JSON.parse(text) as { result?: string }
  if (result !== 'settled') throw new Error(`An answer was refused: ${text}`)
}

/** A page of the inbox that stays open. Closing it returns the number of changes that it received. */
export interface OpenPage {
  close(): number
}

export async function openPage(origin: string, cookie: string): Promise<OpenPage> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let changes = 0
  const headers = { host: new URL(inboxUrl).host, cookie, accept: 'text/event-stream' }
  const request = httpRequest(`${origin}/api/changes`, { headers, agent: false }, (response) => {
    if (response.statusCode === 200) resolve()
    else reject(new Error(`The inbox returned ${response.statusCode} for the stream of changes.`))
    response.setEncoding('utf8').on('data', (text: string) => {
      changes += text.match(/^data:/gm)?.length ?? 0
    })
    response.on('error', () => undefined)
  })
  request.on('error', reject).end()
  await promise
  return {
    close: () => {
      request.destroy()
      return changes
    },
  }
}

interface Sent {
  readonly cookie?: string
  readonly body?: object
}

function ask(agent: Agent, origin: string, path: string, { cookie = '', body }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<{ text: string; cookie: string | undefined }>()
  const writing = { origin: inboxUrl, 'assent-inbox': '1', 'content-type': 'application/json' }
  const options = {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: { host: new URL(inboxUrl).host, cookie, ...(body === undefined ? {} : writing) },
  }
  const request = httpRequest(`${origin}${path}`, options, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    response.on('error', reject).on('end', () => {
      const [kept] = response.headers['set-cookie'] ?? []
      if ((response.statusCode ?? 500) < 300) resolve({ text, cookie: kept?.split(';', 1)[0] })
      else reject(new Error(`The inbox returned ${response.statusCode} at ${path}: ${text}`))
    })
  })
  request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}
