import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../../../test-kit/remove-folder.ts'
import { inboxFile, SharedInbox } from './shared-inbox.ts'

/** An inbox that reports what uses it: `use` is what an opened one does with the store. */
function inboxInScratchFolder(use: (closing: AbortSignal) => void) {
  const home = mkdtempSync(join(tmpdir(), 'assent-shared-'))
  onTestFinished(() => removeFolder(home))
  return new SharedInbox({
    listen: { host: '127.0.0.1', port: 0 },
    file: inboxFile(home),
    listenerKeys: [new Uint8Array(32).fill(1)],
    open: async (_origin, closing) => {
      // As long as reading the files of the page takes.
      await sleep(20)
      use(closing)
      return { respond: async (_request, response) => void response.end(), openPages: 0 }
    },
    onStranger: async () => undefined,
    onError: (error) => {
      throw error
    },
  })
}

test.each([0, 2, 5, 10, 15, 25, 40])(
  '[ALONE-13] an inbox closed %i ms after it began uses nothing afterwards',
  async (afterMs) => {
    const uses: AbortSignal[] = []
    let isClosed = false
    let usedAfterwards = 0
    const inbox = inboxInScratchFolder((closing) => {
      uses.push(closing)
      if (isClosed) usedAfterwards++
    })
    const began = inbox.begin()
    await sleep(afterMs)

    await inbox.close()
    isClosed = true
    await began
    await sleep(60)

    expect(usedAfterwards).toBe(0)
    expect(uses.every(({ aborted }) => aborted)).toBe(true)
    expect(inbox.isServedHere).toBe(false)
  },
)
