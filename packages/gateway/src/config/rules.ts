// Rules between settings that are each valid by themselves.

import { relayLimits } from '../limits.ts'
import { isLoopback } from '../protocol/loopback.ts'
import { clusterProblems } from './cluster-settings.ts'
import { notifyProblems } from './notify-rules.ts'
import type { ConfigLocation, Problem } from './problem.ts'
import { retentionProblems } from './retention-rules.ts'
import { serverProblems } from './server-rules.ts'
import type { ServerSettings } from './server-settings.ts'
import type { Config } from './settings.ts'

/** Settings that only `assent` without a command uses. A variable of the environment may be meant for it. */
export function standaloneWarnings({ desktop, onboarding }: Config): {
  path: string
  words: string
  suggestion: string
}[] {
  const unused = (group: string, members: object, reason: string) =>
    Object.entries(members)
      .filter(([, member]) => member !== undefined)
      .map(([name]) => ({
        path: `${group}.${name}`,
        words: `has no effect: a gateway does not ${reason}`,
        suggestion: 'Remove it.',
      }))
  return [
    ...unused('desktop', desktop, 'use the desktop'),
    ...unused('onboarding', onboarding, 'serve the tool onboarding'),
  ]
}

export function ruleProblems(config: Config, placeOf: (path: string) => ConfigLocation): Problem[] {
  const problems: Problem[] = []
  const report = (path: string, words: string, suggestion: string) =>
    problems.push({ path, words, suggestion, place: placeOf(path) })

  if (Object.keys(config.servers).length === 0) {
    report(
      'servers',
      'is required: a gateway needs at least one server',
      'For example: servers: { files: { command: my-server } }',
    )
  }
  for (const [name, server] of Object.entries(config.servers)) {
    for (const member of uselessMembers(server)) {
      const other = member.endsWith('headers') ? 'url' : 'command'
      report(`servers.${name}.${member}`, `has no effect without ${other}`, 'Remove it.')
    }
  }
  const ofServers = [...secretProblems(config), ...serverProblems(config, placeOf)]
  for (const found of [...ofServers, ...notifyProblems(config), ...retentionProblems(config.retention)])
    report(found.path, found.words, found.suggestion)
  if (config.record_arguments && config.record !== 'calls')
    report('record_arguments', 'has no effect without record: calls', 'Add record: calls, or remove it.')
  if (config.identity === undefined && !isLoopback(config.listen.host)) {
    report(
      'listen',
      'is reachable from other machines, and without identity requests are not authenticated',
      'Add identity, or listen on 127.0.0.1.',
    )
  }
  const { identity } = config
  if (identity !== undefined && identity.resource === undefined && !/^https?:\/\//.test(identity.audience)) {
    const why = 'is required if audience is not a web address: clients need an address to request tokens for'
    report(
      'identity.resource',
      why,
      'Set it to the public address of this endpoint, such as https://assent.example.com/mcp',
    )
  }
  if (config.store.engine === 'postgres' && Object.keys(config.keys).length === 0) {
    const why = 'is required with PostgreSQL: all gateways on that database must have the same keys'
    report('keys', why, 'Create one with: assent config key')
  }
  if (config.store.engine === 'sqlite' && config.wake !== undefined) {
    report('wake', 'has no effect without a PostgreSQL store', 'Remove it.')
  }
  for (const found of clusterProblems(config.cluster, config.listen)) report(found.path, found.words, found.suggestion)
  const { surfaces } = config.asks
  if (surfaces.length === 0) {
    report('asks.surfaces', 'must have at least one surface', 'Write: surfaces: [client]')
  }
  inboxProblems(config, report)
  const { silent_after: silentAfter, wait } = config.asks
  if (silentAfter !== undefined && surfaces.length < 2) {
    report('asks.silent_after', 'has no effect without a second surface', 'Write: surfaces: [client, inbox]')
  }
  if (silentAfter !== undefined && silentAfter >= (wait ?? relayLimits.askWaitMs)) {
    report('asks.silent_after', 'must be shorter than asks.wait, or it has no effect', 'For example: 30s')
  }
  const { listen: watched } = config.metrics
  if (watched?.port === config.listen.port && watched.host === config.listen.host && watched.port !== 0) {
    report('metrics.listen', 'is the address where clients connect', 'Use another port, or remove it.')
  }
  return problems
}

