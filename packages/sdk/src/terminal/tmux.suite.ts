// A real terminal, driven as a person would: keys go in, and what is on the screen is read.
import { execFile, execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface RealTerminal {
  /** What is on the screen now, as plain text. */
  screen(): Promise<string>
  sees(text: string): Promise<void>
  /** Names of keys as tmux knows them (`Enter`, `Down`, `C-d`), or text. */
  press(...keys: string[]): Promise<void>
  close(): void
}

interface Program {
  readonly file: string
  readonly args?: readonly string[]
  readonly columns?: number
  readonly rows?: number
}

const seesWithinMs = 60_000
// Longer than the time in which keys are ignored after a decision was drawn.
const betweenKeysMs = 350

/** Runs one of our programs in a new terminal, on a separate tmux server. */
export function openTmux({ file, args = [], columns = 90, rows = 40 }: Program): RealTerminal {
  const folder = mkdtempSync(join(tmpdir(), 'assent-tmux-'))
  const socket = join(folder, 'socket')
  const script = join(folder, 'run.sh')
  const quoted = [process.execPath, '--conditions=assent-source', file, ...args].map((word) => `'${word}'`).join(' ')
  // Stays open until it is closed, so that the last output of the program can be read.
  writeFileSync(script, `${quoted}\necho "exit code $?"\nexec sleep 600\n`)
  const name = randomUUID()
  const size = ['-x', String(columns), '-y', String(rows)]
  execFileSync(
    'tmux',
    ['-S', socket, '-f', '/dev/null', '-u', 'new-session', '-d', '-s', name, ...size, `sh ${script}`],
    {
      env: { ...process.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
    },
  )

  const screen = async () => (await run('tmux', ['-S', socket, 'capture-pane', '-p', '-t', name])).stdout

  return {
    screen,
    async sees(text) {
      for (let waitedMs = 0; waitedMs < seesWithinMs; waitedMs += 50) {
        if ((await screen()).includes(text)) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(`“${text}” is not on the screen:\n${await screen()}`)
    },
    async press(...keys) {
      for (const key of keys) {
        await new Promise((resolve) => setTimeout(resolve, betweenKeysMs))
        await run('tmux', ['-S', socket, 'send-keys', '-t', name, key])
      }
    },
    close() {
      execFileSync('tmux', ['-S', socket, 'kill-server'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
