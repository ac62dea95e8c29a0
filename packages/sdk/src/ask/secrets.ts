// Where a person hands over a password or a key: a page of ours, never a form in somebody's client.
//
// The sdk opens the page and waits for the value. It never puts the value into a journal: what travels is the name under
// which the page keeps it.

export interface Secrets {
  /** Makes a page for one secret, for one person, until a moment. */
  open(request: SecretRequest): Promise<{ readonly id: string; readonly url: string }>
  /** Resolves when the person has handed it over; rejects when they will not, or no longer can. */
  value(id: string, options: { readonly principal: string; readonly signal?: AbortSignal }): Promise<string>
}

export interface SecretRequest {
  readonly prompt: string
  readonly principal: string
  readonly expiresAtMs: number
}