/** Pages for secrets: which servers may ask, how they authenticate, and where the pages are. */
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
      if (!may) return token === undefined ? [] : problem('token', 'has no effect without allowed: true', 'Add it.')
      if (url === undefined && token !== undefined) {
        return problem(
          'token',
          'has no effect without url: a started server gets a token from the gateway',
          'Remove it.',
        )
      }
      if (url !== undefined && token === undefined) {
        return problem('token', 'is required: it identifies this server', 'Create one with: assent config key')
      }
      if (token === undefined || tokens.indexOf(token) === tokens.lastIndexOf(token)) return []
      return problem('token', 'is also used by another server', 'Give each server its own: assent config key')
    },
  )
  const [first] = allowed
  if (first === undefined) return ofServers
  const path = `servers.${first[0]}.secrets.allowed`
  if (!asks.surfaces.includes('inbox')) {
    const words = 'needs the inbox, which serves the pages'
    return [...ofServers, { path, words, suggestion: 'Add inbox to asks.surfaces.' }]
  }
  const { url } = inbox
  if (url === undefined || url.protocol === 'https:' || isLoopback(url.hostname)) return ofServers
  const words = 'needs an inbox over https: browsers do not encrypt on plain http'
  return [...ofServers, { path, words, suggestion: 'Set inbox.url to https://…' }]
}

type Report = (path: string, words: string, suggestion: string) => void

/** With an issuer, people must be able to sign in at the inbox, and their sessions must not be sent unencrypted. */
function inboxProblems({ asks, servers, identity, inbox }: Config, report: Report): void {
  if (inbox.client_secret !== undefined && inbox.client_id === undefined) {
    report('inbox.client_secret', 'has no effect without inbox.client_id', 'Remove it, or add client_id.')
  }
  if (inbox.client_id !== undefined && identity === undefined) {
    report('inbox.client_id', 'has no effect without identity', 'Remove it, or add identity.')
  }
  if (identity !== undefined && inbox.client_id === identity.audience) {
    const why = 'is also inbox.client_id: every ID token for the inbox would be accepted as an access token'
    report('identity.audience', why, 'Register the endpoint at the issuer as a resource with its own identifier.')
  }
  if (inbox.presence !== 'none') presenceProblems({ asks, servers }, report)
  if (!asks.surfaces.includes('inbox')) return
  if (inbox.url !== undefined && inbox.url.protocol !== 'https:' && !isLoopback(inbox.url.hostname)) {
    const why = 'must be an https address, or http on this machine: elsewhere browsers cannot store a key for sign-in'
    report('inbox.url', why, 'Start it with https://.')
  }
  if (identity === undefined) return
  if (inbox.client_id === undefined) {
    const why = 'is required with identity: people sign in to the inbox at that issuer'
    report('inbox.client_id', why, 'Register the inbox at the issuer, and set its client id.')
  }
  if (inbox.url === undefined) {
    const why = 'is required with identity: the issuer redirects people to it'
    report('inbox.url', why, 'Set it to the public address of the inbox, such as https://assent.example.com')
  }
}

/** Only a page of the inbox can ask for a passkey. */
function presenceProblems({ asks, servers }: Pick<Config, 'asks' | 'servers'>, report: Report): void {
  const remedy = 'Add inbox to the surfaces, or set inbox.presence to none.'
  if (!asks.surfaces.includes('inbox')) report('inbox.presence', 'needs the inbox, which asks for the passkey', remedy)
  for (const [name, { surfaces }] of Object.entries(servers)) {
    if (surfaces.length === 0 || surfaces.includes('inbox')) continue
    report(`servers.${name}.surfaces`, 'must contain inbox, which inbox.presence needs', remedy)
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
