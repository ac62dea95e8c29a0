// Directly below the title of a card: whether what follows a yes can be undone, and what it affects. Not shown once the ask
// has ended without a yes, because nothing followed.

import type { AskView } from '@assent/core'
import { cardText } from '../text/card.ts'
import { outcomeLook } from './settled.tsx'
import { askerName } from './who-asks.ts'

const words = cardText.consequences

export function Consequences({ ask }: { readonly ask: AskView }) {
  const { asker, state } = ask
  const warning = warningOf(ask)
  const rest = [
    warning === undefined && asker.undo === 'possible' ? words.reversible : '',
    asker.touches === undefined ? '' : words.touches(asker.touches),
  ].filter((text) => text !== '')
  if (!hasConsequences(ask) || (warning === undefined && rest.length === 0)) return null
  return (
    <p className="consequences" data-level={warning !== undefined && state.kind === 'open' ? 'danger' : undefined}>
      {warning !== undefined && <strong>{warning}</strong>} {rest.join(' ')}
    </p>
  )
}

function hasConsequences({ state }: AskView): boolean {
  return state.kind === 'open' || outcomeLook(state) === 'yes'
}

type Risk = 'irreversible' | 'said-irreversible' | 'destructive-tool' | 'destructive-policy'

/** What a person must know before a yes. */
export function riskOf({ asker, question }: AskView): Risk | undefined {
  if (asker.undo === 'impossible') return 'irreversible'
  if (question.kind === 'url') return undefined
  if (question.kind === 'approval' && question.isDestructive === true) return 'destructive-policy'
  if (question.kind === 'form' && (question.isDestructive === true || saysIrreversible(question.claim)))
    return 'said-irreversible'
  return question.isInDestructiveTool === true ? 'destructive-tool' : undefined
}

function warningOf(ask: AskView): string | undefined {
  switch (riskOf(ask)) {
    case 'irreversible':
      return words.irreversible
    case 'said-irreversible':
      return words.irreversibleBy(askerName(ask))
    case 'destructive-tool':
      return words.destructiveTool
    case 'destructive-policy':
      return words.destructivePolicy
    case undefined:
      return undefined
  }
}

function saysIrreversible(claim: string): boolean {
  return claim.split(/\n{2,}/).some(isIrreversible)
}

/** A paragraph with nothing but the sentence that the SDK adds. */
function isIrreversible(paragraph: string): boolean {
  return paragraph.trim() === words.irreversible
}

/** The claim without the sentence that the consequences already say. */
export function withoutConsequences(claim: string, ask: AskView): string {
  return hasConsequences(ask) && saysIrreversible(claim)
    ? claim
        .split(/\n{2,}/)
        .filter((paragraph) => !isIrreversible(paragraph))
        .join('\n\n')
    : claim
}
