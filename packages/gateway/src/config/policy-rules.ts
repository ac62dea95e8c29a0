// Turns the written policies into the settings of the policy engine, and reports the mistakes that only show when
// several settings are compared.

import {
  type CedarFile,
  isTimeZone,
  type PolicyKind,
  type PolicyPlace,
  type PolicySettings,
  type ShortPolicy,
  splitTarget,
} from '@assent/policy'
import { relayLimits } from '../limits.ts'
import { unknownGroup } from './group-names.ts'
import { nearest } from './nearest.ts'
import { annotationsOfAsk, type PolicyReport } from './policy-ask.ts'
import type { WrittenPolicies, WrittenRule } from './policy-settings.ts'
import type { ConfigLocation, Problem, Warning } from './problem.ts'
import type { Surroundings } from './references.ts'
import type { WrittenConfig } from './settings.ts'
import { showDuration } from './units.ts'

export interface PoliciesRead {
  /** Undefined without policies, and with a mistake. */
  readonly settings: PolicySettings | undefined
  readonly problems: readonly Problem[]
  readonly warnings: readonly Warning[]
}

const kinds = ['tools', 'prompts', 'resources'] as const

export function readPolicies(
  config: WrittenConfig,
  around: Surroundings,
  placeOf: (path: string) => ConfigLocation,
): PoliciesRead {
  const problems: Problem[] = []
  const warnings: Warning[] = []
  const into =
    (all: Problem[]): PolicyReport =>
    (path, words, suggestion) =>
      all.push({ path, words, place: placeOf(path), ...(suggestion === undefined ? {} : { suggestion }) })
  const report = into(problems)
  const { policies, groups, identity } = config
  groupWarnings(config, into(warnings))
  if (policies === undefined) return { settings: undefined, problems, warnings }
  const shortForm = policies.rules.map(({ path, value }) => ({
    policy: shortPolicyOf(value, path, config, report),
    place: placeIn(placeOf(path)),
  }))
  for (const [name, paths] of Map.groupBy(policies.rules, ({ value }) => value.name)) {
    for (const { path } of paths.slice(1)) {
      report(`${path}.name`, `is also the name of ${paths[0]?.path}`, `Give it another name than "${name}".`)
    }
  }
  const cedarFiles = cedarFilesOf(policies, around, report)
  for (const name of policies.owners) {
    if (name === 'requester')
      report(
        'policies.owners',
        'cannot be requester: the requester is the person who calls',
        'Name a group or a person.',
      )
    else checkName('policies.owners', name, config, report)
  }
  if (policies.owners.length > 0 && !config.asks.surfaces.includes('inbox')) {
    report('policies.owners', 'needs the inbox, where owners accept', 'Add inbox to asks.surfaces.')
  }
  if (!isTimeZone(policies.time_zone)) {
    report('policies.time_zone', 'is not the name of a time zone', zoneSuggestion(policies.time_zone))
  }
  const hasPolicies = shortForm.length > 0 || cedarFiles.length > 0
  if (problems.length > 0 || !hasPolicies) return { settings: undefined, problems, warnings }
  const settings = {
    shortForm,
    cedarFiles,
    groups,
    owners: policies.owners,
    pinsDescriptions: policies.pin_descriptions,
    timeZone: policies.time_zone,
    ...(identity === undefined ? {} : { issuer: identity.issuer }),
  }
  return { settings, problems, warnings }
}

function groupWarnings({ groups, policies, notify, identity }: WrittenConfig, warn: PolicyReport): void {
  const all = Object.entries(groups)
  const isNotified = all.some(([name]) => notify !== undefined && Object.hasOwn(notify.to, name))
  if (policies === undefined && all.length > 0 && !isNotified)
    warn('groups', 'has no effect without policies or an entry in notify.to', 'Remove it.')
  const usesIssuer = all.find(([, members]) => members.some((member) => member.startsWith('group:')))
  if (usesIssuer !== undefined && identity?.groups_claim === undefined) {
    warn(
      `groups.${usesIssuer[0]}`,
      'has a group of the issuer, but people are in no group without identity.groups_claim',
      identity === undefined ? 'Add identity.' : 'Add groups_claim to identity.',
    )
  }
}

