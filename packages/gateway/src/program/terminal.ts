// The program's output streams, and whether to use colours.

import { styleText } from 'node:util'

export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Resolves when the reader of the output has taken it; false if the reader has closed it. For long outputs. */
  readonly taken?: () => Promise<boolean>
  readonly variables: NodeJS.ProcessEnv
  /** The words that start this program, without a command; undefined if it was not started by itself. */
  readonly program?: readonly string[]
  /** A person reads standard output or standard error as it is written; false if it goes to a file or a pipe. */
  readonly isOutTerminal?: boolean
  readonly isErrTerminal?: boolean
  readonly isOutColoured: boolean
  readonly isErrColoured: boolean
  /** Asks the person at this terminal; anything except y or yes is a no. Undefined without a terminal. */
  readonly confirm?: (question: string) => Promise<boolean>
  /** Asks for one line; undefined at the end of the input. Undefined without a terminal. */
  readonly ask?: (question: string) => Promise<string | undefined>
}

type Tone = 'bold' | 'red' | 'yellow' | 'green' | 'dim'

export function ownTerminal(): Terminal {
  return {
    out: (text) => {
      process.stdout.off('error', ignoreClosedPipe).on('error', ignoreClosedPipe)
      process.stdout.write(`${text}\n`)
    },
    err: (text) => void process.stderr.write(`${text}\n`),
    taken: outputTaken,
    variables: process.env,
    program: [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)],
    isOutTerminal: process.stdout.isTTY === true,
    isErrTerminal: process.stderr.isTTY === true,
    isOutColoured: mayColour(process.stdout.isTTY, process.env),
    isErrColoured: mayColour(process.stderr.isTTY, process.env),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { confirm: askYesOrNo, ask: askLine } : {}),
  }
}

/** The reader has closed the pipe, as in `assent asks list | head -1`: the command goes on without output. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

async function outputTaken(): Promise<boolean> {
  const { stdout } = process
  if (stdout.writableNeedDrain && !stdout.destroyed)
    await new Promise<void>((resolve) => {
      stdout.once('drain', resolve)
      stdout.once('close', resolve)
    })
  return !stdout.destroyed && stdout.errored === null
}

async function askYesOrNo(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(`${question} [y/N] `))?.trim() ?? '')
}

async function askLine(question: string): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  try {
    return await Promise.race([lines.question(question), closed])
  } finally {
    lines.close()
  }
}

/** No colours in a pipe or file, with NO_COLOR (no-color.org), or with TERM=dumb. */
export function mayColour(isTerminal: boolean | undefined, { NO_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  return isTerminal === true && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb'
}

export function toned(isColoured: boolean, tone: Tone, text: string): string {
  return isColoured ? styleText(tone, text, { validateStream: false }) : text
}
