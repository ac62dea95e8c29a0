// The clock of this process, set wrong: what a machine whose time is off would read. Timers and the clock that only runs
// forward go on as they did, as they do on such a machine.
//
// Load it before whatever keeps a hold of `Date`.

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

/** From now on it is so far ahead, or behind. */
export function skewClock(byMs: number): void {
  aheadMs = byMs
}
