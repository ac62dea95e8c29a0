// The words of the terminal surface that stand in more than one place.

export const keyWords = {
  choose: '↑↓ choose',
  search: 'type to search',
  tick: 'space ticks',
  tickWhileSearching: 'tab ticks',
  step: '↑↓ moves',
  answer: 'enter answers',
  leaveOut: 'enter leaves it out',
  decline: 'ctrl+d declines',
  dismiss: 'esc dismisses',
} as const

export const leaving: readonly string[] = [keyWords.decline, keyWords.dismiss]

/** The time of day of a deadline; with the date when it is not today. */
export function clockTime(atMs: number, nowMs: number): string {
  const at = new Date(atMs)
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  const sameDay = at.toDateString() === new Date(nowMs).toDateString()
  return sameDay
    ? time
    : `${time} on ${at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })}`
}
