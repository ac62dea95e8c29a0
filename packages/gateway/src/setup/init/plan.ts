// Plans all changes for all clients before any file is changed.

import type { InitClient, Scope, WantedEntry } from './clients.ts'
import type { Remembered } from './edit/change.ts'
import { put } from './edit/edit.ts'
import { type Splice, spliced } from './edit/splice.ts'
import { readText, textDigest, whyNotWritable } from './files.ts'
import type { Machine } from './machine.ts'
import { targetOf } from './scope.ts'

export type Planned = WantedEntry & {
  /** All clients that read this file; several may share one. */
  readonly clients: readonly InitClient[]
  /** The target, if the file is reached through a symbolic link. */
  readonly realPath?: string
} & (
    | { readonly kind: 'write'; readonly write: Writing; readonly target: string }
    | { readonly kind: 'there' }
    /** Not changed; the command prints what to paste. */
    | { readonly kind: 'left'; readonly because: string }
  )

export interface Writing {
  /** Undefined if the file does not exist yet. */
  readonly before: string | undefined
  readonly after: string
  readonly splices: readonly Splice[]
  readonly remembered: Remembered
}

export interface InitRequest {
  readonly scope: Scope
  readonly withRules: boolean
}

/**
 * If the server cannot be added for a client, nothing else is planned for it: rules without the server would name tools
 * that do not exist.
 */
export function planFor(
  clients: readonly InitClient[],
  machine: Machine,
  { scope, withRules }: InitRequest,
): Planned[] {
  const root = scope === 'project' ? (machine.repository ?? machine.folder) : undefined
  const servers = clients.map((client) =>
    planOne(client.server(machine, client.isUserAlone === true ? undefined : root), [client], root, machine),
  )
  const usable = clients.filter((client) => !isUnusable(client, servers))
  const wanted = usable.flatMap((client) =>
    (withRules ? client.rules(machine, root) : []).map((one) => ({ client, one })),
  )
  const byFile = Map.groupBy(wanted, ({ one }) => one.file)
  const others = [...byFile.values()].flatMap((same) => {
    const readers = same.map(({ client }) => client)
    return same.slice(0, 1).map(({ one }) => planOne(one, readers, root, machine))
  })
  return [...servers, ...others]
}

/** Whether the client's server could not be planned. */
export function isUnusable(client: InitClient, plan: readonly Planned[]): boolean {
  return plan.some(({ kind, purpose, clients }) => kind === 'left' && purpose === 'server' && clients.includes(client))
}

function planOne(
  wanted: WantedEntry,
  clients: readonly InitClient[],
  root: string | undefined,
  machine: Machine,
): Planned {
  const left = (because: string): Planned => ({ ...wanted, clients, kind: 'left', because })
  const target = targetOf(wanted.file, root, machine)
  if (!target.ok) return left(target.because)
  const real = target.isLink ? { realPath: target.path } : {}
  const read = readText(wanted.file)
  if (read.kind === 'unclear') return left(read.because)
  const before = read.kind === 'text' ? read.text : undefined
  const tried = put(before, wanted.change)
  if (tried.kind === 'nothing') return { ...wanted, clients, ...real, kind: 'there' }
  if (tried.kind !== 'change') return left(tried.because)
  const blocked = whyNotWritable(wanted.file)
  if (blocked !== undefined) return left(blocked)
  const { splices, remembered } = tried
  return {
    ...wanted,
    clients,
    ...real,
    kind: 'write',
    target: target.path,
    write: { before, after: spliced(before ?? '', splices), splices, remembered },
  }
}

/** Whether the file is unchanged since the plan was made. */
export function isAsPlanned({ file }: WantedEntry, { before }: Writing): boolean {
  const read = readText(file)
  if (before === undefined) return read.kind === 'none'
  return read.kind === 'text' && read.digest === textDigest(before)
}
