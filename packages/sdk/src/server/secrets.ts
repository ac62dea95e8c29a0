// Where a person enters a password or a key: an Assent page, never a form in their client.
//
// The sdk opens the page, shows its link to the person, and fetches the value when they have entered it. It never writes the value
// into a journal, only the id of the page.

export interface Secrets {
  /** The reason why no page can be opened, or undefined. Checked before a page is opened. */
  readonly problem?: string
  /** Opens a page for one secret of one person, with a deadline. */
  open(request: SecretRequest): Promise<{ readonly id: string; readonly url: string }>
  /** Resolves when the person has entered the secret; rejects when they refuse or the page has expired. */
  value(id: string, options: { readonly principal: string; readonly signal?: AbortSignal }): Promise<string>
  /** The call has ended or has stored the value: the page is no longer needed. */
  release?(id: string): Promise<void>
}

export interface SecretRequest {
  readonly prompt: string
  readonly principal: string
  readonly expiresAtMs: number
}
