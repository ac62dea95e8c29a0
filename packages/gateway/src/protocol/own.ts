/** An own member, because a server chooses the keys of its questions and may call one "constructor". */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
