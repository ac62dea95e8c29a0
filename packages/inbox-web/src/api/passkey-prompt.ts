// The browser's prompts for passkeys.
//
// The gateway writes the options as JSON and reads the result as JSON; the browser converts both.

import type { InboxProblem, PasskeyCreationView, PasskeyRequestView, PresenceBody } from '@assent/core'

/** `left`: the person closed the prompt, or let it time out. Then nothing has happened. */
export type Prompted<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: InboxProblem | 'left' }

type FromBrowser = PresenceBody['response']

/** Asks for a signature of one of the person's passkeys. */
export function promptForPasskey(request: PasskeyRequestView): Promise<Prompted<FromBrowser>> {
  return prompted(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON({
        ...request,
        allowCredentials: [...request.allowCredentials],
      }),
    }),
  )
}

/** Asks the person to create a passkey. */
export function promptForNewPasskey(creation: PasskeyCreationView): Promise<Prompted<FromBrowser>> {
  return prompted(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(creation as PublicKeyCredentialCreationOptionsJSON),
    }),
  )
}

async function prompted(prompt: () => Promise<Credential | null>): Promise<Prompted<FromBrowser>> {
  if (!('PublicKeyCredential' in globalThis) || !('parseRequestOptionsFromJSON' in PublicKeyCredential))
    return refuse('This browser does not support passkeys. Use a current one, over https or at localhost.')
  try {
    const credential = await prompt()
    if (!(credential instanceof PublicKeyCredential)) return { ok: false, problem: 'left' }
    return { ok: true, value: credential.toJSON() as object as FromBrowser }
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    if (name === 'NotAllowedError' || name === 'AbortError') return { ok: false, problem: 'left' }
    if (name === 'InvalidStateError') return refuse('This device has a passkey of yours already.')
    if (name === 'SecurityError') return refuse(wrongHost())
    return refuse('The browser could not use the passkey. Try again.')
  }
}

/** Browsers have no passkeys for IP addresses. */
function wrongHost(): string {
  const url = new URL(location.href)
  url.hostname = 'localhost'
  return `Passkeys do not work at ${location.host}. Open the inbox at ${url.origin}.`
}

function refuse(message: string): { readonly ok: false; readonly problem: InboxProblem } {
  return { ok: false, problem: { code: 'refused', message } }
}
