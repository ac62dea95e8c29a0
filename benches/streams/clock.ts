/** Milliseconds since the epoch, with a fraction: comparable between processes of one machine. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
