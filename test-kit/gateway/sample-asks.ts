// Realistic asks, one for each kind of field and question. Those of `raiseSamples` are in pictures, so each has exactly what the
// gateway stores for such a question of a server.
import { createECDH, randomBytes } from 'node:crypto'
import {
  type AskDraft,
  actionDigest,
  decisionForm,
  type Field,
  newId,
  type Question,
  soleApprover,
  toolDefinitionDigest,
} from '@assent/core'
import type { Store } from '@assent/store'
import { tenant } from './inbox-server.ts'

const minuteMs = 60_000

export function anAsk(question: Question, changes: Partial<AskDraft> = {}): AskDraft {
  return {
    tenant,
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'studio', tool: 'compose' },
    principal: 'ann',
    question,
    approvalRule: soleApprover('ann'),
    decideWithinMs: 30 * minuteMs,
    useWithinMs: 10 * minuteMs,
    ...changes,
  }
}

export function aForm(message: string, fields: readonly Field[], changes: Partial<AskDraft> = {}): AskDraft {
  return anAsk({ kind: 'form', message, form: { fields } }, changes)
}

/** An approval of an action that Assent knows exactly. No server can raise it. */
export function aDeployment(changes: Partial<AskDraft> = {}): AskDraft {
  const action = {
    server: 'deploy',
    tool: 'rollout',
    definitionDigest: toolDefinitionDigest({ name: 'rollout', inputSchema: { type: 'object' } }),
    arguments: { env: 'production', region: 'eu', replicas: 4, labels: { release: '4.2', team: 'identity' } },
  }
  return anAsk(
    {
      kind: 'approval',
      title: 'Deploy to production',
      action,
      digest: actionDigest(action),
      claim: 'Release 4.2 fixes the login outage.',
    },
    { asker: { server: 'deploy', tool: 'rollout' }, decideWithinMs: 4 * minuteMs, ...changes },
  )
}

/** The gate of examples/deploy.ts, as the gateway stores it. */
export function aGate(changes: Partial<AskDraft> = {}): AskDraft {
  const action = {
    server: 'deploy',
    tool: 'deploy',
    definitionDigest: toolDefinitionDigest({ name: 'deploy', inputSchema: { type: 'object' } }),
    arguments: { env: 'production', region: 'eu', replicas: 4, image: 'app-production-42' },
  }
  const title = 'Deploy to production'
  return anAsk(
    {
      kind: 'form',
      message: `Approve: ${title}\n\nThis cannot be undone.`,
      form: decisionForm,
      isDestructive: true,
      declared: { title, action, digest: actionDigest(action) },
      call: { tool: 'deploy', arguments: { env: 'production' } },
    },
    {
      asker: { server: 'deploy', tool: 'deploy' },
      commentReaches: 'asker',
      ...changes,
    },
  )
}

/** From a server that does not name the call in which it asks. */
function aSharedQuestion(): AskDraft {
  const oneOf = [
    { tool: 'rollout', arguments: { env: 'staging', region: 'eu' } },
    { tool: 'rollout', arguments: { env: 'production', region: 'eu' } },
    { tool: 'status', arguments: {} },
  ]
  return anAsk(
    { kind: 'form', message: 'Continue with the rollout?', form: decisionForm, oneOf },
    { asker: { server: 'deploy' } },
  )
}

/** From a server that asks with the form of an approval, and declares no action. */
function aDecision(changes: Partial<AskDraft> = {}): AskDraft {
  const names = ['demo-1', 'demo-2', 'demo-3', 'old-mix', 'old-master']
  const message = `Delete ${names.length} artifacts that no project uses?\n\nThis cannot be undone.`
  const call = { tool: 'delete_artifacts', arguments: { names } }
  return anAsk(
    { kind: 'form', message, form: decisionForm, call },
    { asker: { server: 'artifacts', tool: 'delete_artifacts' }, ...changes },
  )
}

export const twoOfUs: AskDraft['approvalRule'] = {
  approvers: ['person:ann', 'person:ben', 'person:cleo'],
  excluded: [],
  approvals: 2,
  declines: 1,
}

export const eitherOfUs: AskDraft['approvalRule'] = { ...twoOfUs, approvals: 1 }

export function aLink(url: string): AskDraft {
  const message = 'Connect your calendar so that I can find a free hour.'
  const call = { tool: 'connect', arguments: {} }
  return anAsk({ kind: 'url', message, url, call }, { asker: { server: 'calendar', tool: 'connect' } })
}

const keys = ['C', 'C♯', 'D', 'D♯', 'E', 'F', 'F♯', 'G', 'G♯', 'A', 'A♯', 'B']
const required = true

