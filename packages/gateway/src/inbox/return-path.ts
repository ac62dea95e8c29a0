// Where to redirect a person after sign-in: always a page of this inbox (no open redirect).

import { inboxLimits } from './limits.ts'

/** The given path if it is a page of this inbox, otherwise `/`. The result is always on this origin. */
export function returnPath(wanted: unknown, base: URL): string {
  if (typeof wanted !== 'string' || wanted.length > inboxLimits.returnPathChars) return '/'
  // `//` and `/\` start another host; browsers drop tabs and line breaks before they parse.
  if (!/^\/(?![/\\])[\x21-\x7E]*$/.test(wanted) || wanted.includes('\\')) return '/'
  const { origin, pathname, search } = new URL(wanted, base)
  if (origin !== base.origin || pathname.startsWith('//')) return '/'
  return /^\/(?:api|sign-in)(?:\/|$)/.test(pathname) ? '/' : `${pathname}${search}`
}
