// Names of arguments that a tolerant server could read as the same one.
//
// Some servers ignore case, and some take `dryRun` for `dry_run` or remove invisible characters. Two names are alike if they
// differ only in case, accents, width, punctuation, spaces and characters that are not visible.

import type { JsonObject } from '@assent/core'

const plain = /^[a-z0-9]*$/
const ignored = /[\p{M}\p{P}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** Equal for names that are alike. Empty for a name without letters, digits and signs. */
export function foldedName(name: string): string {
  if (plain.test(name)) return name
  // Upper case first, because "ſ" becomes "s" only through "S". Then lower case can have added accents.
  const cased = name.normalize('NFKD').replace(ignored, '').toUpperCase().toLowerCase()
  return cased.normalize('NFKD').replace(ignored, '')
}

/** The members of objects by their folded names. Each object is read once: a call can have very many members. */
export class AlikeNames {
  readonly #names = new Map<JsonObject, ReadonlyMap<string, readonly string[]>>()

  /** The members that are alike to this name, without the name itself. */
  inside(holder: JsonObject, name: string): readonly string[] {
    const folded = foldedName(name)
    if (folded === '') return []
    const known = this.#names.get(holder) ?? Map.groupBy(Object.keys(holder), foldedName)
    this.#names.set(holder, known)
    return (known.get(folded) ?? []).filter((one) => one !== name)
  }
}
