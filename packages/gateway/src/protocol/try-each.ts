/** Runs this for every item, one after the other, also after an error. Then throws the first error. */
export async function tryEach<Item>(items: Iterable<Item>, run: (item: Item) => Promise<void>): Promise<void> {
  let first: { readonly error: unknown } | undefined
  for (const item of items) {
    try {
      await run(item)
    } catch (error) {
      first ??= { error }
    }
  }
  if (first !== undefined) throw first.error
}
