// Implements `assent doctor` and prints each result as soon as it is known.

import { existsSync } from 'node:fs'
import { problemText } from '../config/problem.ts'
import type { Config } from '../config/settings.ts'
import { standaloneConfig } from '../config/standalone-config.ts'
import { listenerKey } from '../inbox/listener-proof.ts'
import { safeJson, safeLine } from '../inbox/terminal/safe-json.ts'
import type { DoctorFinding, ExpectedInbox } from '../setup/doctor/environment.ts'
import { type Examined, type ExaminedFolder, examine, type Report } from '../setup/doctor/examine.ts'
import type { RevisionCheck } from '../setup/doctor/live.ts'
import { initClients } from '../setup/init/clients.ts'
import { findClients } from '../setup/init/detect.ts'
import { type Machine, stateFolder, thisMachine } from '../setup/init/machine.ts'
import type { DoctorOptions } from './doctor-options.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { inboxFile, keptOrigin } from './standalone/shared-inbox.ts'
import { sealKeysFor, storePlace } from './state.ts'
import { type Terminal, toned } from './terminal.ts'
import { doctorText as text } from './text/doctor.ts'

export async function runDoctor(
  names: readonly string[],
  { json, start, trustProject }: DoctorOptions,
  terminal: Terminal,
  folder = process.cwd(),
): Promise<ExitCode> {
  const machine = thisMachine(terminal.variables, folder)
  const clients =
    names.length > 0
      ? initClients.filter(({ id }) => names.includes(id))
      : findClients(machine).map(({ client }) => client)
  const print = json === true ? () => undefined : terminal.out
  const report = await examine(
    clients,
    machine,
    {
      inbox: expectedInbox(machine),
      storeWith: (env) => {
        const variables = variablesOf(machine, env)
        const read = standaloneConfig(variables)
        return read.ok ? storeText(read.config, variables) : undefined
      },
      mayStart: start,
      trustsProject: trustProject === true,
    },
    {
      onFinding: (finding) => print(findingText(finding, terminal)),
      onClient: (client) => print(clientText(client, terminal)),
    },
  )
  if (json === true) terminal.out(safeJson(report))
  else if (clients.length === 0) terminal.out(text.noClient)
  else terminal.out(`\n${endText(report)}`)
  return report.ok ? exitCodes.ok : exitCodes.problem
}

/**
 * Nothing is created: without a key file there is no store yet, and no listener can have its key.
 * @throws if an environment variable has an invalid value
 */
function expectedInbox(machine: Machine): ExpectedInbox {
  const variables = variablesOf(machine)
  const read = standaloneConfig(variables)
  if (!read.ok) throw new Error(read.problems.map((one) => problemText('environment', one)).join('\n'))
  const { config } = read
  const place = storePlace(config.store, variables)
  const hasKeys = place.engine === 'postgres' || Object.keys(config.keys).length > 0 || existsSync(`${place.path}.key`)
  return {
    listen: config.listen,
    store: storeText(config, variables),
    keys: hasKeys ? sealKeysFor(config, variables).map(({ secret }) => listenerKey(secret)) : [],
    lastOrigin: keptOrigin(inboxFile(stateFolder(machine))),
  }
}

function variablesOf(machine: Machine, env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const variables = { ...machine.variables, ...env }
  return { ...variables, ASSENT_HOME: stateFolder({ ...machine, variables }) }
}

/** Without the password of a database. */
function storeText(config: Config, variables: NodeJS.ProcessEnv): string {
  const place = storePlace(config.store, variables)
  if (place.engine === 'sqlite') return place.path
  const { host, pathname } = new URL(place.url)
  return `postgres://${host}${pathname}`
}

function findingText({ what, ok, words, change }: DoctorFinding, terminal: Terminal): string {
  return `${mark(ok, terminal)} ${what}: ${words}.${change === undefined ? '' : `\n    ${change}`}`
}

function clientText(client: Examined, terminal: Terminal): string {
  const { title, id, report, places, problems } = client
  const name = toned(terminal.isOutColoured, 'bold', title)
  if (places.length === 0) return `${mark(undefined, terminal)} ${name}: ${text.notSetUp(id)}`
  const isLate = places.some(({ live }) => live?.sessions.ok === false && live.sessions.isLate)
  const state = problems.length === 0 ? stateText(places) : isLate ? text.late : text.problems(problems.length)
  return [
    `${mark(problems.length === 0, terminal)} ${name}: ${state}`,
    ...problems.map((problem) => `    ${toned(terminal.isOutColoured, 'red', text.problem)}: ${safeLine(problem)}`),
    ...places.map(placeLine),
    `    ${text.shows(report.forms, report.links, report.waits)}`,
    `    ${text.inbox(report.inbox)}`,
  ].join('\n')
}

function stateText(places: readonly ExaminedFolder[]): string {
  return places.some(({ live }) => live !== undefined) ? text.works : text.notStarted
}

/**
 * The command is shown where it was not started; where it failed, it is part of the problem. Both may come from a cloned
 * repository.
 */
function placeLine({ file, words, live }: ExaminedFolder): string {
  if (live === undefined) return `    ${file}: ${safeLine(words)}`
  if (!live.sessions.ok) return `    ${file}`
  return `    ${file}: ${text.tools(live.sessions.tools.length)}; ${checkText(live.sessions)}; ${checkText(live.stateless)}`
}

function checkText(check: RevisionCheck): string {
  if (!check.ok) return check.isLate ? text.newestLate : text.newestNotSupported
  return text.answered(check.revision, check.tookMs)
}

function endText({ surroundings, clients }: Report): string {
  const working = clients.filter(({ problems }) => problems.length === 0).length
  const notSetUp = clients.filter(({ places }) => places.length === 0).length
  const counted = clients.filter(({ places }) => places.length > 0).flatMap(({ problems }) => problems)
  const count = counted.length + surroundings.filter(({ ok }) => !ok).length
  return text.end(working, clients.length, notSetUp, count)
}

function mark(ok: boolean | undefined, { isOutColoured }: Terminal): string {
  if (ok === undefined) return toned(isOutColoured, 'yellow', '–')
  return ok ? toned(isOutColoured, 'green', '✓') : toned(isOutColoured, 'red', '✗')
}
