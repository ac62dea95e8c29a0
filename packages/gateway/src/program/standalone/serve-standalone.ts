// `assent` without a command: an MCP server for a client, an explanation for a person at a terminal.

import { homeFolder } from '@assent/tools/home'
import { problemText } from '../../config/problem.ts'
import { standaloneConfig } from '../../config/standalone-config.ts'
import { ownVersion } from '../../protocol/version.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { type Terminal, toned } from '../terminal.ts'

export interface StartedBy {
  /** Whether a person started the program at a terminal, rather than a client through a pipe. */
  readonly byPerson: boolean
}

export async function serveStandalone(terminal: Terminal, { byPerson }: StartedBy): Promise<ExitCode> {
  const read = standaloneConfig(terminal.variables)
  for (const one of read.ok ? read.warnings : [...read.problems, ...read.warnings])
    terminal.err(problemText('environment', one))
  if (!read.ok) return exitCodes.problem
  const options = { config: read.config, variables: terminal.variables, onError: errorLines(terminal) }
  try {
    const { serveClient, serveInbox } = await import('./run-standalone.ts')
    if (!byPerson) await serveClient(options)
    else await serveInbox(options, (link, inbox) => terminal.err(welcomeText(terminal, link ?? inbox.url)))
    return exitCodes.ok
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${reason}`)
    return exitCodes.cannotRun
  }
}

/** Logs one JSON object per line, like the gateway's log, to standard error: standard output is for the client. */
function errorLines({ err }: Terminal): (error: unknown) => void {
  return (error) => {
    const msg = error instanceof Error ? error.message : String(error)
    err(JSON.stringify({ level: 'error', time: Date.now(), msg }))
  }
}

function welcomeText({ isErrColoured, variables }: Terminal, link: string | undefined): string {
  const strong = (text: string) => toned(isErrColoured, 'bold', text)
  return `${strong(`Assent ${ownVersion()}`)}: your coding agent asks, you decide.

Clients start this program and send it requests; there is nothing to type here.

  1. Set up your client             ${strong('npx assent init')}
  2. Have your agent plan something, and ask it to have the plan approved with Assent.
  3. Answer in your client. What it cannot show you waits in your inbox:
       in the browser               ${link ?? 'could not be opened'}
                                    (the link works once; a new one: npx assent inbox link)
       in a terminal                ${strong('npx assent inbox')}

Asks and answers are stored in ${homeFolder(variables)}.
The inbox stays open while this runs. Ctrl+C stops it. All commands: npx assent --help`
}
