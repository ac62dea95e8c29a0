import { expect, test } from 'vitest'
import { askLink } from './ask-link.ts'

test('[ROUTE-8] a link leads to one ask in the inbox', () => {
  expect(askLink('https://inbox.example', 'ask_1')).toBe('https://inbox.example/asks/ask_1')
  expect(askLink(() => 'http://127.0.0.1:7421/', 'ask_1')).toBe('http://127.0.0.1:7421/asks/ask_1')
})

test('[ROUTE-8] there is no link while no process serves the inbox', () => {
  expect(askLink(undefined, 'ask_1')).toBeUndefined()
  expect(askLink(() => undefined, 'ask_1')).toBeUndefined()
})
