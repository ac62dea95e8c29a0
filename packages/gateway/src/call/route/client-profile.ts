// What is known about the client of a call. Pure.

import { compact, type JsonObject, type Surface } from '@assent/core'
import { withAskMeta } from '../capabilities.ts'
import type { ClientProfile } from '../model.ts'
import { chooseSurface, isInboxFirst } from './surfaces.ts'

export interface ClientProfileSettings {
  readonly surfaces: readonly Surface[]
  /** Where the client works, if this process serves only one client. */
  readonly workplace?: NonNullable<ClientProfile['workplace']>
}

/**
 * @param settings read again for each question, because a reload changes them
 * @param surfacesOf the surfaces of a server, likewise
 */
export function clientProfile(
  settings: ClientProfileSettings,
  surfacesOf: (server: string) => readonly Surface[],
  info: JsonObject,
  declared: JsonObject,
): ClientProfile {
  const { workplace } = settings
  const hasInbox = () => settings.surfaces.includes('inbox')
  const capabilities = hasInbox() ? { ...declared, elicitation: { form: {}, url: {} } } : declared
  const profile = { info, declared, capabilities: withAskMeta(capabilities), ...compact({ workplace }) }
  return {
    ...profile,
    shows: (wanted, server) => chooseSurface(surfacesOf(server), profile, wanted) === 'client',
    isRecorded: (wanted, server) => {
      const shown = surfacesOf(server)
      if (!hasInbox() || !shown.includes('inbox') || isInboxFirst(shown)) return false
      return chooseSurface(shown, profile, wanted) === 'inbox'
    },
  }
}
