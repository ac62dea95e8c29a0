// Request headers that are never forwarded to a server, regardless of the configuration.

const refusedNames = [
  'accept',
  'assent-forwarded',
  'authorization',
  'connection',
  'cookie',
  'dpop',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
const refusedBeginnings = ['content-', 'mcp-', 'proxy-']

/** Whether a header belongs to the connection with the gateway, or to its credentials, and is never forwarded. */
export function isNeverForwarded(name: string): boolean {
  const lower = name.toLowerCase()
  return refusedNames.includes(lower) || refusedBeginnings.some((beginning) => lower.startsWith(beginning))
}
