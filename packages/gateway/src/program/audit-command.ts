// `assent audit`: verifies the audit log against the database, prints its checkpoint and its keys, and exports it.
//
// A log that began anew is consistent in itself. Only a checkpoint that was signed earlier and kept elsewhere reveals it.

import type { Command } from 'commander'
import type { AuditOptions, AuditReport, ExportOptions, VerifyOptions } from './audit-options.ts'
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
    .option('--log <folder>', help.verify.log)
    .option('--entries <file>', help.verify.entries)
    .option('--json', jsonHelp)
    .description(help.verify.description)
    .action((options: VerifyOptions) => run(terminal, end, options, async (act) => act.verifyAudit(options, terminal)))

  audit
    .command('checkpoint')
    .summary(help.checkpoint.summary)
    .option(...storeConfigOption)
    .option(...whose)
    .description(help.checkpoint.description)
    .action((options: AuditOptions) =>
      run(terminal, end, { isPlain: true }, async (act) => act.printCheckpoint(options, terminal)),
    )

  audit
    .command('key')
    .summary(help.key.summary)
    .option(...storeConfigOption)
    .option(...whose)
    .description(help.key.description)
    .action((options: AuditOptions) =>
      run(terminal, end, { isPlain: true }, async (act) => act.printLogKeys(options, terminal)),
    )

  audit
    .command('export')
    .summary(help.export.summary)
    .option('--since <time>', help.export.since)
    .option('--after <cursor>', help.export.after)
    .option('--format <format>', help.export.format, 'jsonl')
    .option('--log <folder>', help.export.log)
    .option('--key <file>', help.export.key)
    .option(...storeConfigOption)
    .option(...whose)
    .description(help.export.description)
    .addHelpText('after', help.export.examples)
    .action((options: ExportOptions) => runExport(options, terminal, end))
}

/** The lines are on standard output; the summary with the next cursor is not. */
async function runExport(options: ExportOptions, terminal: Terminal, end: (code: ExitCode) => void): Promise<void> {
  try {
    const { exportAudit } = await import('./audit-export.ts')
    const { code, words } = await exportAudit(options, terminal)
    terminal.err(code === exitCodes.ok ? words : `${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
    end(code)
  } catch (error) {
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${error instanceof Error ? error.message : error}`)
    end(exitCodes.cannotRun)
  }
}

type Acts = typeof import('./audit.ts')

async function run(
  terminal: Terminal,
  end: (code: ExitCode) => void,
  { json, isPlain }: { readonly json?: true; readonly isPlain?: true },
  act: (acts: Acts) => Promise<AuditReport>,
): Promise<void> {
  try {
    const { code, words, report } = await act(await import('./audit.ts'))
    const isOk = code === exitCodes.ok
    if (json === true) terminal.out(JSON.stringify(report))
    // Only what a file is to contain.
    else if (isOk && isPlain === true) terminal.out(words)
    else if (isOk) terminal.out(`${toned(terminal.isOutColoured, 'green', 'ok')} ${words}`)
    if (!isOk) terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
    end(code)
  } catch (error) {
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${error instanceof Error ? error.message : error}`)
    end(exitCodes.cannotRun)
  }
}
