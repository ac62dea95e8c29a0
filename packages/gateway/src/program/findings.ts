// Prints the problems of a configuration: as text on standard error, or as JSON for scripts.

import type { Loaded } from '../config/load.ts'
import { type Problem, problemText } from '../config/problem.ts'
import { type Terminal, toned } from './terminal.ts'

/** Prints on standard error why a configuration cannot be used. */
export function printFindings(file: string, loaded: Loaded, terminal: Terminal): void {
  const { err, isErrColoured } = terminal
  if ('unreadable' in loaded) {
    err(`${toned(isErrColoured, 'red', 'error')} ${file}: ${loaded.unreadable}.`)
    return
  }
  for (const warning of loaded.warnings)
    err(`${toned(isErrColoured, 'yellow', 'warning')} ${problemText(file, warning)}`)
  if (loaded.ok) {
    terminal.out(
      `${toned(terminal.isOutColoured, 'green', 'ok')} ${file}: ${countOf(loaded.config.servers)}, no problems.`,
    )
    return
  }
  for (const problem of loaded.problems) err(`${toned(isErrColoured, 'red', 'error')} ${problemText(file, problem)}`)
  err(`${loaded.problems.length} ${loaded.problems.length === 1 ? 'problem' : 'problems'} in ${file}.`)
}

function countOf(servers: object): string {
  const names = Object.keys(servers)
  return names.length === 1 ? `the server ${names[0]}` : `${names.length} servers (${names.join(', ')})`
}

/** The same as JSON, for scripts. */
export function report(file: string, loaded: Loaded): object {
  if ('unreadable' in loaded)
    return { ok: false, file, problems: [{ path: '', words: loaded.unreadable }], warnings: [] }
  const problems = loaded.ok ? [] : loaded.problems
  return { ok: loaded.ok, file, problems: problems.map(flat), warnings: loaded.warnings.map(flat) }
}

function flat({ place, ...rest }: Problem): object {
  return place.kind === 'file' ? { ...rest, line: place.line, column: place.column } : { ...rest, variable: place.name }
}
