// `assent --help`, and what `assent` prints to a person who starts it at a terminal.

const exitCodes = `Exit codes:
  0  no problems
  1  a problem was found, such as a mistake in a configuration
  2  the command line is invalid
  3  it cannot run: a port is taken, the store cannot be reached
  4  no such ask
  5  the ask has ended or was already answered; this answer changed nothing`

export const programText = {
  description: `Your agent asks. You answer. Only what you approved runs.

Assent sits between agents and MCP servers. When a server asks a question, Assent shows it to the right person and returns the answer, in every revision of the protocol.`,
  gettingStarted: `
With a coding agent:
  1. See a sample question: npx assent try
  2. Set up your clients:   npx assent init
  3. Answer its questions in your client, with assent inbox here, or in the browser: assent inbox open
  Without a command, it is the MCP server that clients start: tools for asking a person, and one inbox for all windows.

As a gateway for your MCP servers:
  1. Write assent.yaml:
       servers:
         files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", .] }
  2. Check it:                  assent config check
  3. Check the servers:         assent servers
  4. Start:                     assent gateway
  5. Point your client at       http://127.0.0.1:7420/mcp

${exitCodes}

Colours are used only on a terminal, and not if NO_COLOR is set. Help for one command: assent help <command>`,
  version: 'show the version',
  help: 'show help',
  helpCommand: 'show help for a command',
  afterError: '(assent --help lists all commands)',
}

/** To a person at a terminal. `strong` marks commands. */
export function welcomeText(
  { version, link, folder }: { version: string; link: string | undefined; folder: string },
  strong: (text: string) => string,
): string {
  return `${strong(`Assent ${version}`)}: your coding agent asks, you decide.

Clients start this program and send it requests; there is nothing to type here.

  1. See a sample question   ${strong('npx assent try')}
  2. Set up your clients     ${strong('npx assent init')}
  3. Have your agent plan something, and ask it to have the plan approved with Assent.
  4. Answer in your client. What it cannot show you waits in your inbox: in a terminal with
     ${strong('npx assent inbox')}, or in the browser (this link works once; later: ${strong('npx assent inbox open')}):

  ${link ?? 'The inbox could not be opened.'}

Asks and answers are stored in ${folder}.
The inbox stays open while this runs. Ctrl+C stops it. All commands: npx assent --help`
}
