import { afterEach, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import { roundsOf } from '../rounds.suite.ts'
import { gatewaySecrets } from './gateway-secrets.ts'

afterEach(() => vi.unstubAllEnvs())

const token = 'a token of this server, long enough'

test('[SECRET-11] without a gateway no person is asked for a secret, and the error has the reason', async () => {
  const secrets = gatewaySecrets()
  const play = roundsOf(createAssent({ secrets }).interactive, async (_, { ask }) => ask.secret('The password?'))
  const round = await play()
  expect(round).toMatchObject({ code: 'not_supported', questions: {} })
  expect(round.text).toContain('There is no page for entering a secret.')
  await expect(secrets.open({ prompt: 'x', principal: 'ann', expiresAtMs: 0 })).rejects.toMatchObject({
    code: 'not_supported',
  })
  await expect(secrets.value('x', { principal: 'ann' })).rejects.toMatchObject({ code: 'not_supported' })
})

test('[SECRET-11] an incomplete configuration is an error at the start', () => {
  for (const options of [
    { url: 'http://127.0.0.1:1' },
    { token },
    { url: 'nowhere', token },
    { key: new Uint8Array(31) },
  ])
    expect(() => gatewaySecrets(options)).toThrow(expect.objectContaining({ code: 'misconfigured' }))
  vi.stubEnv('ASSENT_SECRETS_KEY', 'short')
  expect(() => gatewaySecrets()).toThrow(expect.objectContaining({ code: 'misconfigured' }))
})

test('[SECRET-11] [SECRET-12] the environment is read; if the gateway cannot be reached no person is asked', async () => {
  vi.stubEnv('ASSENT_SECRETS_URL', 'http://127.0.0.1:1')
  vi.stubEnv('ASSENT_SECRETS_TOKEN', token)
  const secrets = gatewaySecrets()
  expect(secrets.problem).toBeUndefined()
  const play = roundsOf(createAssent({ secrets }).interactive, async (_, { ask }) => ask.secret('The password?'))
  const round = await play()
  expect(round).toMatchObject({ code: 'not_supported', questions: {} })
  expect(round.text).toContain('http://127.0.0.1:1 cannot be reached')
  expect(round.text).not.toContain(token)
})
