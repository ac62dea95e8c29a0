import { expect, test } from 'vitest'
import { isScreenedUri, screenedUri } from './screened-uri.ts'

const leftOut = '(secret, not recorded)'
const token = `ghp_${'a1B2'.repeat(9)}`

test.each([
  ['https://ann:hunter2@files.example/plan', `https://${leftOut}@files.example/plan`],
  ['https://hunter2@files.example/plan', `https://${leftOut}@files.example/plan`],
  ['postgres://ann:hun@ter2@db/x', `postgres://${leftOut}@db/x`],
  ['//ann:hunter2@db/x', `//${leftOut}@db/x`],
  ['notes://plan?page=2&password=hunter2#top', `notes://plan?page=2&password=${leftOut}#top`],
  ['notes://plan?api%5Fkey=hunter2;page=2', `notes://plan?api%5Fkey=${leftOut};page=2`],
  [`notes://plan?q=${token}`, `notes://plan?q=${leftOut}`],
  [`notes://plan?q=${encodeURIComponent(`use ${token}`)}`, `notes://plan?q=${leftOut}`],
  [`notes://plan?${token}`, `notes://plan?${leftOut}`],
  [`notes://plan#access_token=hunter2`, `notes://plan#access_token=${leftOut}`],
  [`notes://plan/${token}/x`, `notes://plan/${leftOut}/x`],
  [
    'https://store.example/x?X-Amz-Expires=60&X-Amz-Signature=ab12',
    `https://store.example/x?X-Amz-Expires=60&X-Amz-Signature=${leftOut}`,
  ],
  ['https://store.example/x?sv=2024&sig=ab%2F12', `https://store.example/x?sv=2024&sig=${leftOut}`],
  [`notes://plan/whsec_${'a1B2'.repeat(3)}/${'c3D4'.repeat(3)}`, leftOut],
  ['notes://plan?v=9f86d081884c7d659a2feaa0c55ad015', `notes://plan?v=${leftOut}`],
])('[RECORD-14] %s is recorded without its secret', (uri, recorded) => {
  expect(screenedUri(uri)).toBe(recorded)
  expect(isScreenedUri(screenedUri(uri))).toBe(true)
})

test.each([
  'notes://plan',
  'file:///home/ann/notes@work.md',
  'https://files.example/a/b?page=2&q=a%20long%20question%20about%20the%20plan#part-2',
  'notes://plan?id=8b6f1f6e-3c8c-4c59-9f2a-0a4d7d5f4e21',
  'notes://plan?q=100%&password=',
  'mailto:ann@example.com',
  '',
])('[RECORD-14] %s is recorded unchanged', (uri) => {
  expect(screenedUri(uri)).toBe(uri)
})
