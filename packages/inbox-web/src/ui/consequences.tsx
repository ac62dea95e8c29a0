// Directly below the title of a card: whether what follows a yes can be undone, and what it affects.

import type { AskView } from '@assent/core'
import { cardText } from '../text/card.ts'
import { askerName } from './who-asks.ts'

const words = cardText.consequences

export function Consequences({ ask }: { readonly ask: AskView }) {
  const { asker } = ask
  const warning = warningOf(ask)
  const rest = [
    warning === undefined && asker.undo === 'possible' ? words.reversible : '',
    asker.touches === undefined ? '' : words.touches(asker.touches),
  ].filter((text) => text !== '')
  if (warning === undefined && rest.length === 0) return null
  return (
    <p className="consequences" data-level={warning !== undefined && ask.state.kind === 'open' ? 'danger' : undefined}>
      {warning !== undefined && <strong>{warning}</strong>} {rest.join(' ')}
    </p>
  )
}

function warningOf(ask: AskView): string | undefined {
  const { asker, question } = ask
  if (asker.undo === 'impossible') return words.irreversible
  if (question.kind !== 'form') return undefined
  if (question.isDestructive === true || saysIrreversible(question.claim)) return words.irreversibleBy(askerName(ask))
  return question.isInDestructiveTool === true ? words.destructiveTool : undefined
}

function saysIrreversible(claim: string): boolean {
  return claim.split(/\n{2,}/).some(isIrreversible)
}

/** A paragraph with nothing but the sentence that the SDK adds. */
function isIrreversible(paragraph: string): boolean {
  return paragraph.trim() === words.irreversible
}

/** The claim without the sentence that the consequences already say. */
export function withoutConsequences(claim: string): string {
  return saysIrreversible(claim)
    ? claim
        .split(/\n{2,}/)
        .filter((paragraph) => !isIrreversible(paragraph))
        .join('\n\n')
    : claim
}
