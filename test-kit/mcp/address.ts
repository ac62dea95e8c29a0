// Where an MCP server is reached: an HTTP address, or a program on standard input and output.

export type Address =
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>>; readonly fetch?: typeof fetch }
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env?: Readonly<Record<string, string>>
    }
