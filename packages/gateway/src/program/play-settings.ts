// Options of `assent play`.

export interface PlaySettings {
  readonly port: string
  readonly env: readonly string[]
}
