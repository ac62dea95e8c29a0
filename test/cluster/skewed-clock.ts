// Skews the wall clock of this process, as on a machine with a wrong time. Timers and the monotonic clock are not affected,
// as on such a machine.
//
// Import it before any module that keeps a reference to `Date`.

const RealDate = Date
let aheadMs = 0

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, wanted) =>
    Reflect.construct(target, given.length === 0 ? [RealDate.now() + aheadMs] : given, wanted),
  apply: (target) => new target(RealDate.now() + aheadMs).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

function now(): number {
  return RealDate.now() + aheadMs
}

/** From now on the clock is ahead by this much, or behind if negative. */
export function skewClock(byMs: number): void {
  aheadMs = byMs
}
