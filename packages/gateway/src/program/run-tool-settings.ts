// Options of `assent run`.

export interface RunToolSettings {
  readonly tool?: string
  readonly args?: string
  readonly env: readonly string[]
}
