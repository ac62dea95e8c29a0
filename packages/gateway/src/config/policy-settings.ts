// The settings `groups` and `policies`: who approves, and which calls are allowed, denied or need approval.
//
// policy-conditions.ts reads `when`, and policy-rules.ts turns the settings into what the policy engine takes.

import { askLimits } from '@assent/core'
import { choice, count, duration, flag, text, type ValueKind } from './kinds.ts'
import { conditions } from './policy-conditions.ts'
import { hours } from './policy-hours.ts'
import {
  group,
  list,
  named,
  optional,
  optionalGroup,
  type RecordRead,
  records,
  required,
  type ValueOf,
  value,
} from './setting.ts'

export const groupName = /^(?!requester$)[a-z][a-z0-9_-]{0,63}$/

const member: ValueKind<`group:${string}` | `person:${string}`> = {
  words: '`group:<name of the group at the issuer>` or `person:<subject>`',
  schema: { type: 'string', pattern: '^(group|person):.' },
  read: (raw) => {
    const name = String(raw)
    if (isMember(name)) return { ok: true, value: name }
    const problem = 'must be group:<name of the group at the issuer> or person:<subject>'
    return /^[^:\s]+$/.test(name)
      ? { ok: false, problem, suggestion: `Did you mean group:${name}?` }
      : { ok: false, problem }
  },
  show: String,
}

function isMember(name: string): name is `group:${string}` | `person:${string}` {
  return /^(group|person):./.test(name)
}

export const groupSettings = named(
  list(member, [], 'The members of the group.', { allowsOne: true }),
  { pattern: groupName, words: 'lower-case letters, digits, "-" and "_", at most 64, beginning with a letter' },
  'Groups of people for `policies` and `notify.to`, by a name that you choose. Each member is a group at the issuer, as in the claim `identity.groups_claim`, or one person by subject.',
)

const personName = /^[^\s,&|][^,&|]*$/
const person = text(
  'a group from `groups`, `requester`, `group:<name at the issuer>` or `person:<subject>`',
  personName,
)
const owner = text('a group from `groups`, `group:<name at the issuer>` or `person:<subject>`', personName)
const approvals = value(count(1, askLimits.approvals), 1, 'How many of the people in `from` must approve.')
const from = list(
  person,
  [],
  'Who can approve: a group from `groups`, `requester` (the person whose agent calls), `group:<name at the issuer>` or `person:<subject>`; or a list of these, of which any can approve.',
  { allowsOne: true },
)

const excluded: ValueKind<string> = {
  ...text('`requester` or `person:<subject>`', /^(requester|person:[^,]+)$/),
  read: (raw) =>
    typeof raw === 'string' && /^(requester|person:[^,]+)$/.test(raw)
      ? { ok: true, value: raw }
      : {
          ok: false,
          problem: 'must be requester or person:<subject>',
          suggestion: 'A group cannot be excluded: name its people, or leave it out of from.',
        },
}

const askSettings = optionalGroup(
  'Asks for approval before the call runs. Each person counts once, whatever groups they are in.',
  {
    from,
    approvals,
    all_of: records('Instead of `from`: approvals that are all needed, each with its own `from` and `approvals`.', {
      from,
      approvals,
    }),
    any_of: records('Instead of `from`: alternatives, one of which is enough.', {
      from,
      approvals,
      all_of: records('Approvals that are all needed for this alternative.', { from, approvals }),
    }),
    exclude: list(excluded, [], 'People whose approval does not count: `requester` or `person:<subject>`.', {
      allowsOne: true,
    }),
    within: optional(
      duration(askLimits.decideMinMs, askLimits.useWithinMaxMs),
      'How long people have to decide: at most `asks.wait`, or `24h` if that is not set. After that the call is refused.',
      { fallbackWords: '`asks.wait` if it is set, otherwise a day if the caller can fetch the result later' },
    ),
    use_within: optional(
      duration(1_000, askLimits.useWithinMaxMs),
      'How long after the last approval the call may still run.',
    ),
    declines: value(count(1, askLimits.approvals), 1, 'How many declines end the ask.'),
    presence: optional(choice('required'), '`required`: an approval needs a passkey of the person.'),
    reason: optional(choice('required'), '`required`: an approval needs a comment.'),
    risk: optional(
      choice('destructive'),
      '`destructive`: what the policy covers is destructive, whatever the server declares: the approval can be undone for `inbox.undo`, and needs a passkey with `inbox.presence: destructive`. Implied by `annotations: { destructive: true }` in the same policy.',
    ),
    surfaces: list(
      choice('inbox', 'client'),
      ['inbox'],
      "Where the requester can approve: `inbox` is the inbox and the terminal, `client` the agent's own client, which is less safe.",
      { allowsOne: true },
    ),
  },
)