/** By name: what each form asks. */
export const forms: Readonly<Record<string, { readonly message: string; readonly fields: readonly Field[] }>> = {
  text: {
    message: 'What shall the new track be called, and what is it about?',
    fields: [
      { kind: 'text', name: 'name', title: 'Name', required, maxLength: 60, default: 'Night drive' },
      {
        kind: 'text',
        name: 'notes',
        title: 'Liner notes',
        description: 'A few sentences for the booklet.',
        required: false,
        maxLength: 1_000,
      },
    ],
  },
  formats: {
    message: 'Who gets the invitation, and when do we meet?',
    fields: [
      { kind: 'text', name: 'email', title: 'Email', required, format: 'email' },
      { kind: 'text', name: 'page', title: 'Agenda', description: 'A link.', required: false, format: 'uri' },
      { kind: 'text', name: 'day', title: 'Day', required, format: 'date' },
      { kind: 'text', name: 'start', title: 'Begins at', required, format: 'date-time' },
    ],
  },
  numbers: {
    message: 'How fast, and how loud?',
    fields: [
      { kind: 'number', name: 'tempo', title: 'Tempo', integer: true, required, min: 60, max: 180, default: 120 },
      { kind: 'number', name: 'gain', title: 'Gain', integer: false, required, min: -6, max: 6 },
      { kind: 'number', name: 'bars', title: 'Bars', integer: true, required, min: 1 },
      {
        kind: 'number',
        name: 'rating',
        title: 'Your rating of the last take',
        integer: true,
        required,
        min: 1,
        max: 5,
      },
    ],
  },
  choices: {
    message: 'Pick a variation.',
    fields: [
      { kind: 'boolean', name: 'loop', title: 'Make it a loop?', required, default: true },
      {
        kind: 'choice',
        name: 'variation',
        title: 'Variation',
        required,
        options: [
          { value: 'a', label: 'A: slower, with strings' },
          { value: 'b', label: 'B: as it is, brighter' },
          { value: 'c', label: 'C: half time' },
        ],
        default: 'b',
      },
      { kind: 'choice', name: 'key', title: 'Key', required, options: keys.map((value) => ({ value })) },
      {
        kind: 'choices',
        name: 'stems',
        title: 'Stems to keep',
        required,
        minItems: 1,
        maxItems: 2,
        options: [{ value: 'drums' }, { value: 'bass' }, { value: 'keys' }, { value: 'voice' }],
      },
    ],
  },
}

/** A form of `forms`, with the call in which the studio asks. */
function aStudioForm({ message, fields }: { readonly message: string; readonly fields: readonly Field[] }): AskDraft {
  const call = { tool: 'compose', arguments: { style: 'synthwave', bars: 16 } }
  return anAsk({ kind: 'form', message, form: { fields }, call })
}

/** Everything a list can show at once, for Ann. */
export async function raiseSamples(store: Store): Promise<Readonly<Record<string, string>>> {
  const ids: Record<string, string> = {}
  const raise = async (name: string, draft: AskDraft) => {
    ids[name] = (await store.asks.raise({ ...draft, caller: { client: 'Claude Code' } })).id
  }
  await raise('safe link', aLink('https://accounts.calendar.example/connect?state=4f2a'))
  await raise('unsafe link', aLink('https://calendar.example@evil.example/'))
  await raise('odd link', aLink('https://login.bücher.example:8443/connect'))
  for (const [name, form] of Object.entries(forms)) await raise(name, aStudioForm(form))
  await raise('decision', aDecision())
  await raise('one of', aSharedQuestion())
  await raise('settled', aGate())
  await store.asks.answer({
    tenant,
    id: ids.settled ?? '',
    person: { principal: 'ann', groups: [] },
    via: 'terminal',
    answer: { action: 'decline', comment: 'wrong region' },
  })
  await raise('approval', aGate())
  return ids
}

/** A secret page for Ann; what is entered there cannot be decrypted. */
export async function raiseSecret(store: Store, url: string): Promise<{ readonly page: string; readonly ask: string }> {
  const page = newId('secret', Date.now(), randomBytes)
  const point = createECDH('prime256v1')
  const publicKey = point.generateKeys('base64url')
  const limits = { decideWithinMs: 20 * minuteMs, keepMs: minuteMs, perServer: 100, inAll: 1_000 }
  await store.secrets.open({ tenant, id: page, server: 'registry', publicKey, ...limits })
  await store.secrets.bind({ tenant, id: page, server: 'registry' }, 'ann')
  const message =
    'An access token of the package registry that may publish @acme/player. Make one under Settings, Tokens; it is used once.'
  const secret = { page, publicKey }
  const draft = anAsk(
    { kind: 'url', message, url: `${url}/secret/${page}`, secret, call: { tool: 'publish', arguments: {} } },
    { asker: { server: 'registry', tool: 'publish' }, decideWithinMs: limits.decideWithinMs },
  )
  const ask = (await store.asks.raise(draft)).id
  await store.secrets.link(tenant, page, ask)
  return { page, ask }
}
