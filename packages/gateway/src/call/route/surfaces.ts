// On which surface a question is asked: the client that made the call, or the inbox. Pure.
//
// A question goes to the inbox when the client did not declare support for it, is known not to show it correctly, or
// the operator put the inbox first. Requests that no person answers (sampling, roots) always go to the client.

import type { Surface } from '@assent/core'
import { canBeAsked } from '../capabilities.ts'
import { drawingProblem } from '../clients/human-check.ts'
import { traitsOf } from '../clients/traits-of.ts'
import type { ClientProfile, InputRequest } from '../model.ts'
import { readKnownForm } from '../screen/screen-questions.ts'

export interface SurfaceSettings {
  /** Where a person may be asked, in order of preference. */
  readonly surfaces: readonly Surface[]
  /** The surfaces of one server, if it has fewer. */
  readonly surfacesOf?: (server: string) => readonly Surface[] | undefined
}

type Asked = Pick<ClientProfile, 'info' | 'declared'>

export function surfacesFor({ surfaces, surfacesOf }: SurfaceSettings, server: string): readonly Surface[] {
  return surfacesOf?.(server) ?? surfaces
}

/** Whether questions of some server may be asked in the inbox. */
export function hasInbox({ surfaces }: SurfaceSettings): boolean {
  return surfaces.includes('inbox')
}

/** Where the question is asked first. */
export function chooseSurface(surfaces: readonly Surface[], client: Asked, wanted: InputRequest): Surface {
  if (!needsPerson(wanted)) return 'client'
  return canShow(surfaces, client, wanted) && !isInboxFirst(surfaces) ? 'client' : 'inbox'
}

/** Whether the client may be asked and shows the question correctly. */
export function canShow(surfaces: readonly Surface[], client: Asked, wanted: InputRequest): boolean {
  if (wanted.kind !== 'form' && wanted.kind !== 'url') return true
  // Only a page of the inbox can ask for a passkey.
  if (wanted.needsPresence === true) return false
  // The agent's own client is not the place for an approval that a policy requires, unless the policy says so.
  if (wanted.kind === 'form' && wanted.approval !== undefined && wanted.approval.isOnClient !== true) return false
  if (!surfaces.includes('client') || !canBeAsked(client.declared, wanted.kind)) return false
  const traits = traitsOf(client.info)
  if (wanted.kind === 'url') return traits.showsLinks
  const read = readKnownForm(wanted.schema)
  return read.ok && drawingProblem(traits, read.form) === undefined
}

/** The client is asked only when the inbox has not answered for a while. */
export function isInboxFirst(surfaces: readonly Surface[]): boolean {
  return surfaces.includes('client') && surfaces.indexOf('inbox') === 0
}

/** Whether a person answers it; the client answers the other kinds itself. */
export function needsPerson({ kind }: InputRequest): boolean {
  return kind === 'form' || kind === 'url'
}
