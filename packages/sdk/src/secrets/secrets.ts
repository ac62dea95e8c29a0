// Where a person hands over a password or a key: a page of ours, never a form in somebody's client.
//
// The sdk opens the page, puts its link to the person, and fetches the value when they have agreed. It never puts the value
// into a journal: what travels is the name of the page.

export interface Secrets {
  /** Why there can be no page, in words; nothing when there can. Asked before anything is opened. */
  readonly problem?: string
  /** Makes a page for one secret, for one person, until a moment. */
  open(request: SecretRequest): Promise<{ readonly id: string; readonly url: string }>
  /** Resolves when the person has handed it over; rejects when they will not, or no longer can. */
  value(id: string, options: { readonly principal: string; readonly signal?: AbortSignal }): Promise<string>
  /** The call that asked has ended, or has it for good: nobody needs the page any more. */
  release?(id: string): Promise<void>
}

export interface SecretRequest {
  readonly prompt: string
  readonly principal: string
  readonly expiresAtMs: number
}
