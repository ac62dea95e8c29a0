// Waiting for something that happens in another process or task.

/** Calls `look` until it returns something. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, withinMs = 60_000): Promise<T> {
  const endsAt = Date.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > endsAt) throw new Error(`It did not happen within ${withinMs} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
