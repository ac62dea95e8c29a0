/**
 * Never settles, so that the code after it does not run. A new promise each time: a promise keeps its waiters alive, so one for all
 * would keep every paused handler in memory.
 */
export function never(): Promise<never> {
  return new Promise<never>(() => undefined)
}
