// Draws a sentence in parts: names in bold, commands and names of tools as code.

import { Fragment } from 'react'
import type { Part } from '../text/parts.ts'

export function Parts({ of }: { readonly of: readonly Part[] }) {
  return of.map((part, at) => <Fragment key={at}>{drawn(part)}</Fragment>)
}

function drawn(part: Part) {
  if (typeof part === 'string') return part
  return 'code' in part ? <code>{part.code}</code> : <strong>{part.strong}</strong>
}
