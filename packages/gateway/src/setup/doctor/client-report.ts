// Describes how a client handles questions: what it shows, what goes to the inbox instead, how long it waits.
//
// Everything is read from the table of known clients that the gateway itself uses.

import type { Field } from '@assent/core'
import { type KnownClient, knownClients } from '../../call/clients/known-clients.ts'
import { holdableMs } from '../../call/clients/request-timeouts.ts'
import { type ClientTraits, carefulTraits } from '../../call/clients/traits.ts'

export interface ClientReport {
  readonly forms: string
  readonly links: string
  readonly waits: string
  /** The questions that are shown in the inbox because the client does not show them. */
  readonly inbox: string
  /** The shortest call timeout, in milliseconds, with which this description is correct. */
  readonly quietMs: number | undefined
}

const words: Readonly<Record<Field['kind'], string>> = {
  text: 'text',
  number: 'numbers',
  boolean: 'yes or no',
  choice: 'one choice',
  choices: 'several choices',
  list: 'lists of texts',
}
/** Without `list`: a client that shows texts also shows lists of texts. */
const every = (Object.keys(words) as Field['kind'][]).filter((kind) => kind !== 'list')

export function clientReportOf(title: string): ClientReport {
  const traits: ClientTraits = generalRow(title) ?? carefulTraits
  const { form, showsLinks, no, patience } = traits
  const missing = every.filter((kind) => !form.kinds.includes(kind))
  const inbox = [
    ...(form.kinds.length === 0 ? ['every question'] : missing.map((kind) => `forms with ${words[kind]}`)),
    ...(showsLinks ? [] : ['pages to open, such as for secrets']),
    ...(no === 'either' && form.kinds.length > 0
      ? ['questions that the client answers faster than a person can read']
      : []),
  ]
  return {
    forms:
      form.kinds.length === 0
        ? 'not supported'
        : missing.length === 0
          ? 'all kinds'
          : list(form.kinds.map((kind) => words[kind])),
    links: showsLinks ? 'supported' : 'not supported',
    waits: waitsOf(traits),
    inbox: inbox.length === 0 ? 'nothing' : list(inbox),
    quietMs: patience.quietMs,
  }
}

function waitsOf({ patience }: ClientTraits): string {
  const keptMs = holdableMs(patience, { progress: true, over: 'stdio' })
  if (!Number.isFinite(keptMs)) return 'as long as the person takes'
  const shortly = `${Math.round(keptMs / 1_000)} s; then the agent gets a handle to fetch the answer later, and the question stays open`
  return patience.extendedBy === 'question' ? `as long as it shows the question itself; else ${shortly}` : shortly
}

/** If a client has several rows, the one that applies to all versions. */
function generalRow(title: string): KnownClient | undefined {
  const rows = knownClients.filter((row) => row.title === title)
  return rows.find(({ from, before }) => from === undefined && before === undefined) ?? rows[0]
}

function list(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
