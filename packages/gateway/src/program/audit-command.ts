// `assent audit`: verifies the audit log against the database, and signs checkpoints of it.
//
// A chain that was rewritten from its beginning is consistent in itself. Only a checkpoint that was signed earlier and
// stored elsewhere reveals it, so a checkpoint is accepted only together with the public key that verifies it.

import type { Command } from 'commander'
import type { AuditReport, CheckpointOptions, VerifyOptions } from './audit-options.ts'
import { storeConfigOption } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'
import { auditHelp as help, jsonHelp } from './text/help.ts'

export function addAuditCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const audit = program.command('audit').summary(help.summary)
  audit.description(help.description)
  const whose = ['--tenant <name>', help.tenant, 'default'] as const

  audit
    .command('verify')
    .summary(help.verify.summary)
    .option(...storeConfigOption)
    .option(...whose)
    .option('--checkpoint <file>', help.verify.checkpoint)
    .option('--key <file>', help.verify.key)
    .option('--proof <file>', help.verify.proof)
    .option('--json', jsonHelp)
    .description(help.verify.description)
    .action((options: VerifyOptions) => run(terminal, end, options, async (act) => act.verifyAudit(options, terminal)))

  audit
    .command('checkpoint')
    .summary(help.checkpoint.summary)
    .requiredOption('--key <file>', help.checkpoint.key)
    .option('--key-id <name>', help.checkpoint.keyId, 'k1')
    .option(...storeConfigOption)
    .option(...whose)
    .description(help.checkpoint.description)
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
