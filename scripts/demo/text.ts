// What the demo prints.
import type { Platform } from './platform.ts'

export const starting =
  'Starting PostgreSQL, an identity provider, a gateway and two servers.\nThe provider warns that its configuration is only for development.'
export const stopping = 'Stopping …'
export const stopped = 'Everything has stopped, and its data is deleted.'

export const usage = `usage: npm run demo                 start everything
       npm run demo -- call <production|staging|refund> --mcp <address> --issuer <address>`

export function waiting(tool: string, args: object): string {
  return `Ann's agent calls ${tool} ${JSON.stringify(args)}. If a policy asks for approval, this waits.`
}

export function instructions({ inbox, mcp, issuer, database, file }: Platform): string {
  const call = (name: string) => `npm run demo -- call ${name} --mcp ${mcp} --issuer ${issuer}`
  return `
  gateway            ${mcp}
  inbox              ${inbox}
  identity provider  ${issuer}
  PostgreSQL         ${database}
  configuration      ${file}

People (every password is accepted):
  ann    Ann Lee     engineer; her agent makes the calls
  ben    Ben Okafor  release manager
  cleo   Cleo Marin  release manager, finance

1. In a second terminal, let Ann's agent roll out to production. The call waits:
     ${call('production')}
2. Open ${inbox} and sign in as ben. Open the ask and approve it.
3. Open ${inbox} in a private window, sign in as cleo, and approve it too.
   The call in the second terminal returns: it ran once, after two approvals.

Then try:
     ${call('staging')}
       needs no approval
     ${call('refund')}
       needs cleo, with a reason

Ctrl+C stops everything.
`
}
