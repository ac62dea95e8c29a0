/** Resolves after this time, or as soon as the signal aborts. Unlike the one of Node, it never rejects. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const abort = () => resolve()
  signal?.addEventListener('abort', abort, { once: true })
  await promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', abort)
}
