// What must hold between settings that are each sound by themselves.

import { relayLimits } from '../limits.ts'
import { isLoopback } from './kinds.ts'
import type { Place, Problem } from './problem.ts'
import { serverProblems } from './server-rules.ts'
import type { Config, ServerSettings } from './settings.ts'

export function ruleProblems(config: Config, placeOf: (path: string) => Place): Problem[] {
  const problems: Problem[] = []
  const tell = (path: string, words: string, suggestion: string) =>
    problems.push({ path, words, suggestion, place: placeOf(path) })

  if (Object.keys(config.servers).length === 0) {
    tell(
      'servers',
      'is needed: a gateway has at least one server',
      'Write for example: servers: { files: { command: my-server } }',
    )
  }
  for (const [name, server] of Object.entries(config.servers)) {
    for (const member of uselessMembers(server)) {
      const other = member.endsWith('headers') ? 'url' : 'command'
      tell(`servers.${name}.${member}`, `means something only with ${other}`, 'Leave it out.')
    }
  }
  for (const found of [...secretProblems(config), ...serverProblems(config, placeOf)])
    tell(found.path, found.words, found.suggestion)
  if (config.identity === undefined && !isLoopback(config.listen.host)) {
    tell(
      'listen',
      'is open to other machines, and without identity nobody would be asked who they are',
      'Add identity, or listen on 127.0.0.1.',
    )
  }
  const { identity } = config
  if (identity !== undefined && identity.resource === undefined && !/^https?:\/\//.test(identity.audience)) {
    const why = 'is needed where audience is no web address: clients must be told what to ask tokens for'
    tell('identity.resource', why, 'Write the public address of this endpoint, such as https://assent.example.com/mcp')
  }
  if (config.store.engine === 'postgres' && Object.keys(config.keys).length === 0) {
    const why = 'is needed with PostgreSQL: every gateway on that database must have the same keys'
    tell('keys', why, 'Make one with: assent config key')
  }
  if (config.store.engine === 'sqlite' && config.wake !== undefined) {
    tell('wake', 'means something only with a PostgreSQL store', 'Leave it out.')
  }
  const { surfaces } = config.asks
  if (surfaces.length === 0) {
    tell('asks.surfaces', 'must name at least one place where people are asked', 'Write: surfaces: [client]')
  }
  inboxProblems(config, tell)
  const { silent_after: silentAfter, wait } = config.asks
  if (silentAfter !== undefined && surfaces.length < 2) {
    tell(
      'asks.silent_after',
      'means something only where there are two places to ask',
      'Write: surfaces: [client, inbox]',
    )
  }
  if (silentAfter !== undefined && silentAfter >= (wait ?? relayLimits.askWaitMs)) {
    tell('asks.silent_after', 'is not shorter than asks.wait, so it would never come to pass', 'Write for example: 30s')
  }
  const { listen: watched } = config.metrics
  if (watched?.port === config.listen.port && watched.host === config.listen.host && watched.port !== 0) {
    tell('metrics.listen', 'is the place where clients connect', 'Give it another port, or leave it out.')
  }
  return problems
}

/** Pages for secrets: who may ask, what they prove themselves with, and where the pages are. */
function secretProblems({ servers, asks, inbox }: Config): { path: string; words: string; suggestion: string }[] {
  const allowed = Object.entries(servers).filter(([, { secrets }]) => secrets.allowed)
  const tokens = allowed.map(([, { secrets }]) => secrets.token)
  const ofServers = Object.entries(servers).flatMap(
    ([
      name,
      {
        url,
        secrets: { allowed: may, token },
      },
    ]) => {
      const problem = (member: string, words: string, suggestion: string) => [
        { path: `servers.${name}.secrets.${member}`, words, suggestion },
      ]
      if (!may) return token === undefined ? [] : problem('token', 'means something only with allowed: true', 'Add it.')
      if (url === undefined && token !== undefined) {
        return problem('token', 'means something only with url: what is started is given one', 'Leave it out.')
      }
      if (url !== undefined && token === undefined) {
        return problem('token', 'is needed: nothing else tells this server from others', 'Make one: assent config key')
      }
      if (token === undefined || tokens.indexOf(token) === tokens.lastIndexOf(token)) return []
      return problem('token', "is another server's too", 'Give each server its own: assent config key')
    },
  )
  const [first] = allowed
  if (first === undefined) return ofServers
  const path = `servers.${first[0]}.secrets.allowed`
  if (!asks.surfaces.includes('inbox')) {
    const words = 'needs the inbox, which has the page'
    return [...ofServers, { path, words, suggestion: 'Add inbox to asks.surfaces.' }]
  }
  const { url } = inbox
  if (url === undefined || url.protocol === 'https:' || isLoopback(url.hostname)) return ofServers
  const words = 'needs an inbox over https: on plain http browsers do not encrypt'
  return [...ofServers, { path, words, suggestion: 'Give inbox.url as https://…' }]
}

type Tell = (path: string, words: string, suggestion: string) => void

/** People who are known by an issuer must be able to sign in there, and their sessions must not travel in the clear. */
function inboxProblems({ asks, identity, inbox }: Config, tell: Tell): void {
  if (inbox.client_secret !== undefined && inbox.client_id === undefined) {
    tell('inbox.client_secret', 'means something only with inbox.client_id', 'Leave it out, or add client_id.')
  }
  if (inbox.client_id !== undefined && identity === undefined) {
    tell('inbox.client_id', 'means something only with identity', 'Leave it out, or add identity.')
  }
  if (identity !== undefined && inbox.client_id === identity.audience) {
    const why = 'is also inbox.client_id: every ID token for the inbox would be accepted as an access token'
    tell('identity.audience', why, 'Register the endpoint at the issuer as a resource with its own identifier.')
  }
  if (!asks.surfaces.includes('inbox')) return
  if (inbox.url !== undefined && inbox.url.protocol !== 'https:' && !isLoopback(inbox.url.hostname)) {
    const why = 'must be an https address, or http on this machine: elsewhere browsers keep no key to sign in with'
    tell('inbox.url', why, 'Begin it with https://.')
  }
  if (identity === undefined) return
  if (inbox.client_id === undefined) {
    const why = 'is needed where people are known by identity: with it they sign in at that issuer'
    tell('inbox.client_id', why, 'Register the inbox at the issuer, and write the id that it got.')
  }
  if (inbox.url === undefined) {
    const why = 'is needed where people sign in at an issuer: it sends them back there'
    tell('inbox.url', why, 'Write the public address of the inbox, such as https://assent.example.com')
  }
}

function uselessMembers(server: ServerSettings): string[] {
  if (server.url === undefined) {
    const given = {
      headers: Object.keys(server.headers).length > 0,
      forward_headers: server.forward_headers.length > 0,
    }
    return Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  }
  const given = {
    args: server.args.length > 0,
    env: Object.keys(server.env).length > 0,
    cwd: server.cwd !== undefined,
    processes: server.processes !== undefined,
  }
  return Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
}
