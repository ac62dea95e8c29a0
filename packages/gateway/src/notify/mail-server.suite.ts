// A real mail server on 127.0.0.1 until the test ends.

import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { type MailServer, startMailServer } from '../../../../test-kit/mail-server.ts'

export async function aMailServer(options?: Parameters<typeof startMailServer>[0]): Promise<MailServer> {
  const server = await startMailServer(options)
  closeAfterTest(server.close)
  return server
}
