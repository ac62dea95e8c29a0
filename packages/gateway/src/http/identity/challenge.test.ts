import { describe, expect, test } from 'vitest'
import {
  metadataPage,
  metadataPaths,
  type Resource,
  requestInvalid,
  scopeMissing,
  tokenInvalid,
  tokenNeeded,
} from './challenge.ts'

const issuer = 'https://issuer.example.com'
const resource: Resource = { address: new URL('https://assent.example.com/mcp'), issuer, scopes: [] }
const scoped: Resource = { ...resource, scopes: ['mcp:use', 'other'] }
const metadata = 'resource_metadata="https://assent.example.com/.well-known/oauth-protected-resource/mcp"'

describe('the metadata', () => {
  test('[IDENT-3] the metadata names the resource, its issuer and where the token goes', () => {
    const { status, type, body } = metadataPage(resource)

    expect({ status, type }).toEqual({ status: 200, type: 'application/json' })
    expect(JSON.parse(body)).toEqual({
      resource: 'https://assent.example.com/mcp',
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    })
  })

  test('[IDENT-3] the metadata names the required scopes', () => {
    expect(JSON.parse(metadataPage(scoped).body)).toMatchObject({ scopes_supported: ['mcp:use', 'other'] })
  })

  test('[IDENT-3] the metadata is served at the root, and at the local and the public path of the endpoint', () => {
    const [root, local] = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']

    expect(metadataPaths(undefined)).toEqual([root, local])
    expect(metadataPaths(resource)).toEqual([root, local])
    const elsewhere = { ...resource, address: new URL('https://example.com/a/b') }
    expect(metadataPaths(elsewhere)).toEqual([root, local, `${root}/a/b`])
    expect(metadataPaths({ ...resource, address: new URL('https://example.com/') })).toEqual([root, local])
  })
})

describe('refusals', () => {
  test('[IDENT-2] without a token the challenge has the address of the metadata and no error', () => {
    expect(tokenNeeded(resource)).toEqual({
      status: 401,
      message: 'A bearer token is required.',
      headers: { 'www-authenticate': `Bearer ${metadata}` },
    })
  })

  test('[IDENT-2] for an endpoint at the root, the address of the metadata has no slash at its end', () => {
    const atRoot = { ...resource, address: new URL('https://assent.example.com/') }

    expect(tokenNeeded(atRoot).headers?.['www-authenticate']).toBe(
      'Bearer resource_metadata="https://assent.example.com/.well-known/oauth-protected-resource"',
    )
  })

  test('[IDENT-2] the challenge names the required scopes', () => {
    expect(tokenNeeded(scoped).headers?.['www-authenticate']).toBe(`Bearer scope="mcp:use other", ${metadata}`)
  })

  test('[IDENT-4] an invalid token gets 401 with the description', () => {
    expect(tokenInvalid(resource, 'It has expired.')).toEqual({
      status: 401,
      message: 'It has expired.',
      headers: {
        'www-authenticate': `Bearer error="invalid_token", error_description="It has expired.", ${metadata}`,
      },
    })
  })

  test('[IDENT-5] a token without the scopes gets 403 with all of them', () => {
    const message = 'The token needs the scope mcp:use other.'
    expect(scopeMissing(scoped)).toEqual({
      status: 403,
      message,
      headers: {
        'www-authenticate': `Bearer error="insufficient_scope", error_description="${message}", scope="mcp:use other", ${metadata}`,
      },
    })
  })

  test('[IDENT-4] an invalid request gets 400 with the description', () => {
    expect(requestInvalid(resource, 'Not in the URL.')).toEqual({
      status: 400,
      message: 'Not in the URL.',
      headers: {
        'www-authenticate': `Bearer error="invalid_request", error_description="Not in the URL.", ${metadata}`,
      },
    })
  })

  test('[IDENT-4] a description cannot add parameters to the challenge', () => {
    const { headers } = tokenInvalid(resource, 'a", scope="all" \\')

    expect(headers?.['www-authenticate']).toContain('error_description="a, scope=all ", ')
  })
})
