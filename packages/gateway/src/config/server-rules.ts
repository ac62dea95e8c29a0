// Rules between the settings of servers: names for clients, surfaces, and forwarded headers.

import { nameChars } from '../call/short-names.ts'
import { isOffered } from '../call/tool-rules.ts'
import { isNeverForwarded } from '../protocol/never-forwarded.ts'
import type { ConfigLocation } from './problem.ts'
import type { ServerSettings } from './server-settings.ts'
import type { Config } from './settings.ts'

export interface RuleFinding {
  readonly path: string
  readonly words: string
  readonly suggestion: string
}

type Named = readonly [name: string, server: ServerSettings]

/** Tool names of this length are common, so with a longer prefix names are likely to be shortened. */
const usualToolChars = 40

export function serverProblems(config: Config, placeOf: (path: string) => ConfigLocation): RuleFinding[] {
  const servers = Object.entries(config.servers)
  return [
    ...prefixProblems(servers),
    ...servers.flatMap((named) => [
      ...renameProblems(named),
      ...surfaceProblems(named, config, placeOf),
      ...headerProblems(named),
    ]),
  ]
}

/** Warnings about valid settings that make it likely that names for clients are shortened. */
export function nameWarnings({ servers }: Config): RuleFinding[] {
  if (Object.keys(servers).length < 2) return []
  return Object.entries(servers).flatMap(([name, server]) => {
    if (server.prefix === false) return []
    const prefix = server.prefix ?? name
    const renamed = Object.entries(server.tools.rename).map(([from, to]) => ({ from, to }))
    const long = longNames(
      prefix,
      renamed.map(({ to }) => to),
    )
    const path = server.prefix === undefined ? `servers.${name}` : `servers.${name}.prefix`
    const ofTools = renamed
      .filter(({ to }) => long.includes(to))
      .map(({ from }) => ({
        path: `servers.${name}.tools.rename.${from}`,
        words: `gives the tool a prefixed name of more than ${nameChars} characters, which clients get in a short form`,
        suggestion: 'Give it a shorter name, or the server a shorter prefix.',
      }))
    if (prefix.length + 2 + usualToolChars <= nameChars) return ofTools
    const words = `is long: tools with names of more than ${nameChars - prefix.length - 2} characters get a short form for clients (at most ${nameChars} characters)`
    return [{ path, words, suggestion: `Give it a shorter prefix, such as: prefix: ${prefix.slice(0, 8)}` }, ...ofTools]
  })
}

/** The tools whose names with this prefix are longer than model APIs accept. */
function longNames(prefix: string, tools: readonly string[]): string[] {
  return tools.filter((tool) => prefix.length + 2 + tool.length > nameChars)
}

function prefixProblems(servers: readonly Named[]): RuleFinding[] {
  const bare = servers.filter(([, { prefix }]) => prefix === false).map(([name]) => name)
  const second = bare[1]
  const twice =
    second === undefined
      ? []
      : [
          {
            path: `servers.${second}.prefix`,
            words: `is also false for ${bare[0]}: names of two servers without prefixes are ambiguous`,
            suggestion: 'Set prefix to false for one server at most.',
          },
        ]
  const prefixOf = ([name, { prefix }]: Named) => (typeof prefix === 'string' ? prefix : name)
  const taken = servers.flatMap((server) => {
    const [name, { prefix }] = server
    if (typeof prefix !== 'string') return []
    const path = `servers.${name}.prefix`
    if (prefix === 'assent')
      return [{ path, words: 'is the prefix of the built-in tools', suggestion: 'Choose another one.' }]
    const other = servers.find((one) => one[0] !== name && prefixOf(one) === prefix)
    if (other === undefined) return []
    return [{ path, words: `is also the prefix of the server ${other[0]}`, suggestion: 'Choose another one.' }]
  })
  return [...twice, ...taken]
}

/** Two tools must not have the same name for clients. */
function renameProblems([name, { tools }]: Named): RuleFinding[] {
  const renamed = Object.entries(tools.rename)
  return renamed.flatMap(([from, to], at) => {
    const path = `servers.${name}.tools.rename.${from}`
    const before = renamed.slice(0, at).find(([, other]) => other === to)
    if (before !== undefined)
      return [{ path, words: `gives the tool the same name as ${before[0]}`, suggestion: 'Give each its own name.' }]
    if (isOffered(tools, from)) return []
    return [{ path, words: 'renames a tool that is not offered', suggestion: 'Remove it, or allow the tool.' }]
  })
}

function surfaceProblems(
  [name, server]: Named,
  { asks }: Config,
  placeOf: (path: string) => ConfigLocation,
): RuleFinding[] {
  const path = `servers.${name}.surfaces`
  const { surfaces, secrets } = server
  const isGiven = placeOf(path) !== placeOf(`servers.${name}`)
  if (isGiven && surfaces.length === 0) {
    const words = 'must have at least one surface'
    return [{ path, words, suggestion: 'For example: surfaces: [client]' }]
  }
  const other = surfaces.find((surface) => !asks.surfaces.includes(surface))
  if (other !== undefined)
    return [
      { path, words: `has ${other}, which is not in asks.surfaces`, suggestion: 'Add it there, or remove it here.' },
    ]
  if (surfaces.length === 0 || !secrets.allowed || surfaces.includes('inbox')) return []
  return [{ path, words: 'has no inbox, which serves the pages for secrets', suggestion: 'Add inbox.' }]
}

function headerProblems([name, { forward_headers: forwarded, headers }]: Named): RuleFinding[] {
  const configured = Object.keys(headers).map((header) => header.toLowerCase())
  return forwarded.flatMap((header, at) => {
    const path = `servers.${name}.forward_headers.${at + 1}`
    if (isNeverForwarded(header))
      return [{ path, words: `is ${header}, which is never forwarded`, suggestion: 'Remove it.' }]
    if (!configured.includes(header.toLowerCase())) return []
    return [{ path, words: `is ${header}, which headers sets too`, suggestion: 'Remove one of them.' }]
  })
}
