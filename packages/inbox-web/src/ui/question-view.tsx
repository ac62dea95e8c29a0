// What a card shows above its answers: the action, rendered from its exact bytes, and, kept apart, the asker's claim.

import type { AskView, CallView, DeclaredView, LinkView, QuestionView } from '@assent/core'
import { useId, useState } from 'react'
import { Arguments, AskedIn, AskedInOneOf, EndMarker } from './call-view.tsx'
import { Findings } from './findings.tsx'
import { Markdown } from './markdown.tsx'
import { HiddenProvider, nothingHidden, ShownText } from './shown-text.tsx'
import { callerText } from './who-asks.ts'

export function QuestionDetails({ ask: { question, headline, asker } }: { readonly ask: AskView }) {
  switch (question.kind) {
    case 'approval':
      return <ActionDetails title={question.title} action={question.action} />
    case 'url':
      return question.secret === undefined ? (
        <LinkDetails link={question.link} />
      ) : (
        <SecretDetails server={asker.server} />
      )
    case 'form':
      if (question.declared !== undefined) return <DeclaredDetails declared={question.declared} server={asker.server} />
      if (question.decision !== undefined) {
        const title = `Let ${question.call?.name ?? asker.server} continue`
        return <ApprovalDetails title={title} call={question.call} server={asker.server} />
      }
      // Without fields the only answers are accept and decline, so the card is about the call and the headline is ours.
      return question.fields.length === 0 ? (
        <ApprovalDetails title={headline} call={question.call} server={asker.server} />
      ) : (
        <h2 className="card-title">{headline}</h2>
      )
  }
}

function ActionDetails({ title, action }: Pick<QuestionView & { kind: 'approval' }, 'title' | 'action'>) {
  return (
    <>
      <h2 className="card-title">{title}</h2>
      <p className="card-subtitle">
        runs <code>{action.tool}</code> on <code>{action.server}</code>
        {action.arguments.length === 0 ? ', without arguments' : ' with'}
      </p>
      <Arguments given={action.arguments} />
    </>
  )
}

/** The action comes from a server that uses our SDK, which compares its digest with what it runs. */
function DeclaredDetails({ declared, server }: { readonly declared: DeclaredView; readonly server: string }) {
  const { title, tool, arguments: given } = declared
  return (
    <>
      <h2 className="card-title">{title}</h2>
      <p className="card-subtitle">
        runs <code>{tool}</code> on <code>{server}</code>
        {given.length === 0 ? ', without arguments' : ' with'}
      </p>
      <Arguments given={given} />
      <p className="declared-by">declared by {server}, bound to this approval</p>
    </>
  )
}

function SecretDetails({ server }: { readonly server: string }) {
  return (
    <>
      <h2 className="card-title">Hand a secret over to {server}</h2>
      <p className="card-subtitle">
        Encrypted in your browser for {server} alone: neither your agent nor Assent can read it. Hand over only what you
        would type into {server} itself.
      </p>
    </>
  )
}

/** Assent knows the call. What it does once approved is the server's claim, which is shown below. */
function ApprovalDetails({
  title,
  call,
  server,
}: {
  readonly title: string
  readonly call: CallView | undefined
  readonly server: string
}) {
  if (call === undefined) return <h2 className="card-title">{title}</h2>
  const { kind, arguments: given } = call
  return (
    <>
      <h2 className="card-title">{title}</h2>
      <p className="card-subtitle">
        The {kind === 'tool' ? 'call' : kind} <code>{call.name}</code> on <code>{server}</code> needs your approval.
        {given === undefined
          ? ' Its arguments are too large to show here.'
          : given.length > 0
            ? ' Arguments:'
            : kind === 'resource'
              ? ''
              : ' It has no arguments.'}
      </p>
      <Arguments given={given ?? []} />
    </>
  )
}

function LinkDetails({ link }: { readonly link: LinkView }) {
  if (!link.ok) {
    return (
      <>
        <h2 className="card-title">Open a page that cannot be opened safely</h2>
        <p className="warning" data-level="danger">
          {link.reason} You can decline or dismiss this.
        </p>
      </>
    )
  }
  const { unicode, ascii, highlight } = link.host
  const before = unicode.slice(0, unicode.length - highlight.length)
  return (
    <>
      <h2 className="card-title">Open a page in your browser</h2>
      <p className="host" title={ascii}>
        {before}
        <strong>{highlight}</strong>
      </p>
      <p className="address">{link.url}</p>
      {link.warnings.map(({ code, level, text }) => (
        <p key={code + text} className="warning" data-level={level}>
          {text}
        </p>
      ))}
      <p className="card-subtitle">
        Approving tells the agent that you agree. The page opens only when you then press the link that appears.
      </p>
    </>
  )
}

