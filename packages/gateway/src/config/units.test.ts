import { describe, expect, test } from 'vitest'
import { configOf, mistakes, oneServer } from './read-config.suite.ts'

describe('units', () => {
  test('[PROG-2] a year is 365 days', () => {
    const { retention } = configOf(`${oneServer}\nretention: { record: 7y }`)
    expect(retention.record).toBe(7 * 365 * 86_400_000)
  })

  test.each([
    ['300ms', 300],
    ['30s', 30_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
  ])('[PROG-2] %s is a duration', (text, ms) => {
    const least = ms < 1_000 ? { setting: 'server_open_within', group: 'limits' } : { setting: 'wait', group: 'asks' }
    const config = configOf(`${oneServer}\n${least.group}: { ${least.setting}: ${text} }`)

    expect(least.group === 'asks' ? config.asks.wait : config.limits.server_open_within).toBe(ms)
  })

  test.each([
    ['10', /has no unit/],
    ['10 minutes', /Did you mean 10m\?/],
    ['10min', /Did you mean 10m\?/],
    ['1 hour', /Did you mean 1h\?/],
    ['10S', /Did you mean 10s\?/],
    ['1 year', /Did you mean 1y\?/],
    ['soon', /must be a duration/],
    ['-1s', /must be a duration/],
    ['100000d', /out of range/],
    ['999999999999d', /must be a duration|out of range/],
    ['0s', /out of range/],
  ])('[PROG-2] the wait %s is refused', (text, expected) => {
    expect(mistakes(`${oneServer}\nasks: { wait: ${text} }`)[0]).toMatch(expected)
  })

  test.each([
    ['8KiB', 8_192],
    ['4MiB', 4_194_304],
    ['1024B', 1_024],
  ])('[PROG-2] %s is a size', (text, bytes) => {
    expect(configOf(`${oneServer}\nlimits: { message_size: ${text} }`).limits.message_size).toBe(bytes)
  })

  test.each([
    ['8192', /has no unit/],
    ['8kb', /Did you mean 8KiB\?/],
    ['8 M', /Did you mean 8MiB\?/],
    ['1B', /out of range/],
  ])('[PROG-2] the size %s is refused', (text, expected) => {
    expect(mistakes(`${oneServer}\nlimits: { message_size: ${text} }`)[0]).toMatch(expected)
  })
})
