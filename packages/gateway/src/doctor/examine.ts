// Looks at everything once and says what was found; nothing is changed.

import type { Address } from '../config/kinds.ts'
import type { InitClient, Scope } from '../init/clients.ts'
import { type Found, found, whereFound } from '../init/detect.ts'
import { isUnpinned } from '../init/launch.ts'
import type { Machine } from '../init/machine.ts'
import { type Configured, configuredIn, type Launch } from './configured.ts'
import { type Live, speakTo } from './live.ts'
import { type Manners, mannersOf } from './manners.ts'
import { type Finding, folderFinding, nodeFinding, portFinding } from './surroundings.ts'

export interface Examined {
  readonly id: string
  readonly title: string
  readonly where: string
  readonly manners: Manners
  readonly places: readonly Place[]
  /** What is wrong, each with what to do; none when it works. */
  readonly problems: readonly string[]
}

export interface Place {
  readonly file: string
  readonly scope: Scope
  readonly words: string
  readonly live?: Live
}

export interface Report {
  readonly ok: boolean
  readonly surroundings: readonly Finding[]
  readonly clients: readonly Examined[]
}

export interface Wishes {
  readonly listen: Address
  /** False to start nothing. */
  readonly mayStart: boolean
  /** Whether a command that this repository brings may be started, too. */
  readonly trustsProject: boolean
}

export async function examine(clients: readonly InitClient[], machine: Machine, wishes: Wishes): Promise<Report> {
  // The port first: the servers started below may serve the inbox themselves.
  const surroundings = [nodeFinding(machine), folderFinding(machine), await portFinding(wishes.listen)]
  const started = new Map<string, Promise<Live>>()
  const examined: Examined[] = []
  // One after the other, so that each is timed by itself.
  for (const client of clients) examined.push(await examineOne(found(client, machine), machine, wishes, started))
  const works = examined.some(({ places, problems }) => places.length > 0 && problems.length === 0)
  const isBroken = examined.some(({ places, problems }) => places.length > 0 && problems.length > 0)
  return { ok: works && !isBroken && surroundings.every(({ ok }) => ok), surroundings, clients: examined }
}

async function examineOne(
  one: Found,
  machine: Machine,
  wishes: Wishes,
  started: Map<string, Promise<Live>>,
): Promise<Examined> {
  const { id, title } = one.client
  const manners = mannersOf(title)
  const places: Place[] = []
  const problems: string[] = []
  for (const configured of configuredIn(one.client, machine)) {
    const { file, scope } = configured
    const words = wordsFor(configured)
    problems.push(...problemsOf(configured, manners))
    if (configured.kind !== 'command' || !wishes.mayStart || configured.isOff) places.push({ file, scope, words })
    else if (scope === 'project' && !configured.isOurs && !wishes.trustsProject) {
      places.push({
        file,
        scope,
        words: `${words}; not started, because this repository brings the command (--trust-project starts it)`,
      })
    } else {
      const live = await startedOnce(configured.launch, machine, started)
      if (!live.sessions.ok) problems.push(`\`${lineOf(configured.launch)}\` does not answer: ${live.sessions.because}`)
      places.push({ file, scope, words, live })
    }
  }
  if (places.length === 0) problems.push(`It is not set up. Run: assent init ${id}`)
  return { id, title, where: whereFound(one), manners, places, problems }
}

/** Several clients start the same command; it is tried once. */
function startedOnce(
  launch: Launch,
  { variables, home, repository, folder }: Machine,
  started: Map<string, Promise<Live>>,
): Promise<Live> {
  const key = JSON.stringify(launch)
  const running = started.get(key)
  if (running !== undefined) return running
  const { PATH = '', XDG_STATE_HOME } = variables
  const env = { PATH, HOME: home, ...(XDG_STATE_HOME === undefined ? {} : { XDG_STATE_HOME }), ...launch.env }
  const live = speakTo({ command: launch.command, args: launch.args, env, cwd: repository ?? folder })
  started.set(key, live)
  return live
}

function problemsOf(configured: Configured, { quietMs }: Manners): string[] {
  if (configured.kind === 'broken') return [`${configured.file} cannot be used: ${configured.because}.`]
  if (configured.isOff) return [`It is switched off in ${configured.file}.`]
  if (configured.kind === 'url') return []
  const { timeoutMs, file, launch } = configured
  const unpinned = isUnpinned(launch)
    ? [
        `${file} names no version, so every start runs what is newest in the registry. Run \`assent init --undo\`, then \`assent init\`: it writes the version.`,
      ]
    : []
  if (timeoutMs === undefined || quietMs === undefined || timeoutMs >= quietMs) return unpinned
  return [
    ...unpinned,
    `${file} has it give up after ${timeoutMs / 1_000} s, sooner than anybody answers. Raise that limit to ${quietMs / 1_000} s or more.`,
  ]
}

function wordsFor(configured: Configured): string {
  if (configured.kind === 'broken') return configured.because
  if (configured.kind === 'url') return configured.url
  return lineOf(configured.launch)
}

function lineOf({ command, args }: Launch): string {
  return [command, ...args].join(' ')
}
