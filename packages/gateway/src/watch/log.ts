// The log: one JSON object per line, of fields that we chose ourselves.
//
// Neither questions nor answers, arguments nor results are ever handed to it; of errors it takes the code and the words,
// scrubbed. Standard output belongs to the protocol, so it writes to standard error.

import { pino } from 'pino'
import type { Scrub } from './scrub.ts'

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

export interface Log {
  debug(fields: Fields, words: string): void
  info(fields: Fields, words: string): void
  warn(fields: Fields, words: string): void
  error(fields: Fields, words: string): void
  /** The least that is written from now on. */
  level(level: Level): void
  /** Trouble that nobody waits for. */
  trouble(error: unknown): void
}

export interface LogOptions {
  readonly level: Level
  /** Read at each line: a reload brings other secrets. */
  readonly scrub: () => Scrub
  readonly write?: (line: string) => void
}

// Should anybody ever hand one of these to the log, it stays out.
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
    { write: (line: string) => write(options.scrub()(line)) },
  )
  return {
    debug: (fields, words) => logger.debug(fields, words),
    info: (fields, words) => logger.info(fields, words),
    warn: (fields, words) => logger.warn(fields, words),
    error: (fields, words) => logger.error(fields, words),
    level: (level) => {
      logger.level = level
    },
    trouble: (error) => logger.error(fieldsOf(error), wordsOf(error)),
  }
}

function fieldsOf(error: unknown): Fields {
  if (!(error instanceof Error)) return {}
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return code === undefined ? { error: error.name } : { error: error.name, code }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something failed that is no error.'
}
