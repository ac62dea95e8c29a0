// How many asks may be open at once, and what whoever asks for one too many is told.
//
// Counting is for whoever keeps them: here is only what is counted, and the words.

import { AssentError } from '../errors.ts'

/** Asks that may be open at once: of one caller, of one server, of one tenant, and of all together. */
export interface OpenLimits {
  readonly perCaller: number
  readonly perServer: number
  readonly perTenant: number
  readonly total: number
}

/** What has no room for another ask. */
export type Full = 'caller' | 'server' | 'tenant' | 'total'

/** A `limit_exceeded` that says which limit it was. Nobody was asked. */
export class TooManyOpen extends AssentError {
  readonly full: Full

  constructor(full: Full, limits: OpenLimits, server: string) {
    super('limit_exceeded', inWords(full, limits, server))
    this.full = full
  }
}

/** By its shape, as `isAssentError`. */
export function isTooManyOpen(value: unknown): value is TooManyOpen {
  return value instanceof Error && value.name === 'AssentError' && 'full' in value
}

function inWords(full: Full, limits: OpenLimits, server: string): string {
  switch (full) {
    case 'caller':
      return `You may have ${questions(limits.perCaller)} open at once, and this would be more. Nobody was asked. Answer some of them, then try again.`
    case 'server':
      return `The server ${server} may have ${questions(limits.perServer)} open at once, and this would be more. Nobody was asked. Try again when some of them are answered.`
    case 'tenant':
      return `Here ${questions(limits.perTenant)} may be open at once, and this would be more. Nobody was asked. Try again when some of them are answered.`
    case 'total':
      return `Everyone together may have ${questions(limits.total)} open at once, and this would be more. Nobody was asked. Try again later.`
  }
}

function questions(count: number): string {
  return count === 1 ? '1 question' : `${count} questions`
}
