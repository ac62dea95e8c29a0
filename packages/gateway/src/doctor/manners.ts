// What a client does with a question, in words: what it shows, what goes to the inbox instead, how long it waits.
//
// All of it is read from the one table of known clients, by which the gateway itself acts.

import type { Field } from '@assent/core'
import { type KnownClient, knownClients } from '../clients/known-clients.ts'
import { holdableMs } from '../clients/patience.ts'
import { type ClientTraits, carefulTraits } from '../clients/traits.ts'

export interface Manners {
  readonly forms: string
  readonly links: string
  readonly waits: string
  /** What people are asked in the inbox, because the client does not ask it. */
  readonly inbox: string
  /** What a call may take at least, for the table to be true. */
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
/** A list of texts is shown wherever a text is. */
const every = (Object.keys(words) as Field['kind'][]).filter((kind) => kind !== 'list')

export function mannersOf(title: string): Manners {
  const traits: ClientTraits = generalRow(title) ?? carefulTraits
  const { form, showsLinks, no, patience } = traits
  const missing = every.filter((kind) => !form.kinds.includes(kind))
  const inbox = [
    ...(form.kinds.length === 0 ? ['every question'] : missing.map((kind) => `forms with ${words[kind]}`)),
    ...(showsLinks ? [] : ['pages to open, such as for secrets']),
    ...(no === 'either' && form.kinds.length > 0
      ? ['a question that comes back unanswered faster than anyone can read']
      : []),
  ]
  return {
    forms:
      form.kinds.length === 0
        ? 'shows none'
        : missing.length === 0
          ? 'shows all kinds'
          : `shows ${list(form.kinds.map((kind) => words[kind]))}`,
    links: showsLinks ? 'shows them' : 'does not show them',
    waits: waitsOf(traits),
    inbox: inbox.length === 0 ? 'nothing' : list(inbox),
    quietMs: patience.quietMs,
  }
}

function waitsOf({ patience }: ClientTraits): string {
  const keptMs = holdableMs(patience, { progress: true, over: 'stdio' })
  if (!Number.isFinite(keptMs)) return 'as long as the person takes'
  const shortly = `${Math.round(keptMs / 1_000)} s; then the agent is told to come back for the answer, and the question stays open`
  return patience.extendedBy === 'question' ? `as long as it shows the question itself; else ${shortly}` : shortly
}

/** The row that is for all versions, where there are several. */
function generalRow(title: string): KnownClient | undefined {
  const rows = knownClients.filter((row) => row.title === title)
  return rows.find(({ from, before }) => from === undefined && before === undefined) ?? rows[0]
}

function list(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
