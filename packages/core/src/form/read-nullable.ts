// A property that also takes null, as the plain property and a flag.
//
// Python writes an optional field as `anyOf` with null, Go and Rust as a list of two types, and an enum may list null
// among its values. In a form, a field that is left empty means null.

import { formLimits } from '../limits.ts'
import { readList, readObject } from './untrusted.ts'

type Entries = ReadonlyMap<string, unknown>

export interface WithoutNull {
  readonly entries: Entries
  readonly isNullable: boolean
  /** The path of the plain property, relative to the property that it was read from. */
  readonly at: readonly string[]
}

export function withoutNull(entries: Entries): WithoutNull {
  return ofUnion(entries) ?? ofTypeList(entries) ?? { entries, isNullable: false, at: [] }
}

/** `anyOf: [{ type: 'integer' }, { type: 'null' }]`. The other keywords apply to the plain property. */
function ofUnion(entries: Entries): WithoutNull | undefined {
  for (const keyword of ['anyOf', 'oneOf']) {
    const list = readList(entries.get(keyword), 2)
    if (entries.has('type') || !list.ok) continue
    const members = list.items.map((item) => readObject(item, formLimits.keywords))
    const plain = members.findIndex((member) => member.ok && member.entries.get('type') !== 'null')
    const nothing = members.findIndex((member) => member.ok && member.entries.get('type') === 'null')
    const member = members[plain]
    if (nothing < 0 || member?.ok !== true) continue
    const others = [...entries].filter(([name]) => name !== keyword)
    // The member may be nullable too, which adds nothing.
    const inner = ofTypeList(member.entries)?.entries ?? member.entries
    return { entries: new Map([...inner, ...others]), isNullable: true, at: [keyword, String(plain)] }
  }
  return undefined
}

/** `type: ['integer', 'null']`, and null among the values of an enum. */
function ofTypeList(entries: Entries): WithoutNull | undefined {
  const types = readList(entries.get('type'), 2)
  const values = readList(entries.get('enum'), formLimits.options + 1)
  const hasNull = values.ok && values.items.includes(null)
  const plain = types.ok ? types.items.filter((type) => type !== 'null') : []
  const isTyped = types.ok && types.items.length === 2 && plain.length === 1
  if (!isTyped && !(hasNull && !entries.has('type'))) return undefined
  const changed = new Map(entries)
  if (isTyped) changed.set('type', plain[0])
  if (values.ok && hasNull)
    changed.set(
      'enum',
      values.items.filter((value) => value !== null),
    )
  return { entries: changed, isNullable: true, at: [] }
}
