// How the inbox signs people in with an OIDC issuer.

import type { IdentitySettings } from '../config/identity-settings.ts'
import type { IssuerKeys } from '../http/identity/issuer-keys.ts'

export interface LoginSettings {
  readonly identity: IdentitySettings
  readonly clientId: string
  /** Without one the inbox is a public client. */
  readonly clientSecret?: string
  /** In addition to `openid`. */
  readonly scopes: readonly string[]
  /** The issuer's keys, if they are shared with the endpoint. */
  readonly keys?: IssuerKeys
}
