import { expect, test } from 'vitest'
import { policiesInForce } from './policies-in-force.ts'

const allow = '@id("all") permit(principal, action, resource);\n'

function opened(cedar: string) {
  const policies = {
    shortForm: [],
    cedarFiles: [{ file: 'own.cedar', text: `${allow}${cedar}` }],
    groups: {},
    timeZone: 'UTC',
  }
  const config = { policies } as unknown as Parameters<typeof policiesInForce>[0]
  return policiesInForce(config)
}

test.each([
  [
    'an attribute that does not exist',
    'forbid(principal, action, resource) when { resource.destuctive };',
    'destuctive',
  ],
  ['a value of another type', 'forbid(principal, action, resource) when { context.time.hour == "9" };', 'own.cedar:2'],
  ['an action that does not exist', 'forbid(principal, action == Action::"tools/cal", resource);', 'tools/cal'],
  ['a type that does not exist', 'forbid(principal in Groop::"x", action, resource);', 'Groop'],
])('[POLICY-15] the gateway does not start or reload with a Cedar policy that has %s', async (_, policy, text) => {
  await expect(opened(`@id("no") ${policy}`)).rejects.toThrow(text)
})

test('[POLICY-15] it starts with Cedar policies that fit the schema', async () => {
  expect(await opened('@id("no") forbid(principal, action, resource) when { resource.destructive };')).toBeDefined()
})
