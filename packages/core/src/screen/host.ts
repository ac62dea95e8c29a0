// The host of a link in ASCII and Unicode, with the part that identifies the site.
//
// Nothing is resolved, and no list of sites or public suffixes is used.

import { hasInvisible } from './characters.ts'
import { decodePunycode } from './punycode.ts'

export interface ShownHost {
  /** As sent: `xn--…` where the name is not ASCII. */
  readonly ascii: string
  /** As read by a person. Equal to `ascii` for most hosts; shown beside it otherwise. */
  readonly unicode: string
  /**
   * The end of `unicode` to highlight: the last two labels, three where the last two look like `co.uk`, all of an
   * address. Without a list of public suffixes this can be one label off; it never contains less than the last two.
   */
  readonly highlight: string
  readonly kind: 'name' | 'address'
  /** On the reader's own computer. */
  readonly loopback: boolean
}

/** What registries under a country's domain call their second level. */
const secondLevels = /^(?:ac|co|com|edu|gob|go|gov|ltd|me|mil|ne|net|nom|or|org|plc|sch)$/

const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** Takes the host as the URL parser wrote it. Undefined when a label claims to be punycode and is not. */
export function readHost(hostname: string): ShownHost | undefined {
  const ascii = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  const kind = ascii.startsWith('[') || ipv4.test(ascii) ? 'address' : 'name'
  if (kind === 'address') return { ascii, unicode: ascii, highlight: ascii, kind, loopback: isLoopback(ascii) }

  const labels = ascii.split('.').map(readLabel)
  if (!labels.every((label) => label !== undefined && label !== '')) return undefined
  const unicode = labels.join('.')
  const highlight = labels.slice(-decidingLabels(labels as string[])).join('.')
  return { ascii, unicode, highlight, kind, loopback: isLoopback(ascii) }
}

function readLabel(label: string): string | undefined {
  if (!label.startsWith('xn--')) return label
  const unicode = decodePunycode(label.slice(4))
  // A parser may accept labels that no registry would: encoded plain ASCII, capitals, hidden characters and joiners.
  if (unicode === undefined || /^\p{ASCII}*$/u.test(unicode) || hasInvisible(unicode)) return undefined
  // IDNA keeps capitals only in Cherokee.
  if (/(?!\p{Script=Cherokee})\p{Lu}/u.test(unicode) || unicode !== unicode.normalize('NFC')) return undefined
  return unicode
}

function decidingLabels(labels: readonly string[]): number {
  const [secondLevel = '', topLevel = ''] = labels.slice(-2)
  return topLevel.length === 2 && secondLevels.test(secondLevel) ? 3 : 2
}

function isLoopback(host: string): boolean {
  if (ipv4.test(host)) return host.startsWith('127.')
  return host === '[::1]' || host === 'localhost' || host.endsWith('.localhost')
}
