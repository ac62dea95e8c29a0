// The program's output streams, and whether to use colours.

import { styleText } from 'node:util'

export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly variables: NodeJS.ProcessEnv
  readonly isOutColoured: boolean
  readonly isErrColoured: boolean
  /** Asks the person at this terminal; anything except y or yes is a no. Undefined without a terminal. */
  readonly confirm?: (question: string) => Promise<boolean>
}

type Tone = 'bold' | 'red' | 'yellow' | 'green' | 'dim'

export function ownTerminal(): Terminal {
  return {
    out: (text) => {
      process.stdout.off('error', ignoreClosedPipe).on('error', ignoreClosedPipe)
      process.stdout.write(`${text}\n`)
    },
    err: (text) => void process.stderr.write(`${text}\n`),
    variables: process.env,
    isOutColoured: mayColour(process.stdout.isTTY, process.env),
    isErrColoured: mayColour(process.stderr.isTTY, process.env),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { confirm: askYesOrNo } : {}),
  }
}

/** The reader has closed the pipe, as in `assent asks list | head -1`: the command goes on without output. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

async function askYesOrNo(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    const reply = await Promise.race([lines.question(`${question} [y/N] `), closed])
    return /^y(es)?$/i.test(reply.trim())
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
