// Foreign host names: a page elsewhere points its own name at this machine (DNS rebinding) and requests every path.

import { randomBytes } from 'node:crypto'
import { rawRequest } from './raw-http.ts'
import type { Attack } from './scene.ts'

export const foreignHost: Attack = {
  name: 'foreign host name',
  run: async ({ port, origin, person, isFull }, tally) => {
    const challenge = randomBytes(32).toString('base64url')
    const session = { 'assent-session': person.browser.session }
    const paths = [
      '/',
      '/api/sign-in',
      `/api/nonce?challenge=${challenge}`,
      `/api/listener?challenge=${challenge}`,
      '/api/asks',
      '/metrics',
      '/healthz',
      '/readyz',
      '/mcp',
    ]
    const foreign = [
      `rebind.example:${port}`,
      'rebind.example',
      `evil.localhost:${port}`,
      `localhost.rebind.example:${port}`,
      `127.0.0.1.rebind.example:${port}`,
      `localhost.:${port}`,
      `0.0.0.0:${port}`,
      `127.0.0.2:${port}`,
      `[::ffff:7f00:1]:${port}`,
    ]
    const hosts = isFull ? foreign : foreign.slice(0, 3)
    for (const path of paths) {
      for (const host of hosts) {
        const reply = await rawRequest({ port, path, headers: { host, ...session } })
        tally.refused(`${path} under ${host}`, reply)
      }
      const headers = { host: new URL(origin).host, ...session }
      // The list needs a signature, and the endpoint a message; both are reached.
      const expected = path === '/api/asks' ? 401 : path === '/mcp' ? 400 : 200
      const { status } = await rawRequest({ port, path, headers })
      tally.control(`${path} under its own name gets ${status}`, status === expected)
      const page = { ...headers, origin: 'https://rebind.example', 'sec-fetch-site': 'cross-site' }
      tally.refused(`${path} from a page elsewhere`, await rawRequest({ port, path, headers: page }))
    }
  },
}
