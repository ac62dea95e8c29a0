// Authenticates onboarding's files: a MAC with the installation's key over what the file is, which folder it is for, and
// the digest of its content. A file that was copied from another folder, or written by another user, has no valid MAC.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { digestOf } from '@assent/core'
import type { Site } from '../site.ts'

export type Authenticated = 'state' | 'plan' | 'backup'

export function macOf({ key, root }: Site, what: Authenticated, digest: string): string {
  const bound = digestOf('onboarding mac v1', { what, root, digest })
  return createHmac('sha256', key).update(bound).digest('base64url')
}

export function isMacOf(site: Site, what: Authenticated, digest: string, mac: string): boolean {
  const [expected, given] = [Buffer.from(macOf(site, what, digest)), Buffer.from(mac)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}
