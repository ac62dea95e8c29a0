// Processes a list with limited concurrency.

export async function inLanes<T>(lanes: number, list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...list]
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