/**
 * The call, unless the question is about the call itself: then it is already shown as the subject. A call of Assent's own
 * tools is nothing but its question, and is in the details. An answer does not approve this call, so it can be given
 * before all of its arguments are shown.
 */
export function CallContext({ ask: { question, asker } }: { readonly ask: AskView }) {
  if (question.kind === 'approval' || asker.isAgent === true) return null
  if (question.oneOf === undefined && (question.call === undefined || isAboutCall(question))) return null
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

/** A form that is only accepted or declined: our decision form, or one without fields. A declared action may differ. */
export function isAboutCall(question: QuestionView): boolean {
  if (question.kind !== 'form') return false
  if (question.declared !== undefined) return question.declared.isCall === true
  return question.decision !== undefined || question.fields.length === 0
}

/** Who asks, and for whom; from the configuration and the identity provider, not from the server. */
export function Provenance({ ask: { asker, caller, onBehalfOf } }: { readonly ask: AskView }) {
  const program = callerText(caller ?? {})
  return (
    <p className="provenance">
      <span>
        asked by <strong>{asker.server}</strong>
        {asker.tool !== undefined && (
          <>
            {' '}
            · <span className="tool-name">{asker.tool}</span>
          </>
        )}
        {asker.origin !== undefined && ` (${asker.origin})`}
      </span>
      <span>
        {program !== '' && `called by ${program} `}
        for <strong>{onBehalfOf.isYou ? 'you' : onBehalfOf.name}</strong>
      </span>
    </p>
  )
}

/** What Assent checked itself, shown apart from what the asker wrote. */
export function CheckedFacts({ text }: { readonly text: string }) {
  const label = useId()
  return (
    <section className="checked" aria-labelledby={label}>
      <h3 id={label}>Checked by Assent</h3>
      <ShownText text={text}>{(shown) => <Findings text={shown} />}</ShownText>
    </section>
  )
}

export function Claim({
  server,
  text,
  about,
}: {
  readonly server: string
  readonly text: string
  readonly about: string
}) {
  const label = useId()
  return (
    <section className="claim" aria-labelledby={label}>
      <h3 id={label}>
        {server} says{about} <span>not checked by Assent</span>
      </h3>
      <ShownText text={text}>{(shown) => <Markdown text={shown} />}</ShownText>
      <EndMarker />
    </section>
  )
}

/** What it affects, whether it can be undone, the approvals so far, and the exact bytes on request. */
export function Facts({ ask }: { readonly ask: AskView }) {
  const [isOpen, setOpen] = useState(false)
  const { question, quorum, asker } = ask
  const { json, digest } = bytesOf(question)
  // Where the message is shown, it says so itself.
  const isDeclaredDestructive =
    question.kind === 'form' && question.declared !== undefined && question.isDestructive === true
  const details = useId()
  return (
    <>
      <ul className="facts">
        {asker.undo === 'impossible' && <li data-weight="strong">⚠ cannot be undone</li>}
        {asker.undo !== 'impossible' && isDeclaredDestructive && (
          <li data-weight="strong">⚠ cannot be undone, says {asker.server}</li>
        )}
        {asker.undo === 'possible' && <li>can be undone</li>}
        {asker.touches !== undefined && <li>touches {asker.touches}</li>}
        {quorum !== undefined && (
          <li data-weight="strong">
            {quorum.approvals} of {quorum.approvalsNeeded} approvals
          </li>
        )}
        {json !== undefined && (
          <li>
            <button
              type="button"
              className="link-button"
              aria-expanded={isOpen}
              aria-controls={details}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen
                ? 'hide details'
                : `details (JSON${digest === undefined ? '' : `, digest ${shortDigest(digest)}`})`}
            </button>
          </li>
        )}
      </ul>
      {quorum !== undefined && quorum.votes.length > 0 && (
        <ul className="votes">
          {quorum.votes.map(({ by, action, comment }) => (
            <li key={by.name}>
              {by.isYou ? 'You' : by.name} {action === 'accept' ? 'approved' : 'declined'}
              {comment !== undefined && `: ${comment}`}
            </li>
          ))}
        </ul>
      )}
      {isOpen && json !== undefined && (
        <div id={details} className="details">
          <pre>{json}</pre>
          {digest !== undefined && (
            <p>
              digest <code>{digest}</code>
            </p>
          )}
        </div>
      )}
    </>
  )
}

function bytesOf(question: QuestionView): { readonly json?: string | undefined; readonly digest?: string } {
  if (question.kind === 'approval') return question
  if (question.kind === 'form' && question.declared !== undefined) return question.declared
  return { json: question.call?.json }
}

function shortDigest(digest: string): string {
  return `${digest.replace(/^.*:/, '').slice(0, 4)}…`
}
