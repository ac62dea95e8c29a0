// Implements `assent doctor` and prints its report.

import type { DoctorFinding } from '../setup/doctor/environment.ts'
import { type Examined, type ExaminedFolder, examine } from '../setup/doctor/examine.ts'
import { listenAddress } from '../setup/doctor/listen.ts'
import type { RevisionCheck } from '../setup/doctor/live.ts'
import { initClients } from '../setup/init/clients.ts'
import { findClients } from '../setup/init/detect.ts'
import { thisMachine } from '../setup/init/machine.ts'
import type { DoctorOptions } from './doctor-options.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

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
  const report = await examine(clients, machine, {
    listen: listenAddress(terminal.variables),
    mayStart: start,
    trustsProject: trustProject === true,
  })
  const code = report.ok ? exitCodes.ok : exitCodes.problem
  if (json === true) {
    terminal.out(JSON.stringify(report))
    return code
  }
  for (const finding of report.surroundings) terminal.out(findingText(finding, terminal))
  for (const client of report.clients) terminal.out(clientText(client, terminal))
  if (clients.length === 0) terminal.out('\nNo supported client was found here. Set one up: assent init <client>')
  return code
}

function findingText({ what, ok, words, change }: DoctorFinding, terminal: Terminal): string {
  return `${mark(ok, terminal)} ${what}: ${words}.${change === undefined ? '' : `\n    ${change}`}`
}

function clientText({ title, where, report, places, problems }: Examined, terminal: Terminal): string {
  const isSetUp = places.length > 0
  const lines = [
    `\n${mark(problems.length === 0 ? true : isSetUp ? false : undefined, terminal)} ${bold(title, terminal)} (${where})`,
    ...places.flatMap((place) => placeLines(place)),
    `    forms   ${report.forms}`,
    `    pages   ${report.links}`,
    `    waits   ${report.waits}`,
    `    inbox   gets ${report.inbox}`,
    ...problems.map(
      (problem) => `    ${toned(terminal.isOutColoured, isSetUp ? 'red' : 'yellow', 'to do')}   ${problem}`,
    ),
  ]
  return lines.join('\n')
}

function placeLines({ file, words, live }: ExaminedFolder): string[] {
  const check =
    live === undefined
      ? []
      : [`    live    as a session: ${checkText(live.sessions)}; stateless: ${checkText(live.stateless)}`]
  return [`    set up  ${file}: ${words}`, ...check]
}

function checkText(check: RevisionCheck): string {
  // The reason is listed with the problems.
  if (!check.ok) return 'no answer'
  return `${check.revision} answered in ${check.tookMs} ms with ${check.tools.length} tools`
}

function mark(ok: boolean | undefined, { isOutColoured }: Terminal): string {
  if (ok === undefined) return toned(isOutColoured, 'yellow', '–')
  return ok ? toned(isOutColoured, 'green', '✓') : toned(isOutColoured, 'red', '✗')
}

function bold(text: string, { isOutColoured }: Terminal): string {
  return toned(isOutColoured, 'bold', text)
}
