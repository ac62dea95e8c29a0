// `@assent/sdk/http`: serves clients of every generation over HTTP. Needs `@modelcontextprotocol/server` (SDK 2.x).
// Separate from the package's index, which depends on no MCP SDK.

export { type HttpHandler, type HttpHandlerOptions, httpHandler } from './http/http-handler.ts'
