// `assent inbox link --qr`: whether a phone may get the address of the inbox as a QR code, and which address.
//
// A code on a screen can be photographed, and a phone reaches the inbox over a network. So it needs https with a host name,
// and something that the person has besides the code: their account, or a passkey.

import { isIP } from 'node:net'
import { type PresenceSetting, stricterPresence } from '@assent/core'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import type { Config } from '../config/settings.ts'
import { isLoopback } from '../protocol/loopback.ts'
import { openState } from './state.ts'
import type { Terminal } from './terminal.ts'
import { inboxText } from './text/inbox.ts'

const { noCode } = inboxText

export type PhoneAccess =
  /** Everybody signs in with their own account, so the address is no secret. */
  | { readonly kind: 'address'; readonly url: string }
  /** A sign-in link. Accepting needs a passkey. */
  | { readonly kind: 'link' }
  | { readonly kind: 'refused'; readonly why: string }

/** What the store knows about the person at this machine. */
export interface Protection {
  readonly recorded: PresenceSetting
  readonly passkeys: number
}

export function phoneAccess(
  { identity, inbox }: Pick<Config, 'identity' | 'inbox'>,
  { recorded, passkeys }: Protection,
): PhoneAccess {
  const refuse = (why: string) => ({ kind: 'refused', why: noCode.because(why) }) as const
  const { url } = inbox
  if (url === undefined || url.protocol !== 'https:') {
    return refuse(noCode.noHttps)
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 || isLoopback(url.hostname)) {
    return refuse(noCode.noHostName)
  }
  if (identity !== undefined) return { kind: 'address', url: url.href }
  if (stricterPresence(recorded, inbox.presence) === 'none') {
    return refuse(noCode.unprotected)
  }
  if (passkeys === 0) {
    return refuse(noCode.noPasskey)
  }
  return { kind: 'link' }
}

export async function protectionOf(config: Config, { variables, err }: Terminal): Promise<Protection> {
  // With identity the account protects the inbox, whatever the store contains.
  if (config.identity !== undefined) return { recorded: 'none', passkeys: 0 }
  const { store } = await openState(config, variables, { onError: (error) => err(String(error)) })
  try {
    const [recorded, keys] = await Promise.all([
      store.passkeys.recordedSetting(onlyTenant),
      store.passkeys.list({ tenant: onlyTenant, principal: localPerson.principal }),
    ])
    return { recorded, passkeys: keys.length }
  } finally {
    await store.close()
  }
}
