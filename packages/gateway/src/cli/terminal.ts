// Where the program writes, and whether colours help there.

import { styleText } from 'node:util'

export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly variables: NodeJS.ProcessEnv
  readonly isOutColoured: boolean
  readonly isErrColoured: boolean
  /** Puts a question to the person at this terminal; anything but a clear yes is a no. Undefined where nobody sits. */
  readonly confirm?: (question: string) => Promise<boolean>
}

type Tone = 'bold' | 'red' | 'yellow' | 'green' | 'dim'

export function ownTerminal(): Terminal {
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    variables: process.env,
    isOutColoured: mayColour(process.stdout.isTTY, process.env),
    isErrColoured: mayColour(process.stderr.isTTY, process.env),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { confirm: askYesOrNo } : {}),
  }
}

async function askYesOrNo(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const left = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    const said = await Promise.race([lines.question(`${question} [y/N] `), left])
    return /^y(es)?$/i.test(said.trim())
  } finally {
    lines.close()
  }
}

/** Colours are for people: a pipe or a file gets none, and whoever sets NO_COLOR (no-color.org) gets none either. */
export function mayColour(isTerminal: boolean | undefined, { NO_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  return isTerminal === true && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb'
}

export function toned(isColoured: boolean, tone: Tone, text: string): string {
  return isColoured ? styleText(tone, text, { validateStream: false }) : text
}
