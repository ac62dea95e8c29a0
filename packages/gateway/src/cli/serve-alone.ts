// `assent` without a command. A client that starts it gets an MCP server; a person who does is told what this is.

import { homeFolder } from '@assent/tools/home'
import { aloneConfig } from '../config/alone-config.ts'
import { tell } from '../config/problem.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'
import { ownVersion } from './version.ts'

export interface Started {
  /** Whether a person is at the keyboard rather than a client at the other end of a pipe. */
  readonly byPerson: boolean
}

export async function serveAlone(terminal: Terminal, { byPerson }: Started): Promise<ExitCode> {
  const read = aloneConfig(terminal.variables)
  for (const one of read.ok ? read.warnings : [...read.problems, ...read.warnings])
    terminal.err(tell('environment', one))
  if (!read.ok) return exitCodes.problem
  const alone = { config: read.config, variables: terminal.variables, onTrouble: troubleTo(terminal) }
  try {
    const { serveClient, serveInbox } = await import('../alone/run-alone.ts')
    if (!byPerson) await serveClient(alone)
    else await serveInbox(alone, (link, inbox) => terminal.err(words(terminal, link ?? inbox.url)))
    return exitCodes.ok
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${reason}`)
    return exitCodes.cannotRun
  }
}

/** One object per line, like the log of a gateway; standard output belongs to the client. */
function troubleTo({ err }: Terminal): (error: unknown) => void {
  return (error) => {
    const msg = error instanceof Error ? error.message : String(error)
    err(JSON.stringify({ level: 'error', time: Date.now(), msg }))
  }
}

function words({ isErrColoured, variables }: Terminal, link: string | undefined): string {
  const strong = (text: string) => toned(isErrColoured, 'bold', text)
  return `${strong(`Assent ${ownVersion()}`)}: your coding agent asks, you decide.

Clients of agents start this program and speak with it; there is nothing to type here.

  1. Tell your client about it      ${strong('npx assent init')}
  2. Have your agent plan something, and ask it to have the plan approved with Assent.
  3. Answer in your client. What it cannot show you waits in your inbox:
       in the browser               ${link ?? 'could not be opened'}
                                    (the link works once; a new one: npx assent inbox link)
       in a terminal                ${strong('npx assent inbox')}

What is asked and answered is kept in ${homeFolder(variables)}.
The inbox stays open while this runs. Ctrl+C stops it. All commands: npx assent --help`
}
