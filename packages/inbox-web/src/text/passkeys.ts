// The page about passkeys.

import type { PasskeysView } from '@assent/core'
import { code, type Part } from './parts.ts'

const neededFor: Readonly<Record<PasskeysView['presence'], string>> = {
  none: 'No decision needs a passkey here. The setting inbox.presence changes this.',
  destructive: 'You need a passkey to say yes to something destructive.',
  approvals: 'You need a passkey to approve, and to say yes to something destructive.',
  all: 'You need a passkey to accept anything.',
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
  removeNote: [
    'Removing one asks for a passkey. If you lost all of them, run ',
    code('assent passkeys reset'),
    '.',
  ] as readonly Part[],
  defaultName: 'Passkey',
  newName: 'Name of the new passkey',
  exampleName: 'Laptop',
  add: 'Add a passkey',
  addNote: 'This asks for the new passkey, and then for one that you have.',
}
