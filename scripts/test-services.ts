// Runs the tests with services as the gate does: a file that fails is run once more, alone.
//
// If it then passes, it is reported as flaky and does not fail the run. More than three such files do. An error outside
// the tests (an unhandled rejection, a worker that crashed) is never forgiven.
import { relative } from 'node:path'
import { startVitest } from 'vitest/node'

const mostRepeated = 3

process.exitCode = (await main()) ? 0 : 1

async function main(): Promise<boolean> {
  const { failedFiles, ok } = await runTests(process.argv.slice(2))
  if (!ok) return false
  if (failedFiles.length > mostRepeated) {
    console.log(`test-services: ${failedFiles.length} files failed; at most ${mostRepeated} are run again.`)
    return false
  }
  let passed = true
  for (const file of failedFiles) {
    console.log(`test-services: running ${file} once more, alone`)
    const again = await runTests([file])
    const isFlaky = again.ok && again.failedFiles.length === 0
    console.log(isFlaky ? `flaky: ${file} failed, then passed alone` : `test-services: ${file} failed twice`)
    passed &&= isFlaky
  }
  return passed
}

interface Outcome {
  readonly failedFiles: readonly string[]
  /** Tests ran, and every error belongs to a file. */
  readonly ok: boolean
}

/** @param files without any, all tests with services run. */
async function runTests(files: string[]): Promise<Outcome> {
  const vitest = await startVitest('test', files, { watch: false, mode: 'services' })
  await vitest.close()
  const modules = vitest.state.getTestModules()
  const failedFiles = modules.filter((module) => !module.ok()).map((module) => relative(process.cwd(), module.moduleId))
  return { failedFiles, ok: modules.length > 0 && vitest.state.getUnhandledErrors().length === 0 }
}
