// Which decisions need a passkey: the setting `inbox.presence`, and the questions that each of its values covers.
//
// Each value covers everything that the values before it cover, so two settings can always be compared.

import { canBeYes } from './person-answer.ts'
import type { Question } from './question.ts'

/** From the weakest to the strictest. */
export const presenceSettings = ['none', 'destructive', 'approvals', 'all'] as const

export type PresenceSetting = (typeof presenceSettings)[number]

type FormQuestion = Question & { kind: 'form' }
type ApprovalQuestion = Question & { kind: 'approval' }

/** What the decision depends on: a question, or one that has not been stored yet. */
type Asked =
  | Pick<FormQuestion, 'kind' | 'form' | 'isDestructive' | 'isInDestructiveTool'>
  | Pick<ApprovalQuestion, 'kind' | 'isDestructive' | 'isInDestructiveTool'>
  | { readonly kind: 'url' }

/** Whether accepting this question needs a passkey. Declining and dismissing never do. */
export function needsPresence(setting: PresenceSetting, question: Asked): boolean {
  switch (setting) {
    case 'none':
      return false
    case 'destructive':
      return isDestructiveQuestion(question)
    case 'approvals':
      return isApproval(question) || isDestructiveQuestion(question)
    case 'all':
      return true
  }
}

/** Whether accepting this ask needs a passkey: since it was raised, or by the setting in force now. */
export function requiresPresence(
  { needsPresence: isFixed, question }: { readonly needsPresence?: true; readonly question: Question },
  setting: PresenceSetting = 'none',
): boolean {
  return isFixed === true || needsPresence(setting, question)
}

/** The asker, a policy that asks, or the definition of the tool says that what follows a yes is destructive. */
export function isDestructiveQuestion(question: Asked): boolean {
  return question.kind !== 'url' && (question.isDestructive === true || question.isInDestructiveTool === true)
}

/** The stricter of two settings. */
export function stricterPresence(one: PresenceSetting, other: PresenceSetting): PresenceSetting {
  return isWeakerPresence(one, other) ? other : one
}

export function isWeakerPresence(one: PresenceSetting, other: PresenceSetting): boolean {
  return presenceSettings.indexOf(one) < presenceSettings.indexOf(other)
}

export function isPresenceSetting(value: unknown): value is PresenceSetting {
  return presenceSettings.some((one) => one === value)
}

function isApproval(question: Asked): boolean {
  return question.kind === 'approval' || (question.kind === 'form' && canBeYes(question.form))
}
