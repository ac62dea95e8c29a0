// The import table of ARCHITECTURE.md: which package may import which.
//
// A package without a row here fails the boundary test, so that adding one is a decision.

export const table: Readonly<Record<string, readonly string[]>> = {
  core: [],
  sdk: ['core'],
  tools: ['core', 'sdk'],
  onboarding: ['core', 'sdk'],
  store: ['core'],
  policy: ['core'],
  gateway: ['core', 'sdk', 'tools', 'onboarding', 'store', 'policy'],
  'inbox-web': ['core'],
}

/** These may import only types from our other packages. The inbox uses the gateway over HTTP. */
export const takesTypesOnly: readonly string[] = ['inbox-web']

/** The modules of Node that a package's code, except tests, may import. Packages that are not listed may import all. */
export const platformOf: Readonly<Record<string, readonly string[]>> = {
  core: ['node:crypto', 'node:buffer'],
  'inbox-web': [],
}

/** The folders of `packages/gateway/src`, as in ARCHITECTURE.md. A folder may import those after it. */
export const gatewayFolders: readonly string[] = [
  'program',
  'setup',
  'inbox',
  'notify',
  'http',
  'telemetry',
  'clients',
  'servers',
  'config',
  'call',
  'cluster',
  'protocol',
  'limits',
]
