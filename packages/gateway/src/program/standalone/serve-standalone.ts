// `assent` without a command: an MCP server for a client, an explanation for a person at a terminal.

import { homeFolder } from '@assent/tools/home'
import { problemText } from '../../config/problem.ts'
import { standaloneConfig } from '../../config/standalone-config.ts'
import { ownVersion } from '../../protocol/version.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { type Terminal, toned } from '../terminal.ts'
import { welcomeText } from '../text/program.ts'

/** A client through a pipe, a person at a terminal, or another process of Assent that needs the inbox. */
export type StartedBy = 'client' | 'person' | 'assent'

export async function serveStandalone(terminal: Terminal, startedBy: StartedBy): Promise<ExitCode> {
  const read = standaloneConfig(terminal.variables)
  for (const one of read.ok ? read.warnings : [...read.problems, ...read.warnings])
    terminal.err(problemText('environment', one))
  if (!read.ok) return exitCodes.problem
  const { variables, program } = terminal
  const options = { config: read.config, variables, program, onError: errorLines(terminal) }
  try {
    const { serveClient, serveInbox, serveInboxWhileUsed } = await import('./run-standalone.ts')
    if (startedBy === 'client') await serveClient(options)
    else if (startedBy === 'assent') await serveInboxWhileUsed(options)
    else await serveInbox(options, (link, inbox) => terminal.err(welcome(terminal, link ?? inbox.url)))
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

function welcome({ isErrColoured, variables }: Terminal, link: string | undefined): string {
  const strong = (text: string) => toned(isErrColoured, 'bold', text)
  return welcomeText({ version: ownVersion(), link, folder: homeFolder(variables) }, strong)
}
