// A text of an asker, with a safe part of Markdown: bold, italics, code, lists, tables, quotes and headings.
//
// Links, images and HTML are shown as they were written. A block is drawn only if that shows every letter and digit of its
// source, in the same order; otherwise its source is shown. So no way of writing Markdown hides text from the reader.

import { marked, type Token, type Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { Diff, isDiff } from './diff.tsx'

export function Markdown({ text }: { readonly text: string }) {
  return <div className="markdown">{blocksOf(text).map((block, at) => withKey(drawBlock(block), at))}</div>
}

function blocksOf(text: string): readonly Token[] {
  return marked.lexer(text, { gfm: true }).filter(({ type }) => type !== 'space')
}

/** Text and marks of a drawn part. `said` is what a reader sees, for the comparison with the source. */
interface Drawn {
  readonly said: string
  readonly node: ReactNode
}

function drawBlock(token: Token): ReactNode {
  const drawn = blockOf(token)
  return drawn === undefined || wordsOf(drawn.said) !== wordsOf(token.raw) ? asWritten(token) : drawn.node
}

function asWritten({ raw }: Token): ReactNode {
  return <p className="as-written">{raw.replace(/\n+$/, '')}</p>
}

/** Undefined for a kind of block that is shown as it was written. */
function blockOf(token: Token): Drawn | undefined {
  switch (token.type) {
    case 'paragraph':
    case 'text': {
      const { said, node } = inlineOf(token)
      return { said, node: <p>{node}</p> }
    }
    case 'heading': {
      const { said, node } = inlineOf(token)
      return { said, node: <p className="md-heading">{node}</p> }
    }
    case 'code':
      return codeOf(token as Tokens.Code)
    case 'list':
      return listOf(token as Tokens.List)
    case 'table':
      return tableOf(token as Tokens.Table)
    case 'blockquote': {
      const parts = ((token as Tokens.Blockquote).tokens ?? []).filter(({ type }) => type !== 'space')
      return { said: parts.map(({ raw }) => raw).join(' '), node: <blockquote>{children(parts)}</blockquote> }
    }
    case 'hr':
      return { said: '', node: <hr /> }
    default:
      return undefined
  }
}

/** Blocks inside another block. Each of them is compared with its own source. */
function children(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, at) => withKey(drawBlock(token), at))
}

function codeOf({ text, lang = '' }: Tokens.Code): Drawn {
  const label = lang === '' ? null : <figcaption>{lang}</figcaption>
  const body = isDiff(lang, text) ? <Diff text={text} /> : <pre>{text}</pre>
  return {
    said: `${lang}${text}`,
    node: (
      <figure className="code">
        {label}
        {body}
      </figure>
    ),
  }
}

function listOf({ ordered, items }: Tokens.List): Drawn {
  const said: string[] = []
  const rows = items.map((item, at) => {
    const number = ordered ? /^\s*(\d{1,9})/.exec(item.raw)?.[1] : undefined
    // A task is shown with its box as it was written.
    const box = item.task ? /\[[ xX]\]/.exec(item.raw)?.[0] : undefined
    const parts = item.tokens.filter(({ type }) => type !== 'space' && type !== 'checkbox')
    said.push(number ?? '', box ?? '', ...parts.map(({ raw }) => raw))
    return withKey(
      <li value={number === undefined ? undefined : Number(number)}>
        {box !== undefined && `${box} `}
        {children(parts)}
      </li>,
      at,
    )
  })
  return { said: said.join(' '), node: ordered ? <ol>{rows}</ol> : <ul>{rows}</ul> }
}

function tableOf({ header, rows }: Tokens.Table): Drawn {
  const all = [header, ...rows].map((cells) => cells.map((cell) => inlineOf(cell)))
  const [head = [], ...body] = all
  return {
    said: all.map((cells) => cells.map(({ said }) => said).join(' ')).join(' '),
    node: (
      <table>
        <thead>
          <tr>{head.map(({ node }, at) => withKey(<th>{node}</th>, at))}</tr>
        </thead>
        <tbody>
          {body.map((cells, row) => withKey(<tr>{cells.map(({ node }, at) => withKey(<td>{node}</td>, at))}</tr>, row))}
        </tbody>
      </table>
    ),
  }
}

function inlineOf(token: { readonly tokens?: Token[] | undefined; readonly text?: string }): Drawn {
  const parts = token.tokens === undefined ? [{ said: token.text ?? '', node: token.text }] : token.tokens.map(inline)
  return {
    said: parts.map(({ said }) => said).join(''),
    node: parts.map(({ node }, at) => withKey(node, at)),
  }
}

function inline(token: Token): Drawn {
  switch (token.type) {
    case 'strong': {
      const { said, node } = inlineOf(token)
      return { said, node: <strong>{node}</strong> }
    }
    case 'em': {
      const { said, node } = inlineOf(token)
      return { said, node: <em>{node}</em> }
    }
    case 'codespan':
      return { said: token.text as string, node: <code>{token.text as string}</code> }
    case 'br':
      return { said: '', node: <br /> }
    case 'escape':
      return { said: token.text as string, node: token.text as string }
    default:
      // Plain text, and everything that is not drawn: links, images, HTML.
      return { said: token.raw, node: token.raw }
  }
}

function wordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '')
}

function withKey(node: ReactNode, at: number): ReactNode {
  return <Fragment key={at}>{node}</Fragment>
}
