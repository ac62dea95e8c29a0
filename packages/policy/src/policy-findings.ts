// Mistakes and doubts in policies that parse: names and types of arguments, policies that match nothing, requirements
// that cannot be met, calls that nothing permits.
//
// The servers' tools are optional: without them only what the policies alone show is found.

import { approvalProblem } from '@assent/core'
import { conditionFindings } from './argument-findings.ts'
import { readAskTerms, requirementOf } from './ask-terms.ts'
import { cedarFindings } from './cedar-findings.ts'
import type { KnownTool, PolicyFinding } from './finding.ts'
import { type PolicySettings, policySources } from './policies.ts'
import { modeOf, type PolicySource } from './policy-set.ts'
import type { ShortPolicy } from './short-form.ts'
import { kindsOf, knownFacts, staticMatch } from './static-match.ts'
import type { Nearest } from './suggested-name.ts'

export interface FindingOptions {
  /** All tools of the servers; undefined if they are not known. */
  readonly tools?: readonly KnownTool[]
  readonly nearest: Nearest
}

const shownNames = 5

export async function policyFindings(
  settings: PolicySettings,
  { tools, nearest }: FindingOptions,
): Promise<readonly PolicyFinding[]> {
  const sources = await policySources(settings)
  if (!sources.ok) return sources.problems.map((problem) => ({ level: 'error', ...problem }))
  const short = settings.shortForm.map(({ policy }) => policy)
  const ofPolicies = sources.all.flatMap((source, index) => [
    ...requirementFindings(source, settings),
    ...surfaceFindings(source, settings),
    ...(tools === undefined ? [] : toolFindings(source, short[index], tools, nearest)),
  ])
  const inFiles = sources.all.slice(short.length)
  const ofCedar = await cedarFindings(inFiles, tools, nearest)
  return [...ofPolicies, ...ofCedar, ...permitFindings(sources.all, tools ?? [])]
}

function requirementFindings({ policy, place }: PolicySource, settings: PolicySettings): PolicyFinding[] {
  const { id, mode, ...annotations } = policy.annotations ?? {}
  if (annotations.ask === undefined) return []
  const read = readAskTerms(annotations, new Set(Object.keys(settings.groups)))
  if (!read.ok) return []
  const problem = approvalProblem([requirementOf(read.terms, 'the requester', settings)], read.terms.declines)
  if (problem === undefined) return []
  return [
    {
      level: 'warning',
      place,
      problem: `What "${id}" asks about can never be approved, so every such call is refused: ${problem}`,
      suggestion:
        'Name other approvers, such as a group at the issuer, require fewer approvals, or exclude fewer people.',
    },
  ]
}

/** The client is asked only where the approval of the requester alone is enough; otherwise `client` has no effect. */
function surfaceFindings({ policy, place }: PolicySource, settings: PolicySettings): PolicyFinding[] {
  const { id, mode: _mode, ...annotations } = policy.annotations ?? {}
  if (annotations.ask === undefined || annotations.surfaces === undefined) return []
  const read = readAskTerms(annotations, new Set(Object.keys(settings.groups)))
  if (!read.ok || !read.terms.surfaces.includes('client')) return []
  const { terms } = read
  const warning = (why: string, change: string): PolicyFinding[] => [
    {
      level: 'warning',
      place,
      problem: `The surface client in "${id}" has no effect, so the inbox asks: ${why}.`,
      suggestion: `${change}, or remove client from surfaces.`,
    },
  ]
  if (terms.needsPresence) return warning('a passkey is needed', 'Remove presence')
  if (terms.needsReason) return warning('a reason is needed', 'Remove reason')
  if (terms.exclude.includes('requester')) return warning('the requester is excluded', 'Remove requester from exclude')
  // A requester who is in a group of the factor could be enough; one who is not named at all could not.
  const couldBeEnough = terms.anyOf.some(
    (factors) => factors.length === 1 && factors.every(({ approvals }) => approvals === 1),
  )
  if (couldBeEnough) return []
  return warning(
    'the approval of the requester alone is never enough',
    'Ask for one approval, such as of the requester',
  )
}

function toolFindings(
  { policy, place }: PolicySource,
  short: ShortPolicy | undefined,
  tools: readonly KnownTool[],
  nearest: Nearest,
): PolicyFinding[] {
  if (!kindsOf(policy).has('tools') || (short !== undefined && short.kind !== 'tools')) return []
  const matches = staticMatch(policy)
  const covered = tools.filter((tool) => matches(knownFacts(tool)))
  if (covered.length > 0) return short === undefined ? [] : conditionFindings(short, place, covered, nearest)
  const names = tools.map(({ server, name }) => `${server}/${name}`)
  const meant = (short?.targets ?? []).map((target) => nearest(target, names)).find((one) => one !== undefined)
  return [
    {
      level: 'warning',
      place,
      problem: `The policy "${policy.annotations?.id}" matches no tool of the servers.`,
      suggestion: meant === undefined ? 'Write server/name, as `assent servers` lists them.' : `Did you mean ${meant}?`,
    },
  ]
}

/** What is denied because policies are about it and none permits it. */
function permitFindings(all: readonly PolicySource[], tools: readonly KnownTool[]): PolicyFinding[] {
  const enforced = all.filter(({ policy }) => modeOf(policy) === 'enforce')
  const permits = enforced.filter(({ policy }) => policy.effect === 'permit')
  const findings: PolicyFinding[] = []
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    const about = enforced.find(({ policy }) => kindsOf(policy).has(kind))
    if (about === undefined || permits.some(({ policy }) => kindsOf(policy).has(kind))) continue
    findings.push({
      level: 'warning',
      place: about.place,
      problem: `Policies are about ${kind}, and none of them allows or asks: all ${kind} are denied.`,
      suggestion: `To allow the others, add: { name: other ${kind}, ${kind}: "*", allow: true }`,
    })
  }
  const [first] = enforced.filter(({ policy }) => kindsOf(policy).has('tools'))
  const matches = permits.map(({ policy }) => staticMatch(policy))
  const denied = tools.filter((tool) => {
    const facts = knownFacts(tool)
    return !matches.some((match) => match(facts))
  })
  if (first === undefined || denied.length === 0 || denied.length === tools.length) return findings
  const names = denied.slice(0, shownNames).map(({ server, name }) => `${server}/${name}`)
  const more = denied.length > names.length ? ` and ${denied.length - names.length} more` : ''
  findings.push({
    level: 'warning',
    place: first.place,
    problem: `No policy allows or asks about ${names.join(', ')}${more}: these calls are denied.`,
    suggestion: `To allow them, add a policy such as { name: other tools, tools: ${JSON.stringify(names[0])}, allow: true }`,
  })
  return findings
}
