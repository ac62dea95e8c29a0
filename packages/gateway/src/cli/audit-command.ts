// `assent audit`: is the record whole, and a signed word on how far it has come.
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
    .summary('is the record whole?')
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
      'Reads the whole record and says whether every entry is as it was written, in its place, with none missing. With checkpoints it also finds a record that was cut off or rewritten from its beginning.\n\nA proof of one ask is checked by itself, without any store: that no word in it was changed. Given a configuration too, its entries are looked up in the record.\n\nEnds with 0 when it is whole, 1 when it is not, and says which entry.',
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
      'Prints a signed checkpoint of the present end of the record, one line of JSON. Keep it away from the database, and later hold the record against it: assent audit verify --checkpoint.',
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
