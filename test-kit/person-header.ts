// The header that names the caller, for gateways that trust it, as behind an authenticating proxy.

export const personHeader = 'x-person'
/** The header value for a request that is not authenticated. */
export const anonymous = 'anonymous'
