// What will happen, drawn by the gateway from the real bytes; and the asker's own words, set apart as a claim.

import type { AskView, LinkView, QuestionView } from '@assent/core'
import { useId, useState } from 'react'

interface DrawnProps {
  readonly question: QuestionView
  readonly headline: string
  readonly server: string
}

export function Drawn({ question, headline, server }: DrawnProps) {
  switch (question.kind) {
    case 'approval':
      return <DrawnAction title={question.title} action={question.action} />
    case 'url':
      return question.secret === undefined ? <DrawnLink link={question.link} /> : <DrawnSecret server={server} />
    case 'form':
      return <h2 className="card-title">{headline}</h2>
  }
}

function DrawnAction({ title, action }: Pick<QuestionView & { kind: 'approval' }, 'title' | 'action'>) {
  return (
    <>
      <h2 className="card-title">{title}</h2>
      <p className="card-subtitle">
        runs <code>{action.tool}</code> on <code>{action.server}</code>
        {action.arguments.length === 0 ? ', without arguments' : ' with'}
      </p>
      {action.arguments.length > 0 && (
        <dl className="arguments">
          {action.arguments.map(({ name, value, shape }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{shape === 'json' ? <pre>{value}</pre> : value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

function DrawnSecret({ server }: { readonly server: string }) {
  return (
    <>
      <h2 className="card-title">Hand a secret over to {server}</h2>
      <p className="card-subtitle">
        It is encrypted in your browser and only {server} can read it: not your agent, not its model, and not Assent.
        Hand over only what you would type into {server} itself.
      </p>
    </>
  )
}

function DrawnLink({ link }: { readonly link: LinkView }) {
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
        Approving tells the agent that you agree. The page opens only when you press the link that appears then.
      </p>
    </>
  )
}

/** Who asks, and for whom, from our configuration and identity. */
export function Provenance({ ask: { asker, onBehalfOf } }: { readonly ask: AskView }) {
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
        for <strong>{onBehalfOf.isYou ? 'you' : onBehalfOf.name}</strong>
      </span>
    </p>
  )
}

export function Claim({ server, text }: { readonly server: string; readonly text: string }) {
  const label = useId()
  return (
    <section className="claim" aria-labelledby={label}>
      <h3 id={label}>
        {server} says <span>not checked by Assent</span>
      </h3>
      {/* Long claims scroll, so they must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable, or its end is out of reach */}
      <p tabIndex={0}>{text}</p>
    </section>
  )
}

/** What it touches, whether it can be undone, how many have agreed, and the bytes themselves one key away. */
export function Facts({ ask }: { readonly ask: AskView }) {
  const [isOpen, setOpen] = useState(false)
  const { question, quorum, asker } = ask
  const details = useId()
  return (
    <>
      <ul className="facts">
        {asker.undo === 'impossible' && <li data-weight="strong">⚠ cannot be undone</li>}
        {asker.undo === 'possible' && <li>can be undone</li>}
        {asker.touches !== undefined && <li>touches {asker.touches}</li>}
        {quorum !== undefined && (
          <li data-weight="strong">
            {quorum.approvals} of {quorum.approvalsNeeded} approvals
          </li>
        )}
        {question.kind === 'approval' && (
          <li>
            <button
              type="button"
              className="link-button"
              aria-expanded={isOpen}
              aria-controls={details}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'hide details' : `details (JSON, digest ${question.digest.replace(/^.*:/, '').slice(0, 4)}…)`}
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
      {isOpen && question.kind === 'approval' && (
        <div id={details} className="details">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable, or its end is out of reach */}
          <pre tabIndex={0}>{question.json}</pre>
          <p>
            digest <code>{question.digest}</code>
          </p>
        </div>
      )}
    </>
  )
}