function shortPolicyOf(rule: WrittenRule, path: string, config: WrittenConfig, report: PolicyReport): ShortPolicy {
  const { kind, targets } = targetsOf(rule, path, config, report)
  for (const name of rule.people) {
    if (name === 'requester')
      report(
        `${path}.people`,
        'cannot be requester: the requester is the person who calls',
        'Remove it: without people, the policy is about everybody.',
      )
    else checkName(`${path}.people`, name, config, report)
  }
  const { destructive, read_only: readOnly, idempotent, open_world: openWorld } = rule.annotations
  const hints = Object.entries({ destructive, readOnly, idempotent, openWorld })
  const given = hints.filter((hint): hint is [string, boolean] => hint[1] !== undefined)
  if (given.length > 0 && kind !== 'tools') {
    report(`${path}.annotations`, 'has no effect: only tools have annotations', 'Remove it.')
  }
  if (rule.when.length > 0 && kind === 'resources') {
    report(`${path}.when`, 'has no effect: a resource has no arguments', 'Remove it.')
  }
  const checkGroup = (at: string, name: string) => checkName(at, name, config, report)
  if (rule.ask?.surfaces.includes('inbox') === true && !config.asks.surfaces.includes('inbox')) {
    report(`${path}.ask`, 'needs the inbox, where people approve', 'Add inbox to asks.surfaces.')
  }
  const ask = rule.ask === undefined ? undefined : annotationsOfAsk(rule.ask, `${path}.ask`, report, checkGroup)
  checkWithin(rule, path, config, report)
  return {
    name: rule.name,
    kind,
    targets,
    people: rule.people,
    annotations: Object.fromEntries(given),
    when: rule.when,
    ...(rule.during === undefined ? {} : { during: rule.during }),
    ...(rule.outside === undefined ? {} : { outside: rule.outside }),
    effect: ask === undefined ? (rule.deny === true ? 'deny' : 'allow') : { ask },
    isDryRun: rule.mode === 'dry-run',
  }
}

/** A question expires after `asks.wait`, whatever a policy allows. */
function checkWithin({ ask }: WrittenRule, path: string, { asks }: WrittenConfig, report: PolicyReport): void {
  const longestMs = asks.wait ?? relayLimits.resumableWaitMs
  if (ask?.within === undefined || ask.within <= longestMs) return
  const limit = asks.wait === undefined ? `${showDuration(longestMs)}, the limit without asks.wait` : 'asks.wait'
  report(
    `${path}.ask.within`,
    `is longer than ${limit}`,
    `Set asks.wait to ${showDuration(ask.within)}, or shorten it.`,
  )
}

function targetsOf(
  rule: WrittenRule,
  path: string,
  { servers }: WrittenConfig,
  report: PolicyReport,
): { kind: PolicyKind; targets: readonly string[] } {
  const given = kinds.filter((kind) => rule[kind].length > 0)
  const [kind = 'tools'] = given
  if (given.length > 1) {
    report(path, `has ${given.join(' and ')}: only one is allowed`, 'Write one policy for each.')
  }
  const hasHint = Object.values(rule.annotations).some((hint) => hint !== undefined)
  if (given.length === 0 && !hasHint) {
    report(path, 'needs tools, prompts, resources or annotations', 'For all tools, write: tools: ["*"]')
  }
  const targets = given.length === 0 ? ['*'] : rule[kind]
  const names = Object.keys(servers)
  for (const target of targets) {
    const { server } = splitTarget(target, kind)
    if (server.includes('*') || names.includes(server)) continue
    const meant = nearest(server, names)
    const suggestion = meant === undefined ? `The servers are ${names.join(', ')}.` : `Did you mean ${meant}?`
    report(`${path}.${kind}`, `names the server ${server}, which is not in servers`, suggestion)
  }
  return { kind, targets }
}

function checkName(path: string, name: string, { groups }: WrittenConfig, report: PolicyReport): void {
  const problem = unknownGroup(name, groups)
  if (problem !== undefined) report(path, problem.words, problem.suggestion)
}

const cedarPath = 'The path is relative to the configuration.'

/** A city without its region is a common mistake. */
function zoneSuggestion(written: string): string {
  const zones = Intl.supportedValuesOf('timeZone')
  const city = `/${written.trim().replaceAll(' ', '_')}`.toLowerCase()
  const meant = zones.find((zone) => zone.toLowerCase().endsWith(city)) ?? nearest(written, zones)
  return meant === undefined ? 'For example: Europe/Berlin' : `Did you mean ${meant}?`
}

function cedarFilesOf({ cedar }: WrittenPolicies, around: Surroundings, report: PolicyReport): readonly CedarFile[] {
  if (cedar === undefined) return []
  const read = around.readCedar?.(cedar) ?? { ok: false, reason: 'there is no configuration file' }
  if (!read.ok) report('policies.cedar', `names ${cedar}, which cannot be read: ${read.reason}`, cedarPath)
  else if (read.files.length === 0) report('policies.cedar', `names ${cedar}, which has no *.cedar files`, cedarPath)
  return read.ok ? read.files : []
}

function placeIn(place: ConfigLocation): PolicyPlace {
  return place.kind === 'file' ? { line: place.line, column: place.column } : { line: 1, column: 1 }
}
