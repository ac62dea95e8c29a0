// What a server's process inherits of the gateway's environment: what it needs to start, not the gateway's own secrets.

const started = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER', 'SHELL', 'TERM']
/** How to reach the network. Programs read some of them in lower case. */
const network = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]
/** Of npm's settings, which may hold tokens, only where packages come from: `npx` starts many servers. */
const npm = ['registry', 'cafile', 'proxy', 'https_proxy', 'noproxy', 'cache']

const inheritedNames = [
  ...started,
  ...network,
  ...network.map((name) => name.toLowerCase()),
  ...npm.map((name) => `npm_config_${name}`),
]

export function inherited(variables: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const given = inheritedNames.flatMap((name) => {
    const value = variables[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(given)
}
