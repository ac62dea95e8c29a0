// What a card shows above its answers: the action, rendered from its exact bytes, and, kept apart, the asker's claim.

import type { AskView, CallView, DeclaredView, LinkView, QuestionView } from '@assent/core'
import { Fragment, type ReactNode } from 'react'
import { cardText } from '../text/card.ts'
import type { Part } from '../text/parts.ts'
import { Arguments, AskedIn, AskedInOneOf } from './call-view.tsx'
import { Consequences } from './consequences.tsx'
import { Parts } from './parts.tsx'
import { HiddenProvider, nothingHidden } from './shown-text.tsx'
import { callerText } from './who-asks.ts'

/** The title, what a yes leads to, and the subject of the question. The row shows the same title, but may cut a long one. */
export function QuestionDetails({ ask }: { readonly ask: AskView }) {
  const { question, headline, asker } = ask
  const isOpen = ask.state.kind === 'open'
  const titled = (subject: ReactNode, title = headline) => (
    <>
      <h2 className="card-title">{title}</h2>
      <Consequences ask={ask} />
      {subject}
    </>
  )
  switch (question.kind) {
    case 'approval':
      return titled(
        <Action {...question.action} isOpen={isOpen} isTitle={question.policies !== undefined} />,
        question.title,
      )
    case 'url':
      if (question.secret !== undefined)
        return titled(<p className="card-subtitle">{cardText.secret.explain(asker.server)}</p>)
      return titled(<LinkDetails link={question.link} />)
    case 'form':
      if (question.declared !== undefined)
        return titled(
          <Declared declared={question.declared} call={question.call} server={asker.server} isOpen={isOpen} />,
          question.declared.title,
        )
      return titled(isAboutCall(question) && <Call call={question.call} server={asker.server} />)
  }
}

function Subject({ of, children }: { readonly of: readonly Part[]; readonly children?: ReactNode }) {
  return (
    <>
      <p className="card-subtitle">
        <Parts of={of} />
      </p>
      {children}
    </>
  )
}

type ActionProps = (QuestionView & { kind: 'approval' })['action'] & {
  readonly isOpen: boolean
  /** Whether the title of the card names the tool and the server. */
  readonly isTitle: boolean
}

function Action({ kind, tool, server, arguments: given, isOpen, isTitle }: ActionProps) {
  const { defines, runs, given: withArguments } = cardText.action
  const hasArguments = given.length > 0
  const subject = isTitle ? withArguments(hasArguments) : runs(tool, server, hasArguments, isOpen)
  return (
    <Subject of={kind === 'definition' ? defines(tool, server) : subject}>
      <Arguments given={given} />
    </Subject>
  )
}

interface DeclaredProps {
  readonly declared: DeclaredView
  readonly call: CallView | undefined
  readonly server: string
  readonly isOpen: boolean
}

/** The action comes from a server that uses our SDK, which compares its digest with what it runs. */
function Declared({ declared, call, server, isOpen }: DeclaredProps) {
  const { tool, arguments: given } = declared
  const fromCall = declared.isCall !== true && containsCall(declared, call) ? (call?.arguments ?? []) : []
  return (
    <Subject of={cardText.action.runs(tool, server, given.length > 0, isOpen)}>
      <Arguments given={given} />
      <p className="declared-by">
        {cardText.action.declaredBy(server, given.length > 0)}{' '}
        {fromCall.length > 0 && cardText.action.fromCall(fromCall.map(({ name }) => name))}
      </p>
    </Subject>
  )
}

/** Whether the declared action shows everything that the call would show. */
function containsCall({ tool, arguments: given }: DeclaredView, call: CallView | undefined): boolean {
  if (call?.kind !== 'tool' || call.name !== tool || call.arguments === undefined) return false
  return call.arguments.every((one) => given.some(({ name, value }) => name === one.name && value === one.value))
}

/** Assent knows the call. What it does once approved is the server's claim, which is shown below. */
function Call({ call, server }: { readonly call: CallView | undefined; readonly server: string }) {
  if (call === undefined) return null
  const { arguments: given } = call
  return (
    <Subject of={cardText.action.calls(call, server)}>
      {given === undefined ? <p>{cardText.action.tooLarge}</p> : <Arguments given={given} />}
    </Subject>
  )
}

function LinkDetails({ link }: { readonly link: LinkView }) {
  if (!link.ok) {
    return (
      <>
        <p className="address blocked-address">{link.address}</p>
        <p className="warning" data-level="danger">
          {cardText.link.danger}
          {link.reason} {cardText.link.cannotApprove}
        </p>
      </>
    )
  }
  const { unicode, ascii, highlight } = link.host
  const before = unicode.slice(0, unicode.length - highlight.length)
  return (
    <>
      <p className="host" title={ascii}>
        {before}
        <strong>{highlight}</strong>
      </p>
      <p className="address">{link.url}</p>
      {link.warnings.map(({ code, level, text }) => (
        <p key={code + text} className="warning" data-level={level}>
          {level === 'danger' ? cardText.link.danger : cardText.link.note}
          {text}
        </p>
      ))}
      <p className="card-subtitle">{cardText.link.explain}</p>
    </>
  )
}

/**
 * The call, unless the card already shows it as the subject. A call of Assent's own tools is nothing but its question, and
 * is in the details. An answer does not approve this call, so it can be given before all of its arguments are shown.
 */
export function CallContext({ ask: { question, asker } }: { readonly ask: AskView }) {
  if (question.kind === 'approval' || asker.isAgent === true) return null
  if (question.oneOf === undefined && (question.call === undefined || isCallShown(question))) return null
  return (
    <HiddenProvider value={nothingHidden}>
      {question.oneOf === undefined && question.call !== undefined ? (
        <AskedIn call={question.call} server={asker.server} />
      ) : (
        <AskedInOneOf calls={question.oneOf ?? []} server={asker.server} />
      )}
    </HiddenProvider>
  )
}

function isCallShown(question: QuestionView): boolean {
  if (isAboutCall(question)) return true
  return question.kind === 'form' && question.declared !== undefined && containsCall(question.declared, question.call)
}

/** A form that is only accepted or declined: our decision form, or one without fields. A declared action may differ. */
export function isAboutCall(question: QuestionView): boolean {
  if (question.kind !== 'form') return false
  if (question.declared !== undefined) return question.declared.isCall === true
  return question.decision !== undefined || question.fields.length === 0
}

/** Who asks, and for whom; from the configuration and the identity provider, not from the server. */
export function Provenance({ ask: { asker, caller, onBehalfOf, question } }: { readonly ask: AskView }) {
  const { server, tool, origin } = asker
  const isToolShown = question.kind === 'approval' || question.call !== undefined || question.oneOf !== undefined
  // The first line of the card names the person and the program whose call a policy stopped.
  const isCallerShown = question.kind === 'approval' && question.policies !== undefined
  const parts = cardText.provenance({
    server,
    tool: isToolShown ? undefined : tool,
    origin,
    program: isCallerShown ? '' : callerText(caller ?? {}),
    person: onBehalfOf.isYou || isCallerShown ? undefined : onBehalfOf.name,
  })
  if (parts.length === 0) return null
  return (
    <p className="provenance">
      {parts.map((one, at) => (
        <Fragment key={at}>
          {at > 0 && ' · '}
          <Parts of={one} />
        </Fragment>
      ))}
    </p>
  )
}
