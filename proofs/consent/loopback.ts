// Loopback attacks: other programs and pages on the same machine against a person who is signed in at the inbox.
//
// Each kind of attack has controls, which must succeed, and tries, which must fail. After each kind the target is still open,
// and the person is still signed in.

import type { Browser } from 'playwright-core'
import { aBrowser } from '../../test-kit/chromium.ts'
import { afterRestart, codeUsedAgain } from './loopback/codes.ts'
import { foreignHost } from './loopback/hosts.ts'
import { cookiesOnOtherPorts, linksInCards, rebound, reboundPages, requestsOfPages } from './loopback/pages.ts'
import { linkWithImpostor, otherAddress, standaloneWithImpostor } from './loopback/ports.ts'
import { changedOnTheWay, sentAgain } from './loopback/requests.ts'
import { type Attack, aLoopbackScene, type LoopbackScene } from './loopback/scene.ts'
import { otherKey, sessionAlone, streamWithoutSignature } from './loopback/sessions.ts'
import { openTab, pageOfImpostor } from './loopback/tabs.ts'
import { AttackTally } from './loopback/tally.ts'
import type { Section, SectionInput, SectionResult } from './section.ts'

const quickAttacks: readonly Attack[] = [
  sessionAlone,
  streamWithoutSignature,
  otherKey,
  sentAgain,
  changedOnTheWay,
  codeUsedAgain,
  foreignHost,
  otherAddress,
  linkWithImpostor,
]

/** Those that need a browser or many processes take too long for the quick form. */
function fullAttacks(browser: Browser): readonly Attack[] {
  return [
    ...quickAttacks,
    standaloneWithImpostor,
    afterRestart,
    ...[cookiesOnOtherPorts, requestsOfPages, reboundPages, linksInCards, openTab, pageOfImpostor].map((attack) =>
      attack(browser),
    ),
  ]
}

export const loopbackSection: Section = {
  name: 'loopback attacks',
  run,
  bugs: [
    {
      name: 'the token of a session in a cookie is enough',
      package: 'assent',
      file: 'dist/inbox/visitors.js',
      from: /(class ByKey[\s\S]*?async identify\(request\) \{)/,
      to: `$1
        const [, token = ''] = /assent-\\d+=([\\w-]{43})/.exec(request.headers.get('cookie') ?? '') ?? [];
        const known = await this.#sessionOf(token);
        if (known !== undefined) return { ok: true, token, session: known, request };`,
    },
    {
      name: 'a signed request counts more than once',
      package: 'assent',
      file: 'dist/inbox/nonces.js',
      from: 'nonce.used.has(requestId) ||',
      to: '',
    },
    {
      name: 'the body of a signed request is not compared',
      package: 'assent',
      file: 'dist/inbox/visitors.js',
      from: 'if (bodyDigest(bytes) !== digest)',
      to: 'if (false)',
    },
    {
      name: '`inbox link` takes any listener for the inbox',
      package: 'assent',
      file: 'dist/inbox/listener-proof.js',
      from: 'return isProved ?',
      to: 'return true ?',
    },
    {
      name: 'only one address of the port is bound',
      package: 'assent',
      file: 'dist/http/listen.js',
      from: 'await alsoAt(server, ipv6, own)',
      to: 'true',
    },
    {
      name: 'metrics and health checks answer to any host name',
      package: 'assent',
      file: 'dist/http/server.js',
      from: /const refusal = pageHostProblem\(request, rules\.known\);?/,
      to: 'const refusal = undefined;',
    },
  ],
}

async function run({ program, folder, share }: SectionInput): Promise<SectionResult> {
  const isFull = share === 1
  const scene = await aLoopbackScene(program, folder, isFull)
  let browser: Browser | undefined
  try {
    if (isFull) browser = await aBrowser([`--host-resolver-rules=MAP ${rebound} 127.0.0.1`])
    const attacks = browser === undefined ? quickAttacks : fullAttacks(browser)
    const tallies: AttackTally[] = []
    for (const attack of attacks) tallies.push(await attacked(scene, attack))
    const faults = tallies.flatMap((tally) => tally.faults)
    const status = await scene.person.answer(scene.target.id, { action: 'decline' }).catch(String)
    if (status !== 200) faults.push(`after all attacks the person's own answer got ${status}`)
    const runs = [...scene.server.runs.values()].reduce((sum, count) => sum + count, 0)
    if (runs > 0) faults.push(`the tool ran ${runs} times without an approval`)
    return {
      tried: tallies.reduce((sum, { tries }) => sum + tries, 0),
      faults,
      counts: {
        kinds: tallies.length,
        controls: tallies.reduce((sum, { controls }) => sum + controls, 0),
        ...Object.fromEntries(tallies.map(({ kind, tries }) => [kind, tries])),
      },
    }
  } finally {
    await scene.close()
    await browser?.close()
  }
}

async function attacked(scene: LoopbackScene, attack: Attack): Promise<AttackTally> {
  const tally = new AttackTally(attack.name, scene.target.marker)
  try {
    await attack.run(scene, tally)
    const { state } = await scene.person.read(scene.target.id)
    if (state.kind !== 'open') tally.succeeded(`the person's question is ${state.kind}: ${state.outcome}`)
  } catch (error) {
    tally.control(`it ended with ${error instanceof Error ? error.stack : error}`, false)
  }
  if (tally.tries === 0) tally.control('nothing was tried', false)
  return tally
}
