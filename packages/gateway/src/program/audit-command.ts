// `assent audit`: verifies the audit log against the database, and signs checkpoints of it.
//
// A chain that was rewritten from its beginning is consistent in itself. Only a checkpoint that was signed earlier and
// stored elsewhere reveals it, so a checkpoint is accepted only together with the public key that verifies it.

import type { Command } from 'commander'
import type { AuditReport, CheckpointOptions, VerifyOptions } from './audit-options.ts'
import { storeConfigOption } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

export function addAuditCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const audit = program.command('audit').summary('verify and sign the audit log')
  audit.description('Verifies and signs the audit log.')
  const whose = ['--tenant <name>', 'the tenant, if several share a store', 'default'] as const

  audit
    .command('verify')
    .summary('verify the audit log, and compare asks and grants with it')
    .option(...storeConfigOption)
    .option(...whose)
    .option('--checkpoint <file>', 'signed checkpoints that were stored elsewhere; requires --key')
    .option('--key <file>', 'the public key (PEM, Ed25519) that verifies their signatures')
    .option(
      '--proof <file>',
      'verify this proof of one ask, downloaded from the inbox; with --config also against the audit log',
    )
    .option('--json', 'one JSON object on standard output, for scripts')
    .description(
      'Checks that every entry of the audit log follows from the one before, compares every ask and grant in the database with its entries, and verifies the signatures of all decisions. A log that was rewritten as a whole is consistent in itself: compare it with checkpoints that were signed earlier and stored elsewhere.\n\nA proof of one ask is verified without a store: its entries were not changed. With --config, they are also looked up in the audit log.\n\nThe exit code is 0 if everything matches and 1 if not; the entry, ask or grant is printed.',
    )
    .action((options: VerifyOptions) => run(terminal, end, options, async (act) => act.verifyAudit(options, terminal)))

  audit
    .command('checkpoint')
    .summary('sign a checkpoint of the audit log')
    .requiredOption('--key <file>', 'the private key (PEM, Ed25519): openssl genpkey -algorithm ed25519')
    .option('--key-id <name>', 'the name of the key', 'k1')
    .option(...storeConfigOption)
    .option(...whose)
    .description(
      'Verifies the audit log as `audit verify` does, and prints a signed checkpoint of its current end as one line of JSON. Signs nothing if something does not match. Store it outside the database, and compare the audit log with it later: assent audit verify --checkpoint.',
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
    const isOk = code === exitCodes.ok
    if (json === true) terminal.out(JSON.stringify(report))
    else if (isOk) terminal.out(`${toned(terminal.isOutColoured, 'green', 'ok')} ${words}`)
    if (!isOk) terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
    end(code)
  } catch (error) {
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${error instanceof Error ? error.message : error}`)
    end(exitCodes.cannotRun)
  }
}
