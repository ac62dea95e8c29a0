// JSON for a terminal: the same value, with everything escaped that a terminal would obey or not show.

/** Names in it may be as servers wrote them. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    character === ' ' ? character : Array.from({ length: character.length }, (_, at) => unit(character, at)).join(''),
  )
}

function unit(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`
}
