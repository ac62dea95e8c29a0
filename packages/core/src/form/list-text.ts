// A list of texts written as one text, for surfaces and clients that have only a text input.

const newline = /\r\n|\r|\n/

/** One entry per line; on a single line separated by commas; or a JSON list, for entries that contain commas. */
export function listOfText(text: string): readonly string[] {
  const listed = jsonList(text)
  if (listed !== undefined) return listed
  const lines = text.split(newline)
  const parts = lines.length > 1 ? lines : text.split(',')
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** What `listOfText` reads back as the same list. */
export function textOfList(list: readonly string[]): string {
  const plain = list.join(', ')
  const again = listOfText(plain)
  const isSame = again.length === list.length && again.every((part, index) => part === list[index])
  return isSame ? plain : JSON.stringify(list)
}

function jsonList(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
  } catch {
    return undefined
  }
}
