// Which databases and programs tests may use. The modes of vitest.config.ts set the variables.

/** Whether tests may use PostgreSQL, NATS, browsers and other programs beside Node. In `npm test` they may not. */
export const hasServices: boolean = process.env.ASSENT_TEST_SERVICES !== 'none'

/** Whether tests of both engines also run with SQLite. In `npm run test:services` they do not: `npm test` has run them. */
export const hasSqlite: boolean = process.env.ASSENT_TEST_SQLITE !== 'none'
