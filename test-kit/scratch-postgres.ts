// A PostgreSQL server for one run of the tests. It never flushes to disk, which would take longer than many tests: no test
// depends on what this server keeps in a crash. Tests of crashes start servers of their own.
//
// It is used unless ASSENT_TEST_POSTGRES names another server, or PostgreSQL is only in a container.

import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { hasPrograms, makeHome, PostgresServer, serverPort } from './postgres-server.ts'

let stop: (() => Promise<void>) | undefined

export async function setup(): Promise<void> {
  if (process.env.ASSENT_TEST_POSTGRES !== undefined || !hasPrograms()) return
  const home = `${tmpdir()}/assent-scratch-${process.pid}`
  makeHome(home)
  const server = new PostgresServer(home, 'scratch', await serverPort())
  stop = async () => {
    await server.kill('with all its children')
    await rm(home, { recursive: true, force: true })
  }
  await server.init()
  server.configure({ waitsForStandby: false, isScratch: true })
  await server.start()
  process.env.ASSENT_TEST_POSTGRES = server.url
}

export async function teardown(): Promise<void> {
  if (stop === undefined) return
  // The gate runs the tests of a file again in the same process, with a server of its own.
  delete process.env.ASSENT_TEST_POSTGRES
  await stop()
  stop = undefined
}
