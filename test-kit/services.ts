// Whether tests may use PostgreSQL, NATS, browsers and other programs beside Node.
//
// `npm test` sets the variable (vitest.config.ts), and tests that need one of them are skipped.
export const hasServices: boolean = process.env.ASSENT_TEST_SERVICES !== 'none'
