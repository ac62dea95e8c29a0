// The public surface of the gateway. test/surface.test.ts freezes this list.

// run it
export type { Identified, Identify, Page, PageContent, Refusal, RefusalReason } from './http/server.ts'
export type { Known } from './http/host.ts'
export { type Gateway, type GatewayOptions, type Reloadable, serveStdio, startGateway } from './program/gateway.ts'
export { linearPatterns } from './call/screen/patterns.ts'
export type { ServerConfig } from './servers/open-upstream.ts'

// let people answer
export { type InboxApp, type InboxOptions, inboxApp } from './inbox/inbox-app.ts'
export { type Fetch, respondWith } from './inbox/serve-node.ts'
export { WebFiles } from './inbox/web-files.ts'
export { SecretPages, type SecretPagesOptions } from './inbox/secrets/secret-pages.ts'

// watch it
export type { GatewayCounts as Standing } from './telemetry/metrics.ts'
export type { AskEnd, Telemetry as Watch } from './call/telemetry-port.ts'
