// Loads Cedar, the policy language, when the first policy set is built: it is 4 MB of WebAssembly that a gateway without
// policies does not need.

import type * as CedarModule from '@cedar-policy/cedar-wasm/nodejs'

export type Cedar = typeof CedarModule

let loading: Promise<Cedar> | undefined

export function loadCedar(): Promise<Cedar> {
  loading ??= import('@cedar-policy/cedar-wasm/nodejs')
  return loading
}
