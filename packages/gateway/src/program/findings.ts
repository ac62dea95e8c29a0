// Prints the problems of a configuration: as text on standard error, or as JSON for scripts. The file may come from a cloned
// repository, so its names cannot move the cursor.

import type { Loaded } from '../config/load.ts'
import { type Problem, problemText } from '../config/problem.ts'
import { safeLine } from '../inbox/terminal/safe-json.ts'
import { type Terminal, toned } from './terminal.ts'
import { configText } from './text/configuration.ts'

/** Prints on standard error why a configuration cannot be used. */
export function printFindings(file: string, loaded: Loaded, terminal: Terminal): void {
  const { err, isErrColoured } = terminal
  if ('unreadable' in loaded) {
    err(`${toned(isErrColoured, 'red', 'error')} ${file}: ${safeLine(loaded.unreadable)}.`)
    return
  }
  for (const warning of loaded.warnings)
    err(`${toned(isErrColoured, 'yellow', 'warning')} ${safeLine(problemText(file, warning))}`)
  if (loaded.ok) {
    const words = configText.noProblems(file, Object.keys(loaded.config.servers))
    terminal.out(`${toned(terminal.isOutColoured, 'green', 'ok')} ${words}`)
    return
  }
  for (const problem of loaded.problems)
    err(`${toned(isErrColoured, 'red', 'error')} ${safeLine(problemText(file, problem))}`)
  err(configText.problems(loaded.problems.length, file))
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
