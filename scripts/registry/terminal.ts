// One command line in a real terminal (tmux), as a person types it: its screen can be read, and keys can be pressed.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export interface CommandTerminal {
  /** Everything that was printed, without colours. Long lines are not wrapped. */
  screen(): Promise<string>
  press(...keys: string[]): Promise<void>
  /** Once the command has ended: its exit code, and the folder of the shell. */
  ended(): { readonly code: number; readonly folder: string } | undefined
  close(): void
}

/**
 * @param scratch an existing folder for the files of the terminal
 * @param env all of the variables of the command
 */
export function openTerminal(
  line: string,
  { scratch, folder, env }: { readonly scratch: string; readonly folder: string; readonly env: Record<string, string> },
): CommandTerminal {
  const own = mkdtempSync(join(scratch, 'tmux-'))
  const [socket, script, end] = ['socket', 'command.sh', 'end'].map((name) => join(own, name)) as [
    string,
    string,
    string,
  ]
  // Written at once, because it is read while it is written. The terminal stays open so that the last output can be read.
  const last = `trap : INT\n${line}\nprintf '%s\\n' "$?" "$PWD" >'${end}.part'; mv '${end}.part' '${end}'\nexec sleep 600\n`
  writeFileSync(script, last)
  const tmux = ['-S', socket, '-f', '/dev/null', '-u']
  const size = ['-x', '220', '-y', '50']
  const options = { cwd: folder, env: { ...env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' } }
  execFileSync('tmux', [...tmux, 'new-session', '-d', '-s', 'command', ...size, `bash '${script}'`], options)
  return {
    screen: async () =>
      (await execute('tmux', [...tmux, 'capture-pane', '-p', '-J', '-S', '-', '-t', 'command'])).stdout,
    press: async (...keys) => {
      for (const key of keys) await execute('tmux', [...tmux, 'send-keys', '-t', 'command', key])
    },
    ended: () => {
      if (!existsSync(end)) return undefined
      const [code = '', now = ''] = readFileSync(end, 'utf8').split('\n')
      return { code: Number(code), folder: now }
    },
    close: () => {
      execFileSync('tmux', [...tmux, 'kill-server'])
      rmSync(own, { recursive: true, force: true })
    },
  }
}
