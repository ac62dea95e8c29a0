// Warnings about a host name before a person follows a link to it.
//
// A notice explains something unusual that honest hosts do too. A danger is a known way to imitate another host; a surface
// should make people stop. There is no list of brands: only the form of the name is checked.

import type { ShownHost } from './host.ts'
import { passesForLatin } from './lookalikes.ts'
import { scriptMixOf, shareScript } from './scripts.ts'

export type UrlWarningCode =
  | 'address'
  | 'imitates-a-host'
  | 'look-alike-letters'
  | 'many-subdomains'
  | 'mixed-scripts'
  | 'not-ascii'
  | 'odd-symbols'
  | 'plain-http'
  | 'rare-script'
  | 'this-computer'
  | 'unusual-port'

export interface UrlWarning {
  readonly code: UrlWarningCode
  readonly level: 'notice' | 'danger'
  readonly text: string
}

const ordinaryLabels = 5
const topLevels = /^(?:com|edu|gov|mil|net|org)(?:-|$)/

const japanese = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー`
const stroke = '[ノソゾン丶丿〆]'

/** Symbols that no word needs and that can be mistaken for punctuation, other letters or nothing. */
const oddSigns: readonly RegExp[] = [
  // Anything but letters, marks, digits, and what languages write inside words (RFC 5892, appendix A).
  /[^\p{L}\p{M}\p{Nd}\-·・\u05F3\u05F4]/u,
  /(?<!l)·|·(?!l)/,
  /[a-z0-9-]・|・[a-z0-9-]/,
  // Accents that did not merge with their letter, save in Cyrillic and Greek, where many cannot.
  /(?<![\p{Script=Cyrillic}\p{Script=Greek}])[\u0300-\u036F]/u,
  /(\p{M})\1/u,
  // Kana strokes beside Latin letters read as a slash; the long dash of kana means nothing elsewhere.
  new RegExp(`(?<![${japanese}])${stroke}+[a-z0-9-]|[a-z0-9-]${stroke}+(?![${japanese}])`, 'u'),
  /(?<![\p{Script=Hiragana}\p{Script=Katakana}ー])ー|(?<!\p{Script=Katakana})[ヽヾ]/u,
]

export function hostWarnings(host: ShownHost): UrlWarning[] {
  if (host.loopback) return []
  if (host.kind === 'address') return [notice('address', 'This is a numeric address, so its owner is not visible.')]
  const labels = host.unicode.split('.')
  const warnings = labels.flatMap((label) => labelWarnings(label, labels.at(-1) as string))
  if (host.unicode !== host.ascii) {
    warnings.push(notice('not-ascii', `The name has letters other than a to z. Its ASCII form is ${host.ascii}.`))
  }
  if (imitates(labels, host.highlight.split('.').length)) {
    const text = `The name begins like another site, but it belongs to ${host.highlight}.`
    warnings.push(danger('imitates-a-host', text))
  }
  if (labels.length > ordinaryLabels) {
    warnings.push(notice('many-subdomains', `The name is long. What counts is its end: ${host.highlight}.`))
  }
  return warnings
}

/** No language mixes these scripts; such a host is refused, not warned about. */
export function hasImpossibleMix(host: ShownHost): boolean {
  return host.unicode.split('.').some((label) => scriptMixOf(label) === 'mixed')
}

function labelWarnings(label: string, topLevel: string): UrlWarning[] {
  if (/^\p{ASCII}*$/u.test(label)) return []
  const warnings: UrlWarning[] = []
  const mix = scriptMixOf(label)
  if (mix === 'rare') warnings.push(danger('rare-script', `Few people can read the letters of “${label}”.`))
  if (mix === 'with-latin') warnings.push(danger('mixed-scripts', `“${label}” mixes letters of two alphabets.`))
  if (hasOddSign(label))
    warnings.push(danger('odd-symbols', `“${label}” contains symbols that can be mistaken for others.`))
  if (passesForLatin(label) && !shareScript(label, topLevel)) {
    warnings.push(danger('look-alike-letters', `“${label}” looks like plain letters, but it is not written with them.`))
  }
  return warnings
}

function hasOddSign(label: string): boolean {
  if (oddSigns.some((odd) => odd.test(label))) return true
  // Digits of two kinds, or foreign digits with no word around them: ৪ is a four that looks like an 8.
  return /(?![0-9])\p{Nd}/u.test(label) && (/[0-9]/.test(label) || !/\p{L}/u.test(label))
}

/** `paypal.com.evil.example`, `paypal.co.uk.evil.example`, `paypal.com-login.example`. */
function imitates(labels: readonly string[], deciding: number): boolean {
  return labels.some((label, at) => {
    const isEnd = at >= labels.length - deciding
    if (at === 0) return false
    if (topLevels.test(label)) return label.includes('-') || !isEnd
    return label === 'co' && labels[at + 1]?.length === 2 && !isEnd
  })
}

function notice(code: UrlWarningCode, text: string): UrlWarning {
  return { code, level: 'notice', text }
}

function danger(code: UrlWarningCode, text: string): UrlWarning {
  return { code, level: 'danger', text }
}
