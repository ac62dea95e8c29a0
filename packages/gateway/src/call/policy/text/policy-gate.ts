// What agents and approvers read about calls that policies stop, and about changed definitions of tools.

import { type Action, oneLine } from '@assent/core'
import type { PolicyDecision } from '@assent/policy'
import { policyLimits } from '../../../limits.ts'
import { screenedUri } from '../../record/screened-uri.ts'

export const policyText = {
  notFollowed:
    'This needs an approval each time it is used, so subscriptions and completions are not available for it. Nothing ran: request it directly instead.',
  notUsable:
    'The approval of this call was already used, has expired, or is for another call. Nothing ran: call the tool again to ask for approval.',
  approvalNeededNow:
    'While this call waited for answers, the policies or the definition of its tool changed, and it needs an approval now. The call was stopped: call the tool again to ask for approval.',
  unreadable:
    'The call has no valid name or arguments, so no policy can decide about it. Nothing ran: correct the call.',
  otherSpelling:
    'The address of this resource can be written in a simpler way, so no policy can decide about it. Nothing ran: write it without "." and ".." segments, needless escapes and upper-case letters in the scheme, or use the address that the server lists.',
  notListed: (server: string) =>
    `${server} does not list a tool with this name, so no policy can decide. Nothing ran: list the tools again.`,
  notPinnable:
    'The definition of this tool is too large or not valid JSON, so no policy can decide. Nothing ran, and repeating the call does not help: report it to the author of the server.',
  noInbox: (isDefinitionChanged: boolean) =>
    `${isDefinitionChanged ? `${changed} ` : ''}This call needs an approval in the inbox, which is not configured for this server. Nothing ran: the operator of the gateway has to add inbox to its surfaces.`,
  tooLarge: 'The arguments are too large or too deep to be shown to an approver. Nothing ran: call the tool with less.',
  impossible: (problem: string) =>
    `This call needs approvals that cannot be given: ${problem} Nothing ran: the operator of the gateway has to change the policy.`,
  stillNeedsApproval: 'The call still needs its approval. Nothing ran.',
  notApproved: 'The call was not approved. Nothing ran.',
  declined: (name: string, comment: string) =>
    `${name} declined this call. Nothing ran.${comment === '' ? '' : ` ${comment}`}`,
  denied: deniedText,
  title: titleText,
  acceptTitle: (server: string, tool: string) =>
    oneLine(`Accept the changed definition of ${tool} on ${server}`, 'web', { maxChars: policyLimits.titleChars }),
}

const changed = 'The definition of this tool changed since it was accepted.'

/** On the approver's card, in messages and for the caller. The address of a resource can contain passwords and signatures. */
function titleText(server: string, { kind, tool }: Action, isDefinitionChanged: boolean): string {
  const note = isDefinitionChanged ? `. ${changed}` : ''
  const what =
    kind === 'prompt'
      ? `Use the prompt ${tool} of ${server}`
      : kind === 'resource'
        ? `Read ${screenedUri(tool)} of ${server}`
        : `Run ${tool} on ${server}`
  return oneLine(what, 'web', { maxChars: policyLimits.titleChars - note.length }) + note
}

const afterDeny = 'Nothing ran. Do not repeat the call; the person can ask the operator of the gateway.'

function deniedText({ because, policies }: PolicyDecision & { readonly effect: 'deny' }): string {
  const names = policies.map((name) => `"${name}"`).join(', ')
  if (because === 'not-permitted') return `No policy permits this call. ${afterDeny}`
  if (because === 'forbidden')
    return `${policies.length > 1 ? `The policies ${names} deny` : `The policy ${names} denies`} this call. ${afterDeny}`
  const which = names === '' ? 'The policies' : policies.length > 1 ? `The policies ${names}` : `The policy ${names}`
  return `${which} could not be evaluated for this call, so it is denied. ${afterDeny}`
}
