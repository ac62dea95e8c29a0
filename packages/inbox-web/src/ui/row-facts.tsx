// What sets one open ask apart from the others in the list: its risk, and the argument that says most about its action.

import type { AskView, DrawnValue, QuestionView } from '@assent/core'
import { cardText } from '../text/card.ts'
import { listText } from '../text/list.ts'
import { riskOf } from './consequences.tsx'
import { mainArgument } from './main-argument.ts'
import { isAboutCall } from './question-view.tsx'
import { problemCount } from './statements.tsx'

const words = listText.row

export function RowFacts({ ask }: { readonly ask: AskView }) {
  const risk = ask.state.kind === 'open' ? riskText(ask) : undefined
  const argument = mainArgument(argumentsOf(ask.question))
  if (risk === undefined && argument === undefined) return null
  return (
    <span className="row-facts">
      {risk !== undefined && <strong>⚠ {risk}</strong>}
      {argument !== undefined && (
        <span>
          {argument.name} <b>{argument.value}</b>
        </span>
      )}
    </span>
  )
}

function riskText(ask: AskView): string | undefined {
  const { question } = ask
  const problems = problemCount(question)
  if (problems > 0) return cardText.checked.problems(problems)
  const isSuspicious =
    question.kind === 'url' && question.link.ok && question.link.warnings.some(({ level }) => level === 'danger')
  if (isSuspicious) return words.risks.link
  const risk = riskOf(ask)
  return risk === undefined ? undefined : words.risks[risk]
}

/** The arguments of the action that a yes is about. */
function argumentsOf(question: QuestionView): readonly DrawnValue[] {
  if (question.kind === 'approval') return question.action.arguments
  if (question.kind === 'url') return []
  if (question.declared !== undefined) return question.declared.arguments
  return (isAboutCall(question) && question.call?.arguments) || []
}
