// The addresses of our pages for secrets, and how a server's link is recognized as one.
//
// Only the exact address that we issued leads to a page. Every other link of a server to the inbox is refused: a link
// to the sign-in page, for example, could sign a person in as somebody else.

import { isId } from '@assent/core'
import { mayReachLoopback } from '../../protocol/loopback.ts'

const pagePath = '/secret/'

export function pageAddress(base: URL, id: string): string {
  return new URL(pagePath + id, base).href
}

export type LinkKind =
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'page'; readonly id: string }
  /** A link to the inbox, but not to a page for a secret. */
  | { readonly kind: 'ours' }
  /** A link to another site that looks like one of our pages. */
  | { readonly kind: 'lookalike' }

export function readLink(base: URL, link: string): LinkKind {
  if (!URL.canParse(link)) return { kind: 'elsewhere' }
  const url = new URL(link)
  const id = url.pathname.startsWith(pagePath) ? url.pathname.slice(pagePath.length) : ''
  if (isId(id, 'secret') && link === pageAddress(base, id)) return { kind: 'page', id }
  if (isOurs(base, url)) return { kind: 'ours' }
  return /\bsecret_[0-9a-z]{36}\b/i.test(decoded(link)) ? { kind: 'lookalike' } : { kind: 'elsewhere' }
}

/** Any scheme and, on loopback, any of its names: a browser would reach the inbox with it. */
function isOurs(base: URL, url: URL): boolean {
  if (url.host === base.host || url.hostname === base.hostname.replace(/\.$/, '')) return url.port === base.port
  const isLocal = mayReachLoopback(base.hostname) && mayReachLoopback(url.hostname.replace(/\.$/, ''))
  return isLocal && url.port === base.port
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}
