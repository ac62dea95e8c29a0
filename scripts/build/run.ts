// Runs one command, and throws an error with its output if it fails.
import { spawnSync } from 'node:child_process'

export function run(command: string, args: readonly string[], cwd?: string, env?: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env: env ?? process.env, encoding: 'utf8' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}
