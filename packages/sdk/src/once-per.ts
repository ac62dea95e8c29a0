// A function of an unchangeable object, computed once per object.
//
// Owns: the results, for as long as their objects are in memory.

export function oncePer<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const computed = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const known = computed.get(key)
    if (known !== undefined) return known.value
    const value = compute(key)
    computed.set(key, { value })
    return value
  }
}
