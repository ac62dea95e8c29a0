// Whether what follows a yes can be undone, and according to whom: one sentence, as on the card of the web inbox.

import { type AskView, askerName } from '@assent/core'
import { askPageText } from './text/ask-page.ts'

const { undo } = askPageText

/** Undefined if nothing is known. Not escaped. */
export function undoText(ask: AskView): string | undefined {
  return warningText(ask) ?? (ask.asker.undo === 'possible' ? undo.possible : undefined)
}

/** What a person must know before a yes. */
export function warningText(ask: AskView): string | undefined {
  const { asker, question } = ask
  if (asker.undo === 'impossible') return undo.impossible
  if (question.kind === 'url') return undefined
  if (question.isDestructive === true)
    return question.kind === 'approval' ? undo.destructivePolicy : undo.impossibleBy(askerName(ask))
  return question.isInDestructiveTool === true ? undo.destructiveTool : undefined
}
