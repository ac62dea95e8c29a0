// The page about passkeys.

import type { PasskeysView, SignInView } from '@assent/core'
import { code, type Part } from './parts.ts'

const neededFor: Readonly<Record<PasskeysView['presence'], string>> = {
  none: 'No decision needs a passkey here. The setting inbox.presence changes this.',
  destructive: 'You need a passkey to say yes to something destructive.',
  approvals: 'You need a passkey to approve, and to say yes to something destructive.',
  all: 'You need a passkey to accept anything.',
}

/** With accounts only an administrator can remove the passkeys of a person. */
function removeNote(way: SignInView['way'] | undefined): readonly Part[] {
  const prompt = 'Removing one asks for a passkey.'
  if (way === undefined) return [prompt]
  return way === 'link'
    ? [`${prompt} If you lost all of them, run `, code('assent passkeys reset'), '.']
    : [
        `${prompt} If you lost all of them, an administrator can run `,
        code('assent passkeys reset --config assent.yaml --person <subject>'),
        '.',
      ]
}

export const passkeysText = {
  title: 'Passkeys',
  explain: (presence: PasskeysView['presence']) =>
    `A passkey proves that you are there: your device asks for your fingerprint, face or PIN, and signs exactly what you decide. ${neededFor[presence]}`,
  none: 'You have no passkeys.',
  times: (added: string, used: string | undefined) =>
    `Added ${added}, ${used === undefined ? 'not used yet' : `used ${used}`}`,
  remove: 'Remove',
  removeNamed: (name: string) => `Remove ${name}`,
  removed: (name: string) => `${name} was removed.`,
  removeNote,
  /** For a key that the person does not name. */
  defaultName: (others: number) => (others === 0 ? 'Passkey' : `Passkey ${others + 1}`),
  newName: 'Name of the new passkey',
  add: 'Add a passkey',
  added: (name: string) => `${name} was added.`,
  addNote: 'This asks for the new passkey, and then for one that you have.',
}
