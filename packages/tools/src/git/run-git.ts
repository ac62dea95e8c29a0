// Runs git in an untrusted repository, and no other program.
//
// A repository's own configuration can name programs: a file watcher, hooks, filters, a pager, a signature checker, a way
// to fetch missing objects. All of them are switched off here, for each command. Git gets no shell, no terminal and no
// network, and every run has a timeout.

import { execFile } from 'node:child_process'
import { devNull } from 'node:os'
import { dirname } from 'node:path'
import { toolLimits } from '../limits.ts'
import { gitProblems } from '../text/git-findings.ts'
import { findGit } from './find-git.ts'

export type GitRun =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: number | undefined; readonly why: string }

export type Git = (...words: string[]) => Promise<GitRun>

const switchedOff = [
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  'core.pager=cat',
  'core.untrackedCache=false',
  'log.showSignature=false',
  'diff.external=',
  'protocol.allow=never',
  'submodule.recurse=false',
]

/**
 * Returns the reason when there is no git to run.
 *
 * @param root the working tree: `core.worktree` in the repository's own configuration would move it anywhere
 */
export function gitIn(folder: string, root: string, more: readonly string[] = []): Git | string {
  const program = findGit(folder)
  if (program === undefined) return gitProblems.notFound
  const settings = [...switchedOff, ...more].flatMap((setting) => ['-c', setting])
  const place = ['-C', folder, `--work-tree=${root}`]
  // Git must not search above the root: it would read another repository than the one that the root belongs to.
  const env = { ...environment(), GIT_CEILING_DIRECTORIES: dirname(root) }
  return (...words) => run(program, ['--no-pager', '--no-optional-locks', ...place, ...settings, ...words], env)
}

function run(program: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<GitRun> {
  const options = {
    env,
    encoding: 'utf8',
    timeout: toolLimits.gitMs,
    killSignal: 'SIGKILL',
    maxBuffer: toolLimits.gitBytes,
    windowsHide: true,
  } as const
  return new Promise((resolve) => {
    execFile(program, words, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ ok: true, text: stdout })
      const code = typeof error.code === 'number' ? error.code : undefined
      resolve({ ok: false, code, why: reasonOf(error, stderr) })
    }).stdin?.end()
  })
}

function reasonOf(
  error: { readonly killed?: boolean; readonly code?: unknown; message: string },
  stderr: string,
): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return gitProblems.tooMuchOutput(toolLimits.gitBytes)
  if (error.killed === true) return gitProblems.timeout(toolLimits.gitMs / 1_000)
  const [first = ''] = stderr.split('\n')
  return first === '' ? gitProblems.failed : gitProblems.reported(first.slice(0, 200))
}

/** The variables that git needs to find the user's configuration, and none that redirect it or make it prompt. */
function environment(): NodeJS.ProcessEnv {
  const kept = [
    'PATH',
    'Path',
    'HOME',
    'USERPROFILE',
    'HOMEDRIVE',
    'HOMEPATH',
    'SystemRoot',
    'XDG_CONFIG_HOME',
    'TMPDIR',
    'TEMP',
  ]
  const inherited = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_PAGER: 'cat',
    GIT_ASKPASS: devNull,
  }
}
