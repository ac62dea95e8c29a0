// The public surface of the gateway. test/surface.test.ts freezes this list.

// run it
export { type Gateway, type GatewayOptions, serveStdio, startGateway } from './gateway.ts'
export type { ServerConfig } from './upstream/open-upstream.ts'
