// What must hold between the settings of servers: names for clients, surfaces, and headers that are passed on.

import { nameChars } from '../relay/short-names.ts'
import { isOffered } from '../relay/tool-rules.ts'
import { isNeverForwarded } from '../upstream/forwarded-headers.ts'
import type { Place } from './problem.ts'
import type { Config, ServerSettings } from './settings.ts'

export interface Finding {
  readonly path: string
  readonly words: string
  readonly suggestion: string
}

type Named = readonly [name: string, server: ServerSettings]

/** Tools with names as long as these are common, so longer prefixes make short names likely. */
const usualToolChars = 40

export function serverProblems(config: Config, placeOf: (path: string) => Place): Finding[] {
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

/** What is not wrong, and makes it likely that names for clients are shortened. */
export function nameWarnings({ servers }: Config): Finding[] {
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

/** Of these tools, those whose names with this prefix are longer than model APIs take. */
function longNames(prefix: string, tools: readonly string[]): string[] {
  return tools.filter((tool) => prefix.length + 2 + tool.length > nameChars)
}

function prefixProblems(servers: readonly Named[]): Finding[] {
  const bare = servers.filter(([, { prefix }]) => prefix === false).map(([name]) => name)
  const second = bare[1]
  const twice =
    second === undefined
      ? []
      : [
          {
            path: `servers.${second}.prefix`,
            words: `is false at ${bare[0]} too: without prefixes the names of two servers cannot be told apart`,
            suggestion: 'Leave the prefix out at one server at most.',
          },
        ]
  const prefixOf = ([name, { prefix }]: Named) => (typeof prefix === 'string' ? prefix : name)
  const taken = servers.flatMap((server) => {
    const [name, { prefix }] = server
    if (typeof prefix !== 'string') return []
    const path = `servers.${name}.prefix`
    if (prefix === 'assent')
      return [{ path, words: 'is what the names of our own tools begin with', suggestion: 'Choose another one.' }]
    const other = servers.find((one) => one[0] !== name && prefixOf(one) === prefix)
    if (other === undefined) return []
    return [{ path, words: `is what names of the server ${other[0]} begin with`, suggestion: 'Choose another one.' }]
  })
  return [...twice, ...taken]
}

/** One name for clients must not stand for two tools. */
function renameProblems([name, { tools }]: Named): Finding[] {
  const renamed = Object.entries(tools.rename)
  return renamed.flatMap(([from, to], at) => {
    const path = `servers.${name}.tools.rename.${from}`
    const before = renamed.slice(0, at).find(([, other]) => other === to)
    if (before !== undefined)
      return [{ path, words: `gives the tool the name of ${before[0]}`, suggestion: 'Give each its own name.' }]
    if (isOffered(tools, from)) return []
    return [{ path, words: 'renames a tool that is not offered', suggestion: 'Leave it out, or allow the tool.' }]
  })
}

function surfaceProblems([name, server]: Named, { asks }: Config, placeOf: (path: string) => Place): Finding[] {
  const path = `servers.${name}.surfaces`
  const { surfaces, secrets } = server
  const isGiven = placeOf(path) !== placeOf(`servers.${name}`)
  if (isGiven && surfaces.length === 0) {
    const words = 'must name at least one place where people are asked'
    return [{ path, words, suggestion: 'Write for example: surfaces: [client]' }]
  }
  const other = surfaces.find((surface) => !asks.surfaces.includes(surface))
  if (other !== undefined)
    return [
      { path, words: `has ${other}, which asks.surfaces has not`, suggestion: 'Add it there, or leave it out here.' },
    ]
  if (surfaces.length === 0 || !secrets.allowed || surfaces.includes('inbox')) return []
  return [{ path, words: 'leaves out the inbox, which has the page for secrets', suggestion: 'Add inbox.' }]
}

function headerProblems([name, { forward_headers: forwarded, headers }]: Named): Finding[] {
  const configured = Object.keys(headers).map((header) => header.toLowerCase())
  return forwarded.flatMap((header, at) => {
    const path = `servers.${name}.forward_headers.${at + 1}`
    if (isNeverForwarded(header))
      return [{ path, words: `is ${header}, which is never passed on`, suggestion: 'Leave it out.' }]
    if (!configured.includes(header.toLowerCase())) return []
    return [{ path, words: `is ${header}, which headers sets too`, suggestion: 'Leave one of them out.' }]
  })
}
