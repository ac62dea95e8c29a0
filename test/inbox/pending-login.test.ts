// Redirects that are no response to the pending login of a browser: they sign no person in, and do not end that login.
import { expect, test } from 'vitest'
import { me, startLogin, startLoginEnv } from './login-env.ts'

test.each<[string, (back: URL) => void]>([
  ['without a state', (back) => back.searchParams.delete('state')],
  ['with another state', (back) => back.searchParams.set('state', 'x'.repeat(43))],
  [
    'that another site made up',
    (back) => {
      back.search = '?x'
    },
  ],
])('[LOGIN-2] a callback %s is refused, and the pending login can still be finished', async (_what, change) => {
  const { browser, issuer } = await startLoginEnv()
  const ann = browser()
  const back = await ann.logIn(await startLogin(ann, '/asks/ask_1'), 'ann')
  const wrong = new URL(back)
  change(wrong)

  const { headers, status } = await ann.request(wrong)

  expect([status, headers.get('location')]).toEqual([303, '/sign-in?problem=stale&to=%2Fasks%2Fask_1'])
  expect(headers.getSetCookie()).toEqual([])
  expect([await me(ann), issuer.exchanges]).toMatchObject([{ status: 401 }, 0])
  expect((await ann.request(back)).headers.get('location')).toBe('/asks/ask_1')
  expect(await me(ann)).toMatchObject({ status: 200 })
})

test('[LOGIN-2] of two tabs that start a login, the later one is signed in', async () => {
  const { browser } = await startLoginEnv()
  const ann = browser()
  const [first, second] = [await startLogin(ann, '/history'), await startLogin(ann, '/asks/ask_1')]
  const [ofFirst, ofSecond] = [await ann.logIn(first, 'ann'), await ann.logIn(second, 'ann')]

  expect((await ann.request(ofFirst)).headers.get('location')).toContain('problem=stale')
  expect((await ann.request(ofSecond)).headers.get('location')).toBe('/asks/ask_1')
  expect(await me(ann)).toMatchObject({ status: 200, name: 'Ann Lee' })
})
