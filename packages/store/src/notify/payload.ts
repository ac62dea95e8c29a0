// Several signals in one message, one per line: under load, signals published at about the same time share a message.

/** Takes as many signals as fit into one payload, oldest first, and always at least one. */
export function takePayload(outbox: string[], payloadChars: number): string {
  let count = 0
  let chars = 0
  for (const line of outbox) {
    chars += line.length + 1
    if (count > 0 && chars > payloadChars) break
    count++
  }
  return outbox.splice(0, count).join('\n')
}

export function readPayload(payload: string): string[] {
  return payload.split('\n')
}
