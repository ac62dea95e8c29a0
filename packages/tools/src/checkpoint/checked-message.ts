// A question with what Assent checked itself: first what is asked, then the findings, then what the agent wrote.
//
// The message is complete, for clients that draw the form themselves. `checked` names the findings in it, so that our own
// inbox shows them apart from the agent's text.

import { checkedBlock, problemMark } from '@assent/core'

export interface Checked {
  readonly message: string
  readonly checked: string
}

export function checkedMessage(parts: {
  readonly first: string
  readonly findings: readonly string[]
  /** Those of the findings that speak against a yes. Surfaces that draw the findings emphasise them. */
  readonly problems: readonly string[]
  /** The agent's own text. */
  readonly rest: readonly string[]
}): Checked {
  const { findings, problems } = parts
  const checked = findings.map((one) => `- ${problems.includes(one) ? problemMark : ''}${one}`).join('\n')
  return { message: [parts.first, checkedBlock(checked), ...parts.rest].join('\n\n'), checked }
}
