// The log: one JSON object per line, with fields from our own code only.
//
// Questions, answers, arguments and results are never passed to it. Of errors it writes the code and the message,
// redacted. Standard output is used by the protocol, so it writes to standard error.

import { pino } from 'pino'
import type { Redact } from '../config/redact.ts'

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

export interface Log {
  debug(fields: Fields, words: string): void
  info(fields: Fields, words: string): void
  warn(fields: Fields, words: string): void
  error(fields: Fields, words: string): void
  /** Changes the minimum level. */
  level(level: Level): void
  /** An error in the background, where no caller receives it. */
  exception(error: unknown): void
}

export interface LogOptions {
  readonly level: Level
  /** Read for each line: a reload may change the secrets. */
  readonly redact: () => Redact
  readonly write?: (line: string) => void
}

// Safety net: these fields are censored if code passes them to the log by mistake.
const never = ['authorization', 'token', 'secret', 'password', 'answer', 'content', 'arguments', 'params', 'result']

export function createLog(options: LogOptions): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(line))
  const logger = pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: never.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
    },
    { write: (line: string) => write(options.redact()(line)) },
  )
  return {
    debug: (fields, words) => logger.debug(fields, words),
    info: (fields, words) => logger.info(fields, words),
    warn: (fields, words) => logger.warn(fields, words),
    error: (fields, words) => logger.error(fields, words),
    level: (level) => {
      logger.level = level
    },
    exception: (error) => logger.error(fieldsOf(error), wordsOf(error)),
  }
}

function fieldsOf(error: unknown): Fields {
  if (!(error instanceof Error)) return {}
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return code === undefined ? { error: error.name } : { error: error.name, code }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'A value that is not an Error was thrown.'
}
