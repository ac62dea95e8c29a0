// Answers that have the format of a secret, independent of the question.
//
// Only formats that hardly anything else has: a published prefix, a fixed envelope, a check digit. A password has no
// format and is not found here. A card-like order number passes the check digit one time in ten and is then reported.

import { withoutInvisible } from './characters.ts'

export type SecretShape = 'private-key' | 'web-token' | 'service-key' | 'url-with-password' | 'card-number'

const privateKey =
  /-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1[A-Z0-9]{20}/

// Every pattern starts at a boundary, so that a long run of one prefix is read once and not once per repetition.
const start = '(?<![A-Za-z0-9_-])'
const webToken = new RegExp(
  String.raw`${start}eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.(?:[A-Za-z0-9_-]{16,}|(?![A-Za-z0-9_-]))`,
)

/** Sorted by prefix, as their issuers publish them. */
const serviceKeys = [
  'AIza[A-Za-z0-9_-]{35}',
  '(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])',
  'dop_v1_[a-f0-9]{64}',
  'github_pat_[A-Za-z0-9_]{22,}',
  'gh[oprsu]_[A-Za-z0-9]{36}',
  'glpat-[A-Za-z0-9_-]{20}',
  'hf_[A-Za-z0-9]{30}',
  'npm_[A-Za-z0-9]{36}',
  'pypi-AgEI[A-Za-z0-9_-]{20}',
  '[rs]k_(?:live|test)_[A-Za-z0-9]{16}',
  'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}',
  'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
  'sk-(?:ant|or|proj|svcacct)-[A-Za-z0-9_-]{20}',
  'sk-[A-Za-z0-9]{32}',
  'whsec_[A-Za-z0-9+/]{24}',
  'xapp-\\d-[A-Za-z0-9-]{20}',
  'xox[abeoprs]-[A-Za-z0-9-]{16}',
]
const serviceKey = new RegExp(`${start}(?:${serviceKeys.join('|')})`)

const urlWithPassword = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,64}:[^\s/@]{1,128}@[^\s/@]/i

// Written in one run or in the groups that cards print; a UUID, a phone number or a date is grouped otherwise.
const cardLike =
  /(?<![\w.-])(?:\d{13,19}|\d{4}(?<gap>[ -])\d{4}\k<gap>\d{4}\k<gap>\d{1,7}|\d{4}(?<space>[ -])\d{6}\k<space>\d{4,5})(?![\w-])/g

/** Sorted by the digits that issuers own; each with the lengths they use. */
const issuers = [
  /^2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}$/, // Mastercard
  /^3(?:0[0-5]|[68]\d)\d{11}$/, // Diners Club
  /^35(?:2[89]|[3-8]\d)\d{12}$/, // JCB
  /^3[47]\d{13}$/, // American Express
  /^4\d{12}(?:\d{3}){0,2}$/, // Visa
  /^5[1-5]\d{14}$/, // Mastercard
  /^62\d{14,17}$/, // UnionPay
  /^6(?:011|4[4-9]\d|5\d\d)\d{12}$/, // Discover
]

/** The kind of secret that an answer appears to contain, or undefined. */
export function looksLikeSecret(answer: string): SecretShape | undefined {
  // Otherwise compatibility forms and hidden characters would disguise a key that still works when pasted.
  const text = withoutInvisible(answer.normalize('NFKC').replace(/[\t\r\n]/g, ' '))
  if (privateKey.test(text)) return 'private-key'
  if (webToken.test(text)) return 'web-token'
  if (serviceKey.test(text)) return 'service-key'
  if (urlWithPassword.test(text)) return 'url-with-password'
  return hasCardNumber(text) ? 'card-number' : undefined
}

function hasCardNumber(text: string): boolean {
  for (const [match] of text.matchAll(cardLike)) {
    const digits = match.replace(/\D/g, '')
    if (issuers.some((issuer) => issuer.test(digits)) && passesLuhn(digits)) return true
  }
  return false
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = digit * 2
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