const targets = (what: string) =>
  list(text('a pattern such as `deploy/*`', /^\S(.*\S)?$/), [], `${what} \`*\` stands for any text.`, {
    allowsOne: true,
  })

const yes = { words: '`true`', problem: 'must be true' }
const onlyTrue: ValueKind<boolean> = {
  ...flag,
  words: yes.words,
  schema: { const: true },
  read: (raw) =>
    raw === true ? { ok: true, value: true } : { ok: false, problem: yes.problem, suggestion: 'Remove it.' },
}

const ruleSettings = records(
  'The policies in short form.',
  {
    name: required(
      text('a text of at most 100 characters', /^\S.{0,98}\S$|^\S$/u),
      'The name of the policy, in messages and records.',
    ),
    tools: targets(
      "Tools, as `server/tool` with the server's own name of the tool; without a server, on every server.",
    ),
    prompts: targets('Prompts, as `server/prompt`.'),
    resources: targets('Resources, as `server/address`, or an address on any server, such as `file:///etc/*`.'),
    people: list(
      person,
      [],
      'Limits the policy to calls of these people: groups from `groups`, `group:<name at the issuer>` or `person:<subject>`.',
      { allowsOne: true, fallbackWords: 'everybody' },
    ),
    annotations: group(
      'Limits the policy to tools for which the server declares these annotations. Annotations are claims of the server. A tool counts as destructive unless its server declares otherwise.',
      {
        destructive: optional(flag, 'Whether the tool may destroy something.'),
        read_only: optional(flag, 'Whether the tool only reads.'),
        idempotent: optional(flag, 'Whether repeating a call has no further effect.'),
        open_world: optional(flag, 'Whether the tool reaches other systems, such as the web.'),
      },
    ),
    when: conditions,
    during: optional(hours, 'Limits the policy to these hours, in `policies.time_zone`.'),
    outside: optional(hours, 'Limits the policy to all hours except these, in `policies.time_zone`.'),
    allow: optional(onlyTrue, 'Allows the calls, unless another policy asks or denies.'),
    deny: optional(onlyTrue, 'Denies the calls, whatever other policies say.'),
    ask: askSettings,
    mode: value(
      choice('enforce', 'dry-run'),
      'enforce',
      'With `dry-run`, the policy decides nothing; what it would have done is recorded.',
    ),
  },
  ['allow', 'deny', 'ask'],
)

export const policySettings = optionalGroup(
  'Which calls are allowed, denied, or need approval: a list of policies, or a map with `rules` and the other settings below. Deny beats ask, and ask beats allow. If any policy is about tools, a tool that no policy allows or asks about is denied. The same holds for prompts and for resources. A policy that cannot be evaluated, for example because an argument is missing, is never skipped: it denies or asks, and allows nothing.',
  {
    rules: ruleSettings,
    cedar: optional(
      text('a path'),
      'A file with Cedar policies, or a folder whose `*.cedar` files are read. Relative to the configuration.',
    ),
    owners: list(
      owner,
      [],
      'Who can accept a changed tool definition: groups from `groups`, `group:<name at the issuer>` or `person:<subject>`. They are asked in the inbox. Until one of them accepts the definition, calls of the tool that the policies allow need the approval of the requester. Needs the inbox.',
      { allowsOne: true },
    ),
    pin_descriptions: value(
      flag,
      false,
      'Whether a changed description of a tool counts as a changed definition. The name, the input schema and the annotations always do.',
    ),
    time_zone: value(
      text('the name of a time zone, such as `Europe/Berlin`'),
      'UTC',
      'The time zone of `during`, `outside` and of `context.time` in Cedar.',
    ),
  },
  { listMember: 'rules' },
)

export type WrittenPolicies = NonNullable<ValueOf<typeof policySettings>>
export type WrittenRule = WrittenPolicies['rules'] extends readonly RecordRead<infer R>[] ? R : never
export type WrittenAsk = NonNullable<WrittenRule['ask']>
