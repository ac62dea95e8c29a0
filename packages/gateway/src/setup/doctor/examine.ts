// Runs every check of `assent doctor` once and returns a report. Changes no configuration.

import { compact } from '@assent/core'
import type { Address } from '../../config/kinds.ts'
import type { InitClient, Scope } from '../init/clients.ts'
import { type DetectedClient, found, whereFound } from '../init/detect.ts'
import { isUnpinned } from '../init/launch.ts'
import type { Machine } from '../init/machine.ts'
import { type ClientReport, clientReportOf } from './client-report.ts'
import { type Configured, type ConfiguredLaunch, configuredIn } from './configured.ts'
import { type DoctorFinding, folderFinding, nodeFinding, portFinding } from './environment.ts'
import { checkLaunch, type LiveProbe } from './live.ts'

export interface Examined {
  readonly id: string
  readonly title: string
  readonly where: string
  readonly report: ClientReport
  readonly places: readonly ExaminedFolder[]
  /** Each problem with its fix; empty if the client works. */
  readonly problems: readonly string[]
}

export interface ExaminedFolder {
  readonly file: string
  readonly scope: Scope
  readonly words: string
  readonly live?: LiveProbe
}

export interface Report {
  readonly ok: boolean
  readonly surroundings: readonly DoctorFinding[]
  readonly clients: readonly Examined[]
}

export interface DoctorRequest {
  readonly listen: Address
  /** False with --no-start. */
  readonly mayStart: boolean
  /** Whether commands from this repository's configuration may be started too. */
  readonly trustsProject: boolean
}

export async function examine(
  clients: readonly InitClient[],
  machine: Machine,
  request: DoctorRequest,
): Promise<Report> {
  // Check the port first: the servers started below may serve the inbox themselves.
  const surroundings = [nodeFinding(machine), folderFinding(machine), await portFinding(request.listen)]
  const started = new Map<string, Promise<LiveProbe>>()
  const examined: Examined[] = []
  // One at a time, so that servers do not distort each other's response times.
  for (const client of clients) examined.push(await examineOne(found(client, machine), machine, request, started))
  const works = examined.some(({ places, problems }) => places.length > 0 && problems.length === 0)
  const isBroken = examined.some(({ places, problems }) => places.length > 0 && problems.length > 0)
  return { ok: works && !isBroken && surroundings.every(({ ok }) => ok), surroundings, clients: examined }
}

async function examineOne(
  one: DetectedClient,
  machine: Machine,
  request: DoctorRequest,
  started: Map<string, Promise<LiveProbe>>,
): Promise<Examined> {
  const { id, title } = one.client
  const report = clientReportOf(title)
  const places: ExaminedFolder[] = []
  const problems: string[] = []
  for (const configured of configuredIn(one.client, machine)) {
    const { file, scope } = configured
    const words = wordsFor(configured)
    problems.push(...problemsOf(configured, report))
    if (configured.kind !== 'command' || !request.mayStart || configured.isOff) places.push({ file, scope, words })
    else if (scope === 'project' && !configured.isOurs && !request.trustsProject) {
      places.push({
        file,
        scope,
        words: `${words}; not started, because the command comes from this repository (--trust-project starts it)`,
      })
    } else {
      const live = await startedOnce(configured.launch, machine, started)
      if (!live.sessions.ok)
        problems.push(`\`${lineOf(configured.launch)}\` does not respond: ${live.sessions.because}`)
      places.push({ file, scope, words, live })
    }
  }
  if (places.length === 0) problems.push(`It is not set up. Run: assent init ${id}`)
  return { id, title, where: whereFound(one), report, places, problems }
}

/** A command that several clients share is started once. */
function startedOnce(
  launch: ConfiguredLaunch,
  { variables, home, repository, folder }: Machine,
  started: Map<string, Promise<LiveProbe>>,
): Promise<LiveProbe> {
  const key = JSON.stringify(launch)
  const running = started.get(key)
  if (running !== undefined) return running
  const { PATH = '', XDG_STATE_HOME } = variables
  const env = { PATH, HOME: home, ...compact({ XDG_STATE_HOME }), ...launch.env }
  const live = checkLaunch({ command: launch.command, args: launch.args, env, cwd: repository ?? folder })
  started.set(key, live)
  return live
}

function problemsOf(configured: Configured, { quietMs }: ClientReport): string[] {
  if (configured.kind === 'broken') return [`${configured.file} cannot be used: ${configured.because}.`]
  if (configured.isOff) return [`It is switched off in ${configured.file}.`]
  if (configured.kind === 'url') return []
  const { timeoutMs, file, launch } = configured
  const unpinned = isUnpinned(launch)
    ? [
        `${file} names no version, so every start runs the newest one in the registry. Run \`assent init --undo\`, then \`assent init\`: it writes the version.`,
      ]
    : []
  if (timeoutMs === undefined || quietMs === undefined || timeoutMs >= quietMs) return unpinned
  return [
    ...unpinned,
    `${file} sets a timeout of ${timeoutMs / 1_000} s, which is too short for a person to answer. Raise it to ${quietMs / 1_000} s or more.`,
  ]
}

function wordsFor(configured: Configured): string {
  if (configured.kind === 'broken') return configured.because
  if (configured.kind === 'url') return configured.url
  return lineOf(configured.launch)
}

function lineOf({ command, args }: ConfiguredLaunch): string {
  return [command, ...args].join(' ')
}
