// What `assent doctor` does and how it is told.

import { type Examined, examine, type Place } from '../doctor/examine.ts'
import { listenAddress } from '../doctor/listen.ts'
import type { Spoken } from '../doctor/live.ts'
import type { Finding } from '../doctor/surroundings.ts'
import { initClients } from '../init/clients.ts'
import { findClients } from '../init/detect.ts'
import { thisMachine } from '../init/machine.ts'
import type { DoctorOptions } from './doctor-command.ts'
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
  if (clients.length === 0)
    terminal.out('\nNo client that Assent knows was found here. Set one up: assent init <client>')
  return code
}

function findingText({ what, ok, words, change }: Finding, terminal: Terminal): string {
  return `${mark(ok, terminal)} ${what}: ${words}.${change === undefined ? '' : `\n    ${change}`}`
}

function clientText({ title, where, manners, places, problems }: Examined, terminal: Terminal): string {
  const isSetUp = places.length > 0
  const lines = [
    `\n${mark(problems.length === 0 ? true : isSetUp ? false : undefined, terminal)} ${bold(title, terminal)} (${where})`,
    ...places.flatMap((place) => placeLines(place)),
    `    forms   ${manners.forms}`,
    `    pages   ${manners.links}`,
    `    waits   ${manners.waits}`,
    `    inbox   gets ${manners.inbox}`,
    ...problems.map(
      (problem) => `    ${toned(terminal.isOutColoured, isSetUp ? 'red' : 'yellow', 'to do')}   ${problem}`,
    ),
  ]
  return lines.join('\n')
}

function placeLines({ file, words, live }: Place): string[] {
  const spoken =
    live === undefined
      ? []
      : [`    live    as a session: ${spokenWords(live.sessions)}; stateless: ${spokenWords(live.stateless)}`]
  return [`    set up  ${file}: ${words}`, ...spoken]
}

function spokenWords(spoken: Spoken): string {
  // Why not is among what there is to do.
  if (!spoken.ok) return 'no answer'
  return `${spoken.revision} answered in ${spoken.tookMs} ms with ${spoken.tools.length} tools`
}

function mark(ok: boolean | undefined, { isOutColoured }: Terminal): string {
  if (ok === undefined) return toned(isOutColoured, 'yellow', '–')
  return ok ? toned(isOutColoured, 'green', '✓') : toned(isOutColoured, 'red', '✗')
}

function bold(text: string, { isOutColoured }: Terminal): string {
  return toned(isOutColoured, 'bold', text)
}
