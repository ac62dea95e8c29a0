export type { AskTerms } from './ask-terms.ts'
export type { PolicyPerson, PolicyTarget } from './cedar-entities.ts'
export type { CedarFile } from './cedar-file.ts'
export type { KnownTool, PolicyFinding } from './finding.ts'
export { policyFindings } from './policy-findings.ts'
export {
  changedDefinitionPolicy,
  Policies,
  type PlacedPolicy,
  type PolicyDescription,
  type PolicySettings,
} from './policies.ts'
export type {
  PolicyAsk,
  PolicyCall,
  PolicyDecision,
  PolicyError,
  PolicyPlace,
  PolicyProblem,
} from './policy-set.ts'
export type { Comparison, Condition, PolicyKind, ShortPolicy, WeekHours } from './short-form.ts'
export { splitTarget } from './short-form.ts'
export { isTimeZone, type TimeFields } from './time-fields.ts'
export { approversOf, type PeopleNames, principalNamed } from './people-names.ts'
export type { UnknownFacts } from './unknown-facts.ts'
