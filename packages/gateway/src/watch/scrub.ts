// Takes out of a text what must not be read: the secrets of this configuration by their very letters, and bearer tokens by
// their shape.
//
// It is the last net, not the first: nothing that may be secret is meant to be written in the first place.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config/settings.ts'

export type Scrub = (text: string) => string

const censored = '[secret]'
// Shorter ones would be found in ordinary words.
const leastChars = 6
// Not the parameter of a challenge: `Bearer resource_metadata="…"`.
const bearer = /\b(bearer|basic)\s+(?![a-z_-]+=")[A-Za-z0-9._~+/-]{8,}=*/gi

export function scrubber(secrets: readonly string[]): Scrub {
  const spelled = secrets.filter((secret) => secret.length >= leastChars).flatMap((secret) => [secret, escaped(secret)])
  // The longest first, so that a secret inside another does not leave the rest of it standing.
  const ordered = [...new Set(spelled)].sort((a, b) => b.length - a.length)
  return (text) =>
    ordered.reduce((rest, secret) => rest.replaceAll(secret, censored), text.replace(bearer, `$1 ${censored}`))
}

/** Everything in a configuration that was given to us in confidence. */
export function secretsOf({ servers, store, wake, inbox }: Config): string[] {
  const ofServers = Object.values(servers).flatMap((server) => [
    ...(server.secrets.token === undefined ? [] : [server.secrets.token]),
    ...Object.values(server.headers),
    ...Object.values(server.headers).map((value) => value.replace(/^\S+\s+/, '')),
    ...secretsOfServer(server),
  ])
  const inInbox = inbox.client_secret === undefined ? [] : [inbox.client_secret]
  const inStore = store.engine === 'postgres' ? [new URL(store.url).password] : []
  // A token stands where a user's name would, alone.
  const inWake = (wake ?? '').split(',').flatMap((one) => {
    const { username = '', password = '' } = URL.canParse(one.trim()) ? new URL(one.trim()) : {}
    return [password === '' ? username : password]
  })
  const spelled = [...inStore, ...inWake].filter((secret) => secret !== '')
  return [...ofServers, ...inInbox, ...spelled, ...spelled.map(decodeURIComponent)]
}

/** What a process was given in confidence: its variables, and arguments that are no option, no file and no package. */
export function secretsOfServer({ args, env, cwd }: Started): string[] {
  const isPublic = (arg: string) => arg.startsWith('-') || packageName.test(arg) || existsSync(resolve(cwd ?? '.', arg))
  return [...Object.values(env), ...args.filter((arg) => !isPublic(arg))]
}

interface Started {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
}

// Names with a scope, and plain ones without a digit: a token would have one.
const packageName = /^(?:@[a-z0-9-]{1,64}\/[a-z0-9._-]{1,64}|[a-z][a-z-]{0,64})(?:@[a-z0-9.^~-]{1,32})?$/

/** As it stands inside a line of JSON. */
function escaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1)
}
