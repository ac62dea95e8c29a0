// Follows a page as a reader does: saves its files, and runs its commands in a terminal, one after the other.
import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type PageStep, withoutComment } from './page-steps.ts'
import { behaviourFor, type Reaction } from './person.ts'
import { type CommandTerminal, openTerminal } from './terminal.ts'

const personInBrowser = fileURLToPath(new URL('../first-minute-person.ts', import.meta.url))
const commandWithinMs = 300_000
/** After Ctrl+C. */
const endsWithinMs = 30_000
const mostAttempts = 3
const lookMs = 100
/** Longer than a prompt ignores keys after it appears. */
const readsMs = 500

export interface Reader {
  /** Where this script keeps its own files. */
  readonly scratch: string
  /** The variables of the reader's shell. */
  readonly env: Record<string, string>
}

/** Returns the number of commands. Throws if one of them fails. */
export async function followSteps(steps: readonly PageStep[], start: string, reader: Reader): Promise<number> {
  const leftOpen: LeftOpen[] = []
  let folder = start
  let commands = 0
  try {
    for (const step of steps) {
      if (step.kind === 'file') writeFileSync(join(folder, step.name), step.text)
      else {
        folder = await runCommand(step.text, folder, reader, leftOpen)
        commands++
      }
    }
    for (const { line, terminal } of leftOpen) await interrupt(line, terminal)
  } finally {
    for (const { terminal } of leftOpen) terminal.close()
  }
  return commands
}

/** A command that still runs, in its terminal. */
interface LeftOpen {
  readonly line: string
  readonly terminal: CommandTerminal
}

/**
 * Returns the folder of the shell afterwards.
 *
 * @param leftOpen gets the command if it stays open; the caller ends it
 */
export async function runCommand(
  line: string,
  folder: string,
  reader: Reader,
  leftOpen: LeftOpen[] = [],
): Promise<string> {
  const startedAt = performance.now()
  const { prints, codes, repeatsIf } = behaviourFor(withoutComment(line))
  for (let attempt = 1; ; attempt++) {
    const { code, after, screen } = await inTerminal(line, folder, reader, leftOpen)
    if (codes.includes(code) && prints.test(screen)) {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)
      console.log(`${seconds} s  ${withoutComment(line)}${attempt === 1 ? '' : `, attempt ${attempt}`}`)
      return after
    }
    if (attempt < mostAttempts && repeatsIf.test(screen)) continue
    const problem = codes.includes(code) ? `did not print ${prints}` : `exit code ${code}`
    throw new Error(`${problem}: ${line}\n${screen.trimEnd()}`)
  }
}

interface Ended {
  readonly code: number
  /** The folder of the shell afterwards. */
  readonly after: string
  readonly screen: string
}

async function inTerminal(
  line: string,
  folder: string,
  { scratch, env }: Reader,
  leftOpen: LeftOpen[],
): Promise<Ended> {
  const startedAt = performance.now()
  const { reactions, staysOpenAfter } = behaviourFor(withoutComment(line))
  const open = new Set(reactions)
  const terminal = openTerminal(line, { scratch, folder, env })
  let isOpen = false
  try {
    for (;;) {
      // Before the screen is read, so that the screen has the last output.
      const ended = terminal.ended()
      const screen = await terminal.screen()
      if (ended !== undefined) return { code: ended.code, after: ended.folder, screen }
      if (staysOpenAfter.test(screen)) {
        isOpen = true
        leftOpen.push({ line, terminal })
        return { code: 0, after: folder, screen }
      }
      if (performance.now() - startedAt > commandWithinMs)
        throw new Error(`did not end in time: ${line}\n${screen.trimEnd()}`)
      const due = [...open].find(({ sees }) => sees.test(screen))
      if (due === undefined) await pause(lookMs)
      else {
        open.delete(due)
        await react(due, screen, terminal.press)
      }
    }
  } finally {
    if (!isOpen) terminal.close()
  }
}

async function interrupt(line: string, terminal: CommandTerminal): Promise<void> {
  await terminal.press('C-c')
  const startedAt = performance.now()
  for (;;) {
    const ended = terminal.ended()
    if (ended !== undefined && behaviourFor(withoutComment(line)).codes.includes(ended.code)) return
    const problem = ended !== undefined ? `exit code ${ended.code} after Ctrl+C` : 'does not end after Ctrl+C'
    if (ended !== undefined || performance.now() - startedAt > endsWithinMs)
      throw new Error(`${problem}: ${line}\n${(await terminal.screen()).trimEnd()}`)
    await pause(lookMs)
  }
}

async function react(
  { press = [], answersInBrowser }: Reaction,
  screen: string,
  pressKeys: (...keys: string[]) => Promise<void>,
): Promise<void> {
  if (answersInBrowser === true) {
    const [link = ''] = /https?:\/\/\S+#code=\S+/.exec(screen) ?? []
    await promisify(execFile)(process.execPath, ['--conditions=assent-source', personInBrowser, link])
  }
  for (const key of press) {
    await pause(readsMs)
    await pressKeys(key)
  }
}

/** Ends processes that a command left running on purpose, such as the inbox in the background: all that run from this folder. */
export function endProcessesOf(folder: string): void {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  for (const line of listed) {
    const [, pid = '', args = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? []
    if (!args.includes(folder) || Number(pid) === process.pid) continue
    try {
      process.kill(Number(pid))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
