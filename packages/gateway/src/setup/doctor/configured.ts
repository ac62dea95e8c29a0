// Finds the Assent entries in a client's configuration files, and the command that each one starts.

import type { InitClient, Scope } from '../init/clients.ts'
import type { EntryChange } from '../init/edit/change.ts'
import { readJsonc } from '../init/edit/jsonc.ts'
import { readToml } from '../init/edit/toml.ts'
import { isObject, isSame, valueAt } from '../init/edit/values.ts'
import { readYaml } from '../init/edit/yaml.ts'
import { readText } from '../init/files.ts'
import { npxLaunch, type Program, pathLaunch } from '../init/launch.ts'
import type { Machine } from '../init/machine.ts'
import { clientProblems } from './text/checks.ts'

export interface ConfiguredLaunch {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export type Configured = { readonly file: string; readonly scope: Scope } & (
  | {
      readonly kind: 'command'
      readonly launch: ConfiguredLaunch
      /** Whether it is exactly what init writes: the path of this program, or this version through npx. */
      readonly isOurs: boolean
      readonly isOff: boolean
      /** The call timeout, if the file sets one. */
      readonly timeoutMs: number | undefined
    }
  | { readonly kind: 'url'; readonly url: string; readonly isOff: boolean }
  | { readonly kind: 'broken'; readonly because: string }
)

/** The repository's entry comes first: a client prefers it to the user's entry. */
export function configuredIn(client: InitClient, machine: Machine): Configured[] {
  const roots =
    client.isUserAlone === true || machine.repository === undefined ? [undefined] : [machine.repository, undefined]
  return roots.flatMap((root) => {
    const { file, change } = client.server(machine, root)
    const scope = root === undefined ? 'user' : 'project'
    return change.kind === 'entry' ? lookIn(file, scope, change, machine.program) : []
  })
}

function lookIn(file: string, scope: Scope, { form, path, value }: EntryChange, program: Program): Configured[] {
  const broken = (because: string): Configured[] => [{ file, scope, kind: 'broken', because }]
  const read = readText(file)
  if (read.kind === 'none') return []
  if (read.kind === 'unclear') return broken(read.because)
  const body = read.text.replace('\uFEFF', '')
  if (body.trim() === '') return []
  const content = { jsonc: readJsonc, toml: readToml, yaml: readYaml }[form](body)
  if ('because' in content) return broken(content.because)
  const found = valueAt(content.value, path)
  if (found === undefined) return []
  if (!isObject(found)) return broken(clientProblems.notUnderstood(path.join('.')))
  const isOff = found.enabled === false || found.disabled === true
  const launch = launchOf(found)
  if (launch !== undefined) {
    return [
      {
        file,
        scope,
        kind: 'command',
        launch,
        isOurs: [pathLaunch(program), npxLaunch(program)].some((ours) => isSame(launch, { ...ours, env: {} })),
        isOff,
        timeoutMs: timeoutOf(found, value),
      },
    ]
  }
  const url = found.url ?? found.httpUrl ?? found.serverUrl ?? found.uri
  return typeof url === 'string'
    ? [{ file, scope, kind: 'url', url, isOff }]
    : broken(clientProblems.noCommand(path.join('.')))
}

/** Clients use different keys for command, arguments and environment. */
function launchOf(entry: Readonly<Record<string, unknown>>): ConfiguredLaunch | undefined {
  const given = entry.command ?? entry.cmd
  const words = Array.isArray(given) ? given : [given, ...(Array.isArray(entry.args) ? entry.args : [])]
  if (!words.every((word) => typeof word === 'string')) return undefined
  const [command, ...args] = words
  const env = entry.env ?? entry.environment ?? entry.envs ?? {}
  if (command === undefined || !isObject(env)) return undefined
  const variables = Object.entries(env).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return { command, args, env: Object.fromEntries(variables) }
}

/** Converts to milliseconds. The client's unit is inferred from the value that init writes for it. */
function timeoutOf(
  found: Readonly<Record<string, unknown>>,
  written: Readonly<Record<string, unknown>>,
): number | undefined {
  const name = 'tool_timeout_sec' in written ? 'tool_timeout_sec' : 'timeout'
  const value = found[name]
  if (typeof value !== 'number') return undefined
  const ours = written[name]
  // If init writes 10,000 or more, the client's unit is milliseconds; if less, seconds.
  return typeof ours === 'number' && ours >= 10_000 ? value : value * 1_000
}
