// Text in a column: cut where it is too long, filled up where it is too short, by what a terminal draws and not by
// what a string counts.

import widthOf from 'fast-string-truncated-width'

const more = '…'

/** Exactly so many columns wide. The text has been made visible already, and holds no colours yet. */
export function fitted(text: string, columns: number): string {
  if (columns <= 0) return ''
  const { width, index, truncated } = widthOf(text, { limit: columns, ellipsis: more, ellipsisWidth: 1 })
  if (!truncated) return text + ' '.repeat(columns - width)
  return fitted(text.slice(0, index), columns - 1) + more
}
