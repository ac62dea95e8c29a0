// The Node options of deploy/, so that the bench measures what people run.

import { readFileSync } from 'node:fs'

const unit = new URL('../../deploy/assent.service', import.meta.url)

export function deployedNodeOptions(): string[] {
  const [, options] = /^Environment=NODE_OPTIONS=(\S+)$/m.exec(readFileSync(unit, 'utf8')) ?? []
  if (options === undefined) throw new Error('deploy/assent.service sets no NODE_OPTIONS.')
  return [options]
}
