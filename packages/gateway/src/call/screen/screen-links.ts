// Screens links that lead to this gateway: whether a server may show them to a person, and which page they open.

import type { Call, InputRequest } from '../model.ts'

export interface ScreenedLinks {
  /** The same questions, with the details of links that lead to one of our pages. */
  readonly wanted: Readonly<Record<string, InputRequest>>
  /** Why these may not be asked, as text. */
  readonly refused: Readonly<Record<string, string>>
}

export interface LinkScreen {
  judge(call: Call, server: string, wanted: Readonly<Record<string, InputRequest>>): Promise<ScreenedLinks>
}
