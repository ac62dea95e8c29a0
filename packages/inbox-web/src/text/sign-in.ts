// Signing in, and why it failed.

import type { InboxProblem } from '@assent/core'
import { code, type Part, strong } from './parts.ts'

/** Why a login failed, by the gateway's code in `?problem=`. */
const loginErrors: Readonly<Record<string, readonly [title: string, reason: string]>> = {
  stale: ['The sign-in was not completed.', 'It took too long, was started in another browser, or was already used.'],
  denied: ['You are not signed in.', 'The sign-in was cancelled.'],
  failed: [
    'You could not be signed in.',
    'The sign-in could not be verified. If it happens again, tell the operator of this gateway.',
  ],
  unavailable: ['You could not be signed in.', 'The sign-in provider cannot be reached. Try again in a moment.'],
  'too-many': ['You have too many sessions.', 'Sign out in another browser first, or wait until a session ends.'],
}

function linkError({ code: problem }: InboxProblem): string {
  if (problem === 'signed-out') return 'This link is no longer valid.'
  return problem === 'refused' ? 'This browser cannot sign in here.' : 'You could not be signed in.'
}

const linkCommand = 'assent inbox link'

export const signInText = {
  signingIn: 'Signing in',
  signedOut: 'You are signed out.',
  loginErrors,
  linkError,
  linkHint: [
    'Run ',
    code(linkCommand),
    ' in a terminal and open the link it prints. Each link works once.',
  ] as readonly Part[],
  unverified: {
    title: 'This may not be your inbox.',
    reason:
      'The program at this address could not prove that it is your inbox. Nothing was sent to it. This page checks again every few seconds.',
    moved: [
      'If Assent moved to another address, run ',
      code(linkCommand),
      ' in a terminal and open the link it prints.',
    ] as readonly Part[],
  },
  tab: {
    explain: 'The inbox can open a new tab in your browser, in which you are signed in.',
    open: 'Open a signed-in tab',
    opened: 'Your browser opens the inbox in a new tab. You can close this one.',
    failed: 'No tab could be opened.',
  },
  account: {
    explain: (issuer: string): readonly Part[] => [
      'You sign in with your account at ',
      strong(issuer),
      ' and then return here.',
    ],
    signIn: 'Sign in',
  },
}
