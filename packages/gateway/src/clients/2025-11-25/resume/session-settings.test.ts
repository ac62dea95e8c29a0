import { expect, test } from 'vitest'
import { readSetting, settingIn, writeSetting } from './session-settings.ts'

const level = { method: 'logging/setLevel', params: { level: 'debug' } }
const subscribed = { method: 'resources/subscribe', params: { uri: 'file:///a' } }
const unsubscribed = { method: 'resources/unsubscribe', params: { uri: 'file:///a' } }

test('[FLEET-1] the settings of a session are its log level and each of its subscriptions', () => {
  expect(settingIn(level)).toEqual({ name: 'level', isTakenBack: false })
  expect(settingIn(subscribed)).toEqual({ name: 'watch file:///a', isTakenBack: false })
  expect(settingIn(unsubscribed)).toEqual({ name: 'watch file:///a', isTakenBack: true })
  expect(settingIn({ method: 'resources/subscribe' })).toEqual({ name: 'watch ', isTakenBack: false })
  for (const method of ['tools/call', 'initialize', 'logging/other']) expect(settingIn({ method })).toBeUndefined()
})

test('[FLEET-1] only a stored setting is sent again, without anything else of its request', () => {
  for (const one of [level, subscribed]) expect(readSetting(writeSetting({ ...one, id: 1 } as never))).toEqual(one)
  expect(readSetting(writeSetting({ method: 'logging/setLevel' }))).toEqual({ method: 'logging/setLevel', params: {} })

  const others = ['[]', '"text"', '{}', '{"method":1,"params":{}}', '{"method":"logging/setLevel"}']
  for (const text of [...others, '{"method":"tools/call","params":{"name":"wipe"}}'])
    expect(readSetting(text)).toBeUndefined()
})
