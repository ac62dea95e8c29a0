// Several keys in one message: under load, keys published at about the same time share a message.

/** Takes as many keys as fit into one payload, oldest first, and always at least one. */
export function takePayload(outbox: string[], payloadChars: number): string {
  let count = 0
  let chars = 0
  for (const key of outbox) {
    chars += key.length + 1
    if (count > 0 && chars > payloadChars) break
    count++
  }
  return outbox.splice(0, count).join('\n')
}

export function readPayload(payload: string): string[] {
  return payload.split('\n')
}
