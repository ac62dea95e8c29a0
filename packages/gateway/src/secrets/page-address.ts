// The addresses of our own pages for secrets, and how a server's link is told from one.
//
// Only the one spelling that we gave out leads to a page. Every other link to the inbox is refused, because a server has no
// business there: a link to the sign-in page, say, could sign a person in as somebody else.

import { isId } from '@assent/core'

const pagePath = '/secret/'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

export function pageAddress(base: URL, id: string): string {
  return new URL(pagePath + id, base).href
}

export type LinkKind =
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'page'; readonly id: string }
  /** To the inbox, and to no page for a secret. */
  | { readonly kind: 'ours' }
  /** To another place, in the shape of one of our pages. */
  | { readonly kind: 'lookalike' }

export function readLink(base: URL, link: string): LinkKind {
  if (!URL.canParse(link)) return { kind: 'elsewhere' }
  const url = new URL(link)
  const id = url.pathname.startsWith(pagePath) ? url.pathname.slice(pagePath.length) : ''
  if (isId(id, 'secret') && link === pageAddress(base, id)) return { kind: 'page', id }
  if (isOurs(base, url)) return { kind: 'ours' }
  return /\bsecret_[0-9a-z]{36}\b/i.test(decoded(link)) ? { kind: 'lookalike' } : { kind: 'elsewhere' }
}

/** Whatever the scheme and, on this machine, whichever of its names: a browser would end up at the inbox. */
function isOurs(base: URL, url: URL): boolean {
  if (url.host === base.host || url.hostname === base.hostname.replace(/\.$/, '')) return url.port === base.port
  const isLocal = (name: string) => loopbackNames.includes(name) || /^127\./.test(name) || name.endsWith('.localhost')
  return isLocal(base.hostname) && isLocal(url.hostname.replace(/\.$/, '')) && url.port === base.port
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}
