// Which scenarios a run includes, and whether through the gateway.
import { REVISIONS, type Revision, requiredScenarios } from './suite.ts'

export interface Choice {
  /** All scenarios, including the suite's unscored ones. */
  readonly whole: boolean
  /** Without the gateway, to check the server and the client themselves. */
  readonly direct: boolean
  includes(scenario: string): boolean
}

export interface Score {
  readonly reached: number
  readonly wanted: number
}

/** One scenario for each feature that a relay most easily breaks. */
const QUICK = new Set([
  'server-stateless',
  'dns-rebinding-protection',
  'caching',
  'input-required-result-multiple-input-requests',
  'input-required-result-tampered-state',
  'server-initialize',
  'tools-call-with-logging',
  'elicitation-sep1330-enums',
  'elicitation-sep1034-client-defaults',
  'sep-2322-client-request-state',
  'http-custom-headers',
])

export function choose(options: { quick: boolean; direct: boolean; only?: string | undefined }): Choice {
  const { quick, direct, only } = options
  return {
    whole: !quick && only === undefined,
    direct,
    includes: (scenario) => (only === undefined ? !quick || QUICK.has(scenario) : scenario === only),
  }
}

export function serverScenarios(revision: Revision): Promise<readonly string[]> {
  return requiredScenarios(revision, 'server')
}

/** Without those about authorization: they check a client's own tokens, which a gateway never forwards. */
export async function clientScenarios(revision: Revision): Promise<readonly string[]> {
  return (await requiredScenarios(revision, 'client')).filter((name) => !name.startsWith('auth/'))
}

export async function isScenario(name: string): Promise<boolean> {
  const lists = REVISIONS.flatMap((revision) => [serverScenarios(revision), clientScenarios(revision)])
  return (await Promise.all(lists)).flat().includes(name)
}
