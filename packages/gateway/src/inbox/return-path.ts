// Where a person goes on after signing in: a page of ours, and never anywhere else.

import { inboxLimits } from '../limits.ts'

/** The path as it is if it is a page of this inbox, and the first page otherwise. Whatever it was, it stays on this origin. */
export function returnPath(wanted: unknown, base: URL): string {
  if (typeof wanted !== 'string' || wanted.length > inboxLimits.returnPathChars) return '/'
  // Two slashes, or a slash and a backslash, begin another host; browsers drop tabs and line breaks before they look.
  if (!/^\/(?![/\\])[\x21-\x7E]*$/.test(wanted) || wanted.includes('\\')) return '/'
  const { origin, pathname, search } = new URL(wanted, base)
  if (origin !== base.origin || pathname.startsWith('//')) return '/'
  return /^\/(?:api|sign-in)(?:\/|$)/.test(pathname) ? '/' : `${pathname}${search}`
}
