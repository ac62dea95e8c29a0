// The two kinds of text about a question: what Assent checked itself, and what the asker says. They look different.

import type { AskView, QuestionView } from '@assent/core'
import { useId } from 'react'
import { cardText } from '../text/card.ts'
import { EndMarker } from './call-view.tsx'
import { withoutConsequences } from './consequences.tsx'
import { Findings, hasFindings, problemsIn, splitDiff } from './findings.tsx'
import { Markdown } from './markdown.tsx'
import { isAboutCall } from './question-view.tsx'
import { ShownText } from './shown-text.tsx'
import { askerName } from './who-asks.ts'

/** The findings of Assent that speak against a yes. */
export function problemCount(question: QuestionView): number {
  return question.kind === 'form' && question.checked !== undefined ? problemsIn(question.checked) : 0
}

/** A description without findings has none. */
const checkedMarks = { problem: '⚠', good: '✓', neutral: undefined } as const

export function CheckedFacts({ question }: { readonly question: QuestionView }) {
  const label = useId()
  if (question.kind !== 'form' || question.checked === undefined) return null
  const problems = problemCount(question)
  const level = problems > 0 ? 'problem' : hasFindings(question.checked) ? 'good' : 'neutral'
  return (
    <section className="checked" aria-labelledby={label} data-level={level}>
      <h3>
        {checkedMarks[level] !== undefined && (
          <span className="checked-mark" aria-hidden="true">
            {checkedMarks[level]}
          </span>
        )}
        <span id={label}>{cardText.checked.heading}</span>
        {problems > 0 && <span className="checked-count">{cardText.checked.problems(problems)}</span>}
      </h3>
      {/* Each is shortened by itself, so that the beginning of a diff is not only its file names. */}
      {splitDiff(question.checked).map((part) => (
        <ShownText key={part} text={part}>
          {(shown) => <Findings text={shown} />}
        </ShownText>
      ))}
      <EndMarker />
    </section>
  )
}

/** What the asker says, without what the card already shows. */
export function Claim({ ask }: { readonly ask: AskView }) {
  const label = useId()
  const text = claimOf(ask)
  if (text === '') return null
  return (
    <section className="claim" aria-labelledby={label}>
      <h3 id={label}>
        {cardText.claim.says(askerName(ask))} <span>{cardText.claim.unchecked}</span>
      </h3>
      <ShownText text={text}>{(shown) => <Markdown text={shown} />}</ShownText>
      <EndMarker />
    </section>
  )
}

function claimOf(ask: AskView): string {
  const { question, headline } = ask
  if (question.kind !== 'form') return question.claim ?? ''
  const isTitled = isAboutCall(question) || question.declared !== undefined
  return withoutConsequences(isTitled ? question.claim : withoutHeadline(question.claim, headline), ask).trim()
}

function withoutHeadline(claim: string, headline: string): string {
  const text = claim.trim()
  const rest = text.slice(headline.length)
  return text.startsWith(headline) && (rest === '' || rest.startsWith('\n')) ? rest.trim() : claim
}
