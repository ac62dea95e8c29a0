// Cuts or pads text to a width in terminal columns, which differs from the length of the string.

import widthOf from 'fast-string-truncated-width'

const more = '…'

/** Returns text that is exactly `columns` wide. The text must be escaped already, and have no colour codes yet. */
export function truncateToWidth(text: string, columns: number): string {
  if (columns <= 0) return ''
  const { width, index, truncated } = widthOf(text, { limit: columns, ellipsis: more, ellipsisWidth: 1 })
  if (!truncated) return text + ' '.repeat(columns - width)
  return truncateToWidth(text.slice(0, index), columns - 1) + more
}
