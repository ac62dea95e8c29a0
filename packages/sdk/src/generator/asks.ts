// The asks that a generator yields, each the plain handler's own ask put off until somebody drives it.
//
// The names are those that people know from prompts: select, password. What they ask is decided where every ask is
// described, and nowhere else.

import type { JsonObject, Options } from '@assent/core'
import type { Commented } from '../ask/ask.ts'
import type { NumberSettings, Suggests, TextSettings } from '../ask/describe.ts'
import type { AnswersOf, Asked } from '../ask/form-of.ts'
import type { Harmless, Plain } from '../ask/how.ts'
import type { Interaction } from '../interaction.ts'
import { type Perform, performOf, type Yielded, yielded } from './yielded.ts'

export interface YieldedAsk {
  text(question: string, settings?: Harmless<string> & TextSettings & Suggests<string>): Yielded<string>
  /** A password, key or token. It never travels in a form. */
  password(question: string, settings?: Plain): Yielded<string>
  /** False when the person says no. */
  confirm(question: string, settings?: Harmless<boolean> & Suggests<boolean>): Yielded<boolean>
  /** One of several. */
  select<const V extends string>(
    question: string,
    options: Options<V>,
    settings?: Harmless<NoInfer<V>> & Suggests<NoInfer<V>>,
  ): Yielded<V>
  /** Any number of several. */
  selectMany<const V extends string>(
    question: string,
    options: Options<V>,
    settings?: Harmless<readonly NoInfer<V>[]> &
      Suggests<readonly NoInfer<V>[]> & { readonly min?: number; readonly max?: number },
  ): Yielded<readonly V[]>
  number(question: string, settings?: Harmless<number> & NumberSettings & Suggests<number>): Yielded<number>
  /** A day, as `2026-07-28`. */
  date(question: string, settings?: Harmless<string> & Suggests<string>): Yielded<string>
  /** Several fields at once. */
  form<const A extends Asked>(question: string, asked: A, settings?: Harmless<AnswersOf<A>>): Yielded<AnswersOf<A>>
  /** Goes on when the person agreed to open the link. */
  url(question: string, link: string, settings?: Plain): Yielded<void>
  /** The name of a file: a path or an address, never its contents. */
  file(question: string, settings?: Harmless<string> & Suggests<string>): Yielded<string>
  /** Goes on only after a person approved exactly this. */
  approve(title: string, action: JsonObject, settings?: Plain & { readonly claim?: string }): Yielded<void>
  /** The answer together with what the person wrote beside it: `yield* ask.withComment(ask.confirm('Deploy?'))`. */
  withComment<Value>(asked: Yielded<Value>): Yielded<Commented<Value>>
  /** Several questions in one round. */
  all<const A extends Readonly<Record<string, Yielded>>>(
    asks: A,
  ): Yielded<{ -readonly [N in keyof A]: A[N] extends Yielded<infer Value> ? Value : never }>
}

export const yieldedAsk: YieldedAsk = {
  text: (question, settings) => yielded(({ ask }) => ask.text(question, settings)),
  password: (question, settings) => yielded(({ ask }) => ask.secret(question, settings)),
  confirm: (question, settings) => yielded(({ ask }) => ask.confirm(question, settings)),
  select: (question, options, settings) => yielded(({ ask }) => ask.choose(question, options, settings)),
  selectMany: (question, options, settings) => yielded(({ ask }) => ask.chooseMany(question, options, settings)),
  number: (question, settings) => yielded(({ ask }) => ask.number(question, settings)),
  date: (question, settings) => yielded(({ ask }) => ask.date(question, settings)),
  form: (question, asked, settings) => yielded(({ ask }) => ask.form(question, asked, settings)),
  url: (question, link, settings) => yielded(({ ask }) => ask.url(question, link, settings)),
  file: (question, settings) => yielded(({ ask }) => ask.file(question, settings)),
  approve: (title, action, settings) => yielded(({ ask }) => ask.approve(title, action, settings)),
  withComment: (asked) => yielded((interaction) => interaction.ask.withComment(begun(asked, interaction))),
  all: (asks) => yielded((interaction) => allOf(asks, interaction)),
}

function begun<Value>(asked: Yielded<Value>, interaction: Interaction): Promise<Value> {
  const perform = performOf(asked) as Perform<Value> | undefined
  // What is none of ours is reported by `ask.withComment`.
  return perform?.(interaction) ?? Promise.resolve(asked as never)
}

async function allOf(asks: Readonly<Record<string, Yielded>>, interaction: Interaction): Promise<never> {
  const begun = Object.entries(asks).map(([name, one]) => [name, performOf(one)?.(interaction)] as const)
  return interaction.ask.all(Object.fromEntries(begun) as never) as never
}
