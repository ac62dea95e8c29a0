import { Policies } from '@assent/policy'

const text = `
@id("everything") permit (principal, action, resource);
@id("production deploys") @ask("2 of release") @exclude("requester")
permit (principal, action, resource == Tool::"deploy/rollout") when { context.args has env && context.args.env == "production" };
`
const policies = await Policies.open({
  cedarFiles: [{ file: 'deploys.cedar', text }],
  shortForm: [],
  groups: { release: ['group:release-managers'] },
  timeZone: 'UTC',
})
if (!(policies instanceof Policies)) throw new Error(JSON.stringify(policies))

const decide = (env: string) =>
  policies.decide({
    kind: 'tools',
    server: 'deploy',
    name: 'rollout',
    arguments: { env },
    person: { principal: 'ann', groups: ['engineers'], roles: [] },
    claims: {},
    time: { hour: 10, minute: 0, weekday: 2, date: '2026-11-17' },
  })
console.log(decide('test').effect) // allow
console.log(decide('production').effect) // ask
