// Runs every check of `assent doctor` once, within one time limit, and reports each result as soon as it is known.
// Changes no configuration.
//
// Clients are checked at the same time: one that does not respond must not delay the others.

import { isAbsolute } from 'node:path'
import { compact } from '@assent/core'
import { inherited } from '../../servers/inherited-environment.ts'
import type { InitClient, Scope } from '../init/clients.ts'
import { unconnectedConductors } from '../init/conductor-files.ts'
import { type DetectedClient, found, whereFound } from '../init/detect.ts'
import { isUnpinned } from '../init/launch.ts'
import type { Machine } from '../init/machine.ts'
import { doctorLimits } from '../limits.ts'
import { type ClientReport, clientReportOf } from './client-report.ts'
import { type Configured, type ConfiguredLaunch, configuredIn } from './configured.ts'
import { type DoctorFinding, type ExpectedInbox, folderFinding, nodeFinding, portFinding } from './environment.ts'
import { checkLaunch, type LiveProbe } from './live.ts'
import { clientProblems as text } from './text/checks.ts'

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
  readonly inbox: ExpectedInbox
  /** The store that a process with these additional variables would use; undefined if they are invalid. */
  readonly storeWith: (env: Readonly<Record<string, string>>) => string | undefined
  /** False with --no-start. */
  readonly mayStart: boolean
  /** Whether commands from this repository's configuration may be started too. */
  readonly trustsProject: boolean
}

/** Called as soon as a result is known. */
export interface DoctorEvents {
  onFinding(finding: DoctorFinding): void
  onClient(client: Examined): void
}

export async function examine(
  clients: readonly InitClient[],
  machine: Machine,
  request: DoctorRequest,
  events: DoctorEvents,
): Promise<Report> {
  const untilMs = performance.now() + doctorLimits.checksMs
  const surroundings: DoctorFinding[] = []
  // Check the port first: the servers started below may serve the inbox themselves.
  const checks = [
    () => nodeFinding(machine, startsNodeByName(clients, machine)),
    () => folderFinding(machine),
    () => portFinding(request.inbox),
  ]
  for (const check of checks) {
    const finding = await check()
    events.onFinding(finding)
    surroundings.push(finding)
  }
  const examination = { machine, request, untilMs, started: new Map<string, Promise<LiveProbe>>() }
  const examined = await Promise.all(
    clients.map(async (client) => {
      const one = await examineOne(found(client, machine), examination)
      events.onClient(one)
      return one
    }),
  )
  const works = examined.some(({ places, problems }) => places.length > 0 && problems.length === 0)
  const isBroken = examined.some(({ places, problems }) => places.length > 0 && problems.length > 0)
  return { ok: works && !isBroken && surroundings.every(({ ok }) => ok), surroundings, clients: examined }
}

/** Also if nothing is configured yet. */
function startsNodeByName(clients: readonly InitClient[], machine: Machine): boolean {
  const commands = clients.flatMap((client) =>
    configuredIn(client, machine).flatMap((one) => (one.kind === 'command' ? one.launch.command : [])),
  )
  return commands.length === 0 || commands.some((command) => !isAbsolute(command))
}

interface Examination {
  readonly machine: Machine
  readonly request: DoctorRequest
  readonly untilMs: number
  /** A command that several clients share is started once. */
  readonly started: Map<string, Promise<LiveProbe>>
}

async function examineOne(one: DetectedClient, examination: Examination): Promise<Examined> {
  const { machine, request } = examination
  const { id, title } = one.client
  const report = clientReportOf(title)
  const places: ExaminedFolder[] = []
  const problems: string[] = []
  for (const configured of configuredIn(one.client, machine)) {
    const { file, scope } = configured
    const words = wordsFor(configured)
    problems.push(...problemsOf(configured, report), ...storeProblems(configured, request))
    if (configured.kind !== 'command' || !request.mayStart || configured.isOff) places.push({ file, scope, words })
    else if (scope === 'project' && !configured.isOurs && !request.trustsProject) {
      places.push({ file, scope, words: text.notStarted(words) })
    } else {
      const live = await startedOnce(configured.launch, examination)
      if (!live.sessions.ok) problems.push(failureText(lineOf(configured.launch), live.sessions))
      places.push({ file, scope, words, live })
    }
  }
  if (places.length === 0) problems.push(text.notSetUp(id))
  else problems.push(...conductorProblems(one.client, machine))
  return { id, title, where: whereFound(one), report, places, problems }
}

function failureText(
  line: string,
  { isLate, because }: { readonly isLate: boolean; readonly because: string },
): string {
  return isLate ? text.late(line, because) : text.noResponse(line, because)
}

function startedOnce(launch: ConfiguredLaunch, { machine, untilMs, started }: Examination): Promise<LiveProbe> {
  const key = JSON.stringify(launch)
  const running = started.get(key)
  if (running !== undefined) return running
  const { variables, home, repository, folder } = machine
  const { PATH = '', XDG_STATE_HOME, ASSENT_HOME, ASSENT_LISTEN } = variables
  const live = checkLaunch({
    server: { ...launch, cwd: repository ?? folder },
    inherited: {
      // Without retries npm reports why it cannot download the program; with them it waits for minutes.
      npm_config_fetch_retries: '0',
      ...inherited(variables),
      ...compact({ PATH, HOME: home, XDG_STATE_HOME, ASSENT_HOME, ASSENT_LISTEN }),
    },
    untilMs,
  })
  started.set(key, live)
  return live
}

function problemsOf(configured: Configured, { quietMs }: ClientReport): string[] {
  if (configured.kind === 'broken') return [text.unusable(configured.file, configured.because)]
  if (configured.isOff) return [text.off(configured.file)]
  if (configured.kind === 'url') return []
  const { timeoutMs, file, launch } = configured
  const unpinned = isUnpinned(launch) ? [text.noVersion(file)] : []
  if (timeoutMs === undefined || quietMs === undefined || timeoutMs >= quietMs) return unpinned
  return [...unpinned, text.shortTimeout(file, timeoutMs / 1_000, quietMs / 1_000)]
}

/** Two stores are two inboxes. */
function storeProblems(configured: Configured, { inbox, storeWith }: DoctorRequest): string[] {
  if (configured.kind !== 'command') return []
  const store = storeWith(configured.launch.env)
  // With invalid variables the server does not start, which is reported with its output.
  if (store === undefined || store === inbox.store) return []
  return [text.otherStore(configured.file, store)]
}

function conductorProblems({ id, hasConductor }: InitClient, machine: Machine): string[] {
  if (hasConductor !== true) return []
  const roots = machine.repository === undefined ? [undefined] : [undefined, machine.repository]
  return roots.flatMap((root) =>
    unconnectedConductors(machine, root).map((file) => {
      return text.otherConductor(file, id, root !== undefined)
    }),
  )
}

function wordsFor(configured: Configured): string {
  if (configured.kind === 'broken') return configured.because
  if (configured.kind === 'url') return configured.url
  return lineOf(configured.launch)
}

function lineOf({ command, args }: ConfiguredLaunch): string {
  return [command, ...args].join(' ')
}
