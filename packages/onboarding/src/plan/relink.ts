// Rewrites relative links, so that they still point to the same file after the text moved to another folder.

import { posix } from 'node:path'

export function relinked(text: string, fromPath: string, toPath: string): string {
  const from = posix.dirname(fromPath)
  const to = posix.dirname(toPath)
  if (from === to) return text
  return text.replace(/(\]\(<?)([^)>\s]+)/g, (whole, open: string, target: string) => {
    if (/^(?:[a-z][\w+.-]*:|#|\/|~)/i.test(target)) return whole
    const [, path = '', rest = ''] = /^([^#?]*)(.*)$/.exec(target) ?? []
    return `${open}${posix.relative(to, posix.normalize(posix.join(from, path))) || '.'}${rest}`
  })
}
