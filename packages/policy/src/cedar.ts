// Loads Cedar, the policy language, when the first policy set is built: it is 4 MB of WebAssembly that a gateway without
// policies does not need.

import type * as CedarModule from '@cedar-policy/cedar-wasm/nodejs'

export type Cedar = typeof CedarModule

let loading: Promise<Cedar> | undefined

export function loadCedar(): Promise<Cedar> {
  loading ??= import('@cedar-policy/cedar-wasm/nodejs')
  return loading
}

type Request = Parameters<Cedar['statefulIsAuthorized']>[0]
type Reply = ReturnType<Cedar['statefulIsAuthorized']>

/** Cedar throws for what it cannot read at all, such as a tool's name with half a surrogate pair: that is a failure too. */
export function authorize(cedar: Cedar, request: Request): Reply {
  try {
    return cedar.statefulIsAuthorized(request)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const details = { help: null, code: null, url: null, severity: null } as const
    return { type: 'failure', errors: [{ message, ...details }], warnings: [] }
  }
}
