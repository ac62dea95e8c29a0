// How many asks may be open at once, and the error for one too many.
//
// The store counts them; this module defines what is counted and the text of the error.

import { AssentError } from '../errors.ts'

/** Asks that may be open at once: for one caller, one server, one tenant, and in total. */
export interface OpenLimits {
  readonly perCaller: number
  readonly perServer: number
  readonly perTenant: number
  readonly total: number
}

/** Which of the limits is reached. */
export type OpenLimitName = 'caller' | 'server' | 'tenant' | 'total'

/** A `limit_exceeded` with the limit that was reached. The question was not shown to anyone. */
export class TooManyOpen extends AssentError {
  readonly limit: OpenLimitName

  constructor(limit: OpenLimitName, limits: OpenLimits, server: string) {
    super('limit_exceeded', messageOf(limit, limits, server))
    this.limit = limit
  }
}

/** Checks the shape, as `isAssentError` does. */
export function isTooManyOpen(value: unknown): value is TooManyOpen {
  return value instanceof Error && value.name === 'AssentError' && 'limit' in value
}

function messageOf(limit: OpenLimitName, limits: OpenLimits, server: string): string {
  switch (limit) {
    case 'caller':
      return `You may have ${questions(limits.perCaller)} open at once. This question was not asked. Answer some of them, then try again.`
    case 'server':
      return `The server ${server} may have ${questions(limits.perServer)} open at once. This question was not asked. Try again when some of them are answered.`
    case 'tenant':
      return `This tenant may have ${questions(limits.perTenant)} open at once. This question was not asked. Try again when some of them are answered.`
    case 'total':
      return `All tenants together may have ${questions(limits.total)} open at once. This question was not asked. Try again later.`
  }
}

function questions(count: number): string {
  return count === 1 ? '1 question' : `${count} questions`
}
