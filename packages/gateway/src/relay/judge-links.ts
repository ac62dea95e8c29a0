// Links that lead to us: which of them a server may put to a person, and what is known of them.

import type { Call, Wanted } from './exchange.ts'

export interface JudgedLinks {
  /** The same questions, with what is known of those that lead to a page of ours. */
  readonly wanted: Readonly<Record<string, Wanted>>
  /** In words, why these may not be asked. */
  readonly refused: Readonly<Record<string, string>>
}

export interface LinkJudge {
  judge(call: Call, server: string, wanted: Readonly<Record<string, Wanted>>): Promise<JudgedLinks>
}
