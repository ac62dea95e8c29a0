// The import table of ARCHITECTURE.md: which package may know which.
//
// A package without a row here fails the boundary test, so a new one cannot slip in without a decision.

export const table: Readonly<Record<string, readonly string[]>> = {
  core: [],
  sdk: ['core'],
  tools: ['core', 'sdk'],
  store: ['core'],
  gateway: ['core', 'sdk', 'tools', 'store'],
  inbox: ['core'],
}

/** What these take from our other packages must vanish at run time. The inbox talks to the gateway over HTTP. */
export const takesTypesOnly: readonly string[] = ['inbox']

/** What a package's own code, tests aside, may use of Node. Packages that are not listed may use all of it. */
export const platformOf: Readonly<Record<string, readonly string[]>> = {
  core: ['node:crypto', 'node:buffer'],
  inbox: [],
}
