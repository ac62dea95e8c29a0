// `assent audit`: verifies the audit log against the database, and signs checkpoints of it.
//
// A chain that was rewritten from its beginning is sound in itself. What shows it is a checkpoint that was signed before
// and kept away from the database, so a checkpoint counts only with the key that its signature is held against.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

export interface AuditOptions {
  readonly config?: string
  readonly tenant: string
  readonly json?: true
}

export interface VerifyOptions extends AuditOptions {
  readonly checkpoint?: string
  readonly key?: string
  readonly proof?: string
}

export interface CheckpointOptions extends AuditOptions {
  readonly key: string
  readonly keyId: string
}

/** What came of looking, in words for a person and in members for a script. */
export interface AuditReport {
  readonly code: ExitCode
  readonly words: string
  readonly report: Readonly<Record<string, unknown>>
}

export function addAuditCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const audit = program.command('audit').summary('check the record of what was asked and decided')
  audit.description('Work on the record of what was asked and decided.')
  const where = ['-c, --config <file>', 'the configuration whose store it is; without it, your own'] as const
  const whose = ['--tenant <name>', 'whose record, where several share a store', 'default'] as const

  audit
    .command('verify')
    .summary('check the audit log, and compare asks and grants with it')
    .option(...where)
    .option(...whose)
    .option('--checkpoint <file>', 'signed checkpoints that were kept elsewhere; needs --key')
    .option('--key <file>', 'the public key (PEM, Ed25519) that their signatures are held against')
    .option(
      '--proof <file>',
      'check this proof of one ask, as the inbox gives it; with --config also against the record',
    )
    .option('--json', 'one JSON object on standard output, for scripts')
    .description(
      'Checks that every entry of the audit log follows from the one before, compares every ask and grant in the database with its entries, and verifies the signatures of all decisions. A log that was rewritten as a whole is consistent in itself: compare it with checkpoints that were signed before and kept elsewhere.\n\nA proof of one ask is checked by itself, without any store: that no word in it was changed. Given a configuration too, its entries are looked up in the audit log.\n\nEnds with 0 when everything matches and 1 when something does not, and names the entry, ask or grant.',
    )
    .action((options: VerifyOptions) => run(terminal, end, options, async (act) => act.verifyAudit(options, terminal)))

  audit
    .command('checkpoint')
    .summary('sign how far the record has come')
    .requiredOption('--key <file>', 'the private key (PEM, Ed25519): openssl genpkey -algorithm ed25519')
    .option('--key-id <name>', 'what the key is called', 'k1')
    .option(...where)
    .option(...whose)
    .description(
      'Verifies the audit log as `audit verify` does, and prints a signed checkpoint of its present end, one line of JSON. Signs nothing when something does not match. Keep it away from the database, and later compare the audit log with it: assent audit verify --checkpoint.',
    )
    .action((options: CheckpointOptions) =>
      run(terminal, end, { ...options, json: true }, async (act) => act.signAudit(options, terminal)),
    )
}

type Acts = typeof import('./audit.ts')

async function run(
  terminal: Terminal,
  end: (code: ExitCode) => void,
  { json }: { readonly json?: true },
  act: (acts: Acts) => Promise<AuditReport>,
): Promise<void> {
  try {
    const { code, words, report } = await act(await import('./audit.ts'))
    const isWell = code === exitCodes.ok
    if (json === true) terminal.out(JSON.stringify(report))
    else if (isWell) terminal.out(`${toned(terminal.isOutColoured, 'green', 'ok')} ${words}`)
    if (!isWell) terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
    end(code)
  } catch (error) {
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${error instanceof Error ? error.message : error}`)
    end(exitCodes.cannotRun)
  }
}
