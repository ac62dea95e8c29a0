// Checks a link before it is shown: refused, or allowed with warnings.
//
// It parses and never fetches. It returns the parser's spelling, which is pure ASCII and what a browser opens; the text of
// the server is not shown. It does not check whether a site is trustworthy.

import { askLimits } from '../limits.ts'
import { hasInvisible } from './characters.ts'
import { readHost, type ShownHost } from './host.ts'
import { hasImpossibleMix, hostWarnings, type UrlWarning } from './host-warnings.ts'

export type UrlRefusal =
  | 'credentials'
  | 'disguised-host'
  | 'hidden-characters'
  | 'not-a-url'
  | 'not-https'
  | 'scheme'
  | 'too-long'

interface Refused {
  readonly ok: false
  readonly code: UrlRefusal
  readonly reason: string
}

export type UrlScreening =
  | Refused
  | { readonly ok: true; readonly url: string; readonly host: ShownHost; readonly warnings: readonly UrlWarning[] }

export interface UrlOptions {
  /** Plain http to the reader's own computer, as development servers use it. On unless turned off. */
  readonly allowHttpLoopback?: boolean
  /** Plain http to anywhere, for a closed network. Off unless turned on; it is still warned about. */
  readonly allowHttp?: boolean
}

const notAUrl = refuse('not-a-url', 'This is not a full web address.')

export function screenUrl(text: string, options: UrlOptions = {}): UrlScreening {
  const refusal = checkSpelling(text)
  if (refusal !== undefined) return refusal
  if (!URL.canParse(text)) return notAUrl

  const url = new URL(text)
  const host = readHost(url.hostname)
  if (host === undefined) return refuse('disguised-host', 'The host name is not a valid one.')
  if (hasImpossibleMix(host))
    return refuse('disguised-host', 'The host name mixes letters of alphabets that are not used together.')
  if (url.protocol === 'https:') return allow(url, host, [])
  return checkPlainHttp(url, host, options)
}

/** Checks the text itself, before the parser repairs what a person would read differently. */
function checkSpelling(text: string): Refused | undefined {
  if (text.length > askLimits.urlChars)
    return refuse('too-long', `A link has at most ${askLimits.urlChars} characters.`)
  if (hasInvisible(text) || /\s/.test(text))
    return refuse('hidden-characters', 'The link contains hidden characters or spaces.')
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) && !/^https?:/i.test(text)) {
    return refuse('scheme', 'Only https links are opened.')
  }
  // Two slashes and a host: the parser also takes `https:host` and `https:///host`.
  const authority = /^https?:\/\/(?<authority>[^/?#]+)/i.exec(text)?.groups?.authority
  if (authority === undefined) return notAUrl
  if (authority.includes('@'))
    return refuse('credentials', 'The link contains a user name, which can be mistaken for its host.')
  // A backslash becomes a slash and %61 becomes an a, so the host that is read is not the host that is opened.
  if (text.includes('\\') || authority.includes('%')) {
    return refuse('disguised-host', 'The link is written so that its host can be misread.')
  }
  return undefined
}

function checkPlainHttp(url: URL, host: ShownHost, { allowHttpLoopback = true, allowHttp = false }: UrlOptions) {
  if (host.loopback && allowHttpLoopback) return allow(url, host, [])
  if (allowHttp) return allow(url, host, [plainHttp])
  return refuse('not-https', 'The link is not encrypted. Only https links are opened.')
}

function allow(url: URL, host: ShownHost, warnings: readonly UrlWarning[]): UrlScreening {
  return { ok: true, url: url.href, host, warnings: [...warnings, ...hostWarnings(host), ...portWarnings(url, host)] }
}

const plainHttp: UrlWarning = {
  code: 'plain-http',
  level: 'danger',
  text: 'The link is not encrypted: others on the network can read and change the page.',
}

function portWarnings(url: URL, host: ShownHost): UrlWarning[] {
  if (host.loopback) return [thisComputer(url)]
  if (url.port === '') return []
  return [{ code: 'unusual-port', level: 'notice', text: `The link uses the unusual port ${url.port}.` }]
}

/** Any program on the machine may answer there, and its page could imitate ours. */
function thisComputer({ port, protocol }: URL): UrlWarning {
  const number = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  const text = `This link leads to a program on your own computer (port ${number}), not to Assent.`
  return { code: 'this-computer', level: 'danger', text }
}

function refuse(code: UrlRefusal, reason: string): Refused {
  return { ok: false, code, reason }
}
