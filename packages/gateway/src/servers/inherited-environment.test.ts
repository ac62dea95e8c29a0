import { expect, test } from 'vitest'
import { inherited } from './inherited-environment.ts'

test('[START-7] a process inherits the network settings, and none of the gateway’s secrets', () => {
  const passed = {
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy:3128',
    no_proxy: 'localhost',
    NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
    npm_config_registry: 'https://packages.example.test/',
    npm_config_cafile: '/etc/ca.pem',
  }
  const withheld = {
    ASSENT_KEYS: 'secret',
    PGPASSWORD: 'secret',
    'npm_config_//packages.example.test/:_authToken': 'secret',
    npm_config__auth: 'secret',
  }

  expect(inherited({ ...passed, ...withheld })).toEqual(passed)
})
