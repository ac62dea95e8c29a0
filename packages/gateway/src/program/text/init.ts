// `assent init`: its help, the choice of clients, the table of changes, and the result.

const files = (count: number, one: string, several: string) => (count === 1 ? one : `${several} ${count} files`.trim())

const help = {
  summary: 'choose the clients that use Assent, and set them up',
  clients: (names: readonly string[]) => `only these clients, found or not: ${names.join(', ')}`,
  client: 'the same as an option; can be given several times',
  all: 'every client that is found',
  project: 'write the files of this project, for everybody who works on it, instead of your own',
  diff: 'show the full change of each file',
  dryRun: 'show the changes without writing them',
  yes: 'write without confirmation',
  undo: 'undo what init wrote: for you or, with --project, in this project',
  noRules: 'only the server, without rules, agent and the command /conductor',
  description:
    'Finds the MCP clients that are used here and lets you choose. Then it shows which files change, and writes them after you confirm: the server (this program by its path; under npx, `npx -y assent@<this version>`), longer timeouts for clients that have such a setting, rules that tell the agent when to ask, and the command /conductor. For VS Code it adds the agent Conductor; one that exists is changed to use the tools of Assent.\n\nOnly your own configuration is written, unless you give --project. Without a terminal, name the clients or give --all, and add --yes.\n\nComments, order and formatting are preserved. If the configuration of a client cannot be parsed or written, nothing is written for that client, the reason and the text to paste are printed, and the exit code is 1. A file behind a symbolic link that leads out of your home folder (with --project, out of the project) is not changed. What was written is recorded, and --undo removes exactly that, also after other parts of a file have changed.',
}

const choice = {
  found: 'Found:',
  question: 'Which clients should use Assent? Numbers such as 1 3, or all; Enter for none: ',
  notListed: (word: string, count: number) =>
    `"${word}" is not in the list. Give numbers from 1 to ${count}, or names.`,
  unknown: (name: string, meant: string | undefined, names: readonly string[]) =>
    `Unknown client \`${name}\`.${meant === undefined ? '' : ` Did you mean ${meant}?`} Clients: ${names.join(', ')}.`,
  noneFound: (names: readonly string[]) =>
    `No supported client was found here. Name one: assent init ${names.join('|')}`,
  noTerminal: (name: string | undefined) =>
    `Nothing was written: there is no terminal to choose clients. Name them, such as --client ${name}, or give --all.`,
  none: 'Nothing was chosen, and nothing was written.',
}

/** Above the table. */
const scope = {
  user: 'For you, in every project:',
  project: (root: string) => `For everybody who works on ${root}:`,
  undoneIn: (root: string) => `In ${root}:`,
}

const table = {
  head: { client: 'Client', file: 'File', change: 'Change' },
  alsoReadBy: (clients: readonly string[]) => ` (also read by ${clients.join(', ')})`,
  realPath: (path: string) => ` (real path: ${path})`,
  there: 'already set up',
  clientSkipped: 'nothing is written for this client, see below',
  skipped: 'not changed, see below',
  newServer: 'new: the server assent',
  addServer: 'add the server assent',
  newCommand: 'new: the command /conductor',
  newRules: 'new: rules that tell the agent when to ask',
  addRules: 'add a section: when to ask',
  newAgent: 'new: the agent Conductor',
  changeAgent: (stops: number) => `add our tools${stops === 0 ? '' : `, replace ${stops} of its stops with them`}`,
  gone: 'contains nothing from Assent any more',
  deleteFile: 'delete the file',
  undone: {
    entry: 'remove the server assent',
    block: 'remove the section',
    agent: 'restore its own text',
    file: 'restore',
  },
  clientForYou: (client: string) => `${client} for you`,
  clientIn: (client: string, root: string) => `${client} in ${root}`,
  stays: (clients: readonly string[]) => `stays, because it is also used by ${clients.join(', ')}`,
}

const changes = {
  diffHint: '--diff shows the full change of each file.',
  pathHint: 'The server is written with its path on this machine. For colleagues, run init with npx.',
  sameAs: (file: string) => `the same text as in ${file}`,
  notChanged: 'Not changed',
  byHand: (file: string, because: string, verb: 'add' | 'remove') => `${file}: ${because}. To do it by hand, ${verb}:`,
  write: (count: number) => `Write ${files(count, 'this file', 'these')}?`,
  revert: (count: number) => `Revert ${files(count, 'this file', 'these')}?`,
  noTerminal: 'Nothing was written: there is no terminal for the confirmation. Add --yes to write without it.',
}

const results = {
  nothing: 'Nothing was written.',
  dryRun: 'Nothing was written (--dry-run).',
  allThere: 'Everything is set up already; nothing was written.',
  wrote: (count: number) => `Wrote ${files(count, '1 file', '')}.`,
  notWritten: (file: string, because: string) => `${file} was not written: ${because}.`,
  notSetUp: (clients: readonly string[]) => `Not set up: ${clients.join(', ')}. The reason is above.`,
  next: 'Next:',
  checks: (isProject: boolean) =>
    `\`assent doctor\` checks it. \`assent init --undo${isProject ? ' --project' : ''}\` reverts it.`,
  nothingToUndo: (root: string | null) => `There is nothing to undo ${root === null ? 'for you' : `in ${root}`}.`,
  undoUser: 'For your own configuration: assent init --undo',
  undoProject: 'For the files of this project: assent init --undo --project',
  notReverted: (file: string, because: string) => `${file} was not changed: ${because}.`,
  reverted: (count: number) => `Reverted ${files(count, '1 file', '')}.`,
  noneChanged: 'Nothing was changed.',
}

export const initText = { help, choice, scope, table, changes, results }
