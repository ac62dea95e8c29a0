// Methods that a tolerant server could take for one that policies decide about. Pure.

const guarded = [
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
  'subscriptions/listen',
]
const folded: ReadonlySet<string> = new Set(guarded.map(fold))

/** Whether the method differs from a guarded one only in case, spaces, signs or compatibility forms of letters. */
export function looksGuarded(method: string): boolean {
  return !guarded.includes(method) && folded.has(fold(method))
}

function fold(method: string): string {
  return method
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
}
