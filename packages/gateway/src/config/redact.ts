// Removes secrets from a text: those of this configuration by their exact value, and bearer tokens by their format.
//
// It is only a safety net: code should not write possible secrets in the first place.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { notifySecrets } from './notify-settings.ts'
import type { Config } from './settings.ts'

export type Redact = (text: string) => string

const censored = '[secret]'
// Shorter ones would match ordinary words.
const leastChars = 6
// Does not match the parameter of a challenge: `Bearer resource_metadata="…"`.
const bearer = /\b(bearer|basic)\s+(?![a-z_-]+=")[A-Za-z0-9._~+/-]{8,}=*/gi

export function redactor(secrets: readonly string[]): Redact {
  const spelled = secrets.filter((secret) => secret.length >= leastChars).flatMap((secret) => [secret, escaped(secret)])
  // Longest first, so that a secret that contains another one is replaced as a whole.
  const ordered = [...new Set(spelled)].sort((a, b) => b.length - a.length)
  return (text) =>
    ordered.reduce((rest, secret) => rest.replaceAll(secret, censored), text.replace(bearer, `$1 ${censored}`))
}

/** All secrets in a configuration. */
export function secretsOf({ servers, store, wake, inbox, notify }: Config): string[] {
  const ofServers = Object.values(servers).flatMap((server) => [
    ...(server.secrets.token === undefined ? [] : [server.secrets.token]),
    ...Object.values(server.headers),
    ...Object.values(server.headers).map((value) => value.replace(/^\S+\s+/, '')),
    ...secretsOfServer(server),
  ])
  const inInbox = inbox.client_secret === undefined ? [] : [inbox.client_secret]
  const inStore = store.engine === 'postgres' ? [new URL(store.url).password] : []
  // A token is given in place of the user name, without a password.
  const inWake = (wake ?? '').split(',').flatMap((one) => {
    const { username = '', password = '' } = URL.canParse(one.trim()) ? new URL(one.trim()) : {}
    return [password === '' ? username : password]
  })
  const spelled = [...inStore, ...inWake].filter((secret) => secret !== '')
  return [...ofServers, ...inInbox, ...notifySecrets(notify), ...spelled, ...spelled.map(decodeURIComponent)]
}

/** Secrets of a started server: its variables, and arguments that are not an option, a file or a package name. */
export function secretsOfServer({ args, env, cwd }: Started): string[] {
  const isPublic = (arg: string) => arg.startsWith('-') || packageName.test(arg) || existsSync(resolve(cwd ?? '.', arg))
  return [...Object.values(env), ...args.filter((arg) => !isPublic(arg))]
}

interface Started {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
}

// Scoped names, and unscoped ones without a digit: a token would contain one.
const packageName = /^(?:@[a-z0-9-]{1,64}\/[a-z0-9._-]{1,64}|[a-z][a-z-]{0,64})(?:@[a-z0-9.^~-]{1,32})?$/

/** As it appears inside a JSON string. */
function escaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1)
}
