export { type AskTerms, requirementOf } from './ask-terms.ts'
export { type PolicyAsk, type PolicyCall, type PolicyDecision, type PolicyError, PolicySet } from './policy-set.ts'
export { type Comparison, type Condition, compileShortForm, type PolicyKind, type ShortPolicy } from './short-form.ts'
