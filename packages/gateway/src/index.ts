// The public surface of the gateway. test/surface.test.ts freezes this list.

// run it
export type { Identified, Identify, Page, PageContent, Refusal, RefusalReason } from './door/door.ts'
export type { Known } from './door/host.ts'
export { type Gateway, type GatewayOptions, type Reloadable, serveStdio, startGateway } from './gateway.ts'
export { linearPatterns } from './relay/patterns.ts'
export type { ServerConfig } from './upstream/open-upstream.ts'

// let people answer
export { type InboxApp, type InboxOptions, inboxApp } from './inbox/inbox-app.ts'
export { type Fetch, respondWith } from './inbox/serve-node.ts'
export { WebFiles } from './inbox/web-files.ts'
export { SecretPages, type SecretPagesOptions } from './secrets/secret-pages.ts'

// watch it
export type { Standing } from './watch/figures.ts'
export type { AskEnd, Watch } from './watch/watch.ts'
