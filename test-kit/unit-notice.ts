// Prints at the end of `npm test` which tests it left out.
export function teardown(): void {
  process.stdout.write(
    'Skipped: tests of whole programs, and tests that need PostgreSQL, NATS or other programs.\n' +
      'They run with `npm run services start` and `npm run test:services`.\n',
  )
}
