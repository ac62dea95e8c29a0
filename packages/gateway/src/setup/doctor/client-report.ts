// Describes how a client handles questions: what it shows, what goes to the inbox instead, how long it waits.
//
// Everything is read from the table of known clients that the gateway itself uses.

import type { Field } from '@assent/core'
import { type KnownClient, knownClients } from '../../call/clients/known-clients.ts'
import { holdableMs } from '../../call/clients/request-timeouts.ts'
import { type ClientTraits, carefulTraits } from '../../call/clients/traits.ts'
import { clientTraitsText as text } from './text/checks.ts'

export interface ClientReport {
  readonly forms: string
  readonly links: string
  readonly waits: string
  /** The questions that are shown in the inbox because the client does not show them. */
  readonly inbox: string
  /** The shortest call timeout, in milliseconds, with which this description is correct. */
  readonly quietMs: number | undefined
}

const words: Readonly<Record<Field['kind'], string>> = text.kinds
/** Without `list`: a client that shows texts also shows lists of texts. */
const every = (Object.keys(words) as Field['kind'][]).filter((kind) => kind !== 'list')

export function clientReportOf(title: string): ClientReport {
  const traits: ClientTraits = generalRow(title) ?? carefulTraits
  const { form, showsLinks, patience } = traits
  const missing = every.filter((kind) => !form.kinds.includes(kind))
  const inbox = [
    ...(form.kinds.length === 0 ? [text.everyQuestion] : missing.map((kind) => text.formsWith(words[kind]))),
    ...(showsLinks ? [] : [text.pages]),
    ...(form.kinds.length > 0 ? [text.fastAnswers] : []),
  ]
  return {
    forms:
      form.kinds.length === 0
        ? text.notSupported
        : missing.length === 0
          ? text.all
          : text.list(form.kinds.map((kind) => words[kind])),
    links: showsLinks ? text.supported : text.notSupported,
    waits: waitsOf(traits),
    inbox: text.list(inbox),
    quietMs: patience.quietMs,
  }
}

function waitsOf({ patience }: ClientTraits): string {
  const keptMs = holdableMs(patience, { progress: true, over: 'stdio' })
  if (!Number.isFinite(keptMs)) return text.waits.unlimited
  const shortly = text.waits.limited(Math.round(keptMs / 1_000))
  return patience.extendedBy === 'question' ? text.waits.whileShown(shortly) : shortly
}

/** If a client has several rows, the one that applies to all versions. */
function generalRow(title: string): KnownClient | undefined {
  const rows = knownClients.filter((row) => row.title === title)
  return rows.find(({ from, before }) => from === undefined && before === undefined) ?? rows[0]
}
