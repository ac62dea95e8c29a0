// A sentence in parts, for texts with names and commands in them. `ui/parts.tsx` draws it.
//
// Parts are values and not markup, so a name that an asker chose cannot change how a sentence is drawn.

export type Part = string | { readonly code: string } | { readonly strong: string }

export const code = (text: string): Part => ({ code: text })
export const strong = (text: string): Part => ({ strong: text })
